import fc from "fast-check";
import { expect, test } from "vitest";
import { append, emptyLog, type Log, last, toArray } from "./log.ts";

test("a log behaves as a copied array would, whatever grows from whatever", () => {
  const program = fc.array(fc.tuple(fc.nat(), fc.integer()), { maxLength: 60 });
  fc.assert(
    fc.property(program, (steps) => {
      const logs: Log<number>[] = [emptyLog];
      const arrays: number[][] = [[]];
      for (const [pick, item] of steps) {
        const from = pick % logs.length;
        logs.push(append(logs[from] ?? emptyLog, item));
        arrays.push([...(arrays[from] ?? []), item]);
      }
      logs.forEach((log, index) => {
        expect(toArray(log)).toEqual(arrays[index]);
        expect(log.length).toBe(arrays[index]?.length);
        expect(last(log)).toBe(arrays[index]?.at(-1));
      });
    }),
  );
});
