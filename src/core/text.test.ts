import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMiddle, grouped, oneLine, spelledOut, stripControls, wellFormed } from "./text.ts";

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007after", "after"],
  ["\u001b]8;;http://x\u001b\\link", "link"],
  ["\u001bPq#0\u001b\\x", "x"],
  ["a\u0007b\u0008c\u009bd", "abcd"],
  ["keeps\ttabs\nand lines", "keeps\ttabs\nand lines"],
  ["evil\u202etxt", "eviltxt"],
  ["\u001bc reset", " reset"],
  ["left\u200eright\u200farabic\u061c", "leftrightarabic"],
  ["a\u2066b\u2069c\u2028d", "abcd"],
])("%j is shown as %j", (text, shown) => {
  expect(stripControls(text)).toBe(shown);
});

test("nothing that a terminal would obey is left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(stripControls(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test("what is spelled out is the same value, and all of it is seen", () => {
  const hidden = { a: "x\u202ey\u009bz", b: "zero\u200bwidth", c: "\u{e0041}" };
  const text = spelledOut(JSON.stringify(hidden));
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual(hidden);
  expect(spelledOut('{"a":"Grüße 漢字"}')).toBe('{"a":"Grüße 漢字"}');
});

test("one line stays one line", () => {
  expect(oneLine("a\n\n  b\tc", 10)).toBe("a b c");
  expect(oneLine("x".repeat(50), 10)).toHaveLength(10);
});

test("a long output keeps its ends and says what is missing", () => {
  const cut = cutMiddle(`${"a".repeat(100)}${"b".repeat(100)}`, 20);
  expect(cut).toBe(`${"a".repeat(10)}\n[… 180 characters left out …]\n${"b".repeat(10)}`);
});

test("text becomes encodable and stays the same otherwise", () => {
  expect(wellFormed("a\ud800b")).toBe("a\ufffdb");
  expect(wellFormed("😀")).toBe("😀");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(Buffer.from(wellFormed(text)).toString()).toBe(wellFormed(text));
    }),
  );
});

test("numbers are grouped as English does it", () => {
  const samples = [0, 7, 999, 1_000, 12_345, 1_234_567, 0.5, 1_234.5, 1_234.567_89, -4_321];
  expect(samples.map(grouped)).toEqual(samples.map((value) => value.toLocaleString("en-US")));
  fc.assert(
    fc.property(fc.integer(), (value) => {
      expect(grouped(value)).toBe(value.toLocaleString("en-US"));
    }),
  );
});
