import fc from "fast-check";
import { expect, test } from "vitest";
import { type LaneCall, startable } from "./lane.ts";

const call = (lanes: string[], state: LaneCall["state"] = "waiting"): LaneCall => ({ lanes, state });

test.each<[string, LaneCall[], number, number[]]>([
  ["different lanes start together", [call(["a"]), call(["b"])], 25, [0, 1]],
  ["one lane keeps its order", [call(["a"]), call(["a"]), call(["b"])], 25, [0, 2]],
  ["a running call keeps its lane", [call(["a"], "running"), call(["a"])], 25, []],
  ["a finished call frees it", [call(["a"], "done"), call(["a"])], 25, [1]],
  ["no lanes, no waiting", [call([]), call([])], 25, [0, 1]],
  ["a call waits for every lane it names", [call(["a"], "running"), call(["a", "b"]), call(["b"])], 25, []],
  ["the cap counts what runs", [call([], "running"), call([]), call([])], 2, [1]],
])("%s", (_, calls, cap, expected) => {
  expect(startable(calls, cap)).toEqual(expected);
});

test("whatever the order of ends: one lane in order, the cap kept, everything ends", () => {
  const lanes = fc.array(fc.subarray(["a", "b", "c"]), { maxLength: 12 });
  fc.assert(
    fc.property(lanes, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (wanted, cap, picks) => {
      const calls = wanted.map((names) => ({ lanes: names, state: "waiting" as LaneCall["state"] }));
      const started: number[] = [];
      for (;;) {
        for (const index of startable(calls, cap)) {
          const one = calls[index];
          if (one) one.state = "running";
          started.push(index);
        }
        const running = calls.flatMap((one, index) => (one.state === "running" ? [index] : []));
        expect(running.length).toBeLessThanOrEqual(cap);
        if (running.length === 0) break;
        const ended = calls[running[(picks.next().value as number) % running.length] ?? 0];
        if (ended) ended.state = "done";
      }
      expect(calls.every((one) => one.state === "done")).toBe(true);
      for (const name of ["a", "b", "c"]) {
        const order = started.filter((index) => wanted[index]?.includes(name));
        expect(order).toEqual([...order].sort((left, right) => left - right));
      }
    }),
  );
});
