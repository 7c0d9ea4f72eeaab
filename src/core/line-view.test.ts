import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromLine, lineView } from "./line-view.ts";

test.each<[string, Parameters<typeof lineView>[1], string, string[]]>([
  ["all of it", { first: 1, maxChars: 9 }, "all of it", []],
  ["a\nb\n", { first: 1, maxChars: 9 }, "a\nb\n", []],
  ["a\nb\n", { first: 4, maxChars: 9, goesOn: true }, "a\nb\n", ["lines 4 to 5; more follow from offset 6"]],
  ["a\nb\nc", { first: 1, maxChars: 4 }, "a\nb\n", ["lines 1 to 2; more follow from offset 3"]],
  ["a\nbcd\ne", { first: 7, maxChars: 4 }, "a\n", ["lines 7 to 7; more follow from offset 8"]],
  [
    "abcdef\ng",
    { first: 3, maxChars: 4 },
    "abcd",
    ["line 3 is cut after 4 characters", "lines 3 to 3; more follow from offset 4"],
  ],
  ["abcdef", { first: 1, maxChars: 4 }, "abcd", ["line 1 is cut after 4 characters"]],
  ["abcdef\n", { first: 1, maxChars: 4 }, "abcd", ["line 1 is cut after 4 characters"]],
])("%j seen with %o", (text, how, kept, notes) => {
  expect(lineView(text, how)).toEqual({ text: kept, notes });
});

describe("from a line on", () => {
  test.each([
    ["a\nb\nc", 1, "a\nb\nc"],
    ["a\nb\nc", 3, "c"],
    ["a\nb\nc", 4, undefined],
    ["a\n", 2, undefined],
    ["a\n\n", 2, "\n"],
    ["", 1, ""],
    ["", 2, undefined],
  ])("%j from %i", (text, first, rest) => {
    expect(fromLine(text, first)).toBe(rest);
  });

  test("who follows the notes reads every line once", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "🙂", " "), maxLength: 8 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 20, max: 40 }), (given, maxChars) => {
        const text = given.map((line) => `${line}\n`).join("");
        let [read, first] = ["", 1];
        for (;;) {
          const view = lineView(fromLine(text, first) ?? "", { first, maxChars });
          read += view.text;
          const next = /offset (\d+)/.exec(view.notes.join())?.[1];
          if (next === undefined) break;
          first = Number(next);
        }
        expect(read).toBe(text);
      }),
    );
  });
});
