import fc from "fast-check";
import { expect, test } from "vitest";
import { argumentScanner } from "./argument-scanner.ts";

/** Where the object closes, when the text comes in these pieces; -1 when it does not. */
function closesAt(pieces: readonly string[]): number {
  const scanner = argumentScanner();
  let before = 0;
  for (const piece of pieces) {
    const end = scanner.feed(piece);
    if (end !== undefined) return before + end;
    before += piece.length;
  }
  return -1;
}

test.each([
  ["{}", 2],
  [' \n\t{"a":1}', 10],
  ['{"a":"}"}', 9],
  ['{"a":"\\"}"}', 11],
  ['{"a":"\\\\"}', 10],
  ['{"a":[{},{}]}{}', 13],
  ["{", -1],
  ["", -1],
  ["  ", -1],
  ['"{}"', -1],
  ["[{}]", -1],
  ["null {}", -1],
  ['{"a":"', -1],
])("%j closes at %i", (text, end) => {
  expect(closesAt([text])).toBe(end);
  expect(closesAt([...text])).toBe(end);
});

const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

test("an object closes at its last character and nowhere before, however it is cut", () => {
  fc.assert(
    fc.property(object, fc.boolean(), fc.array(fc.nat()), fc.string(), (value, isPretty, cuts, after) => {
      const text = isPretty ? JSON.stringify(value, null, 2) : JSON.stringify(value);
      const whole = text + after;
      const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
      const pieces = [...places, whole.length].map((cut, at) => whole.slice(places[at - 1] ?? 0, cut));
      expect(closesAt(pieces)).toBe(text.length);
    }),
  );
});

test("what closes early is no JSON, and what is JSON has closed: JSON.parse is the judge", () => {
  const garbled = fc.tuple(object, fc.nat(), fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", "x", ""));
  fc.assert(
    fc.property(garbled, ([value, at, extra]) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      const changed = text.slice(0, place) + extra + text.slice(place);
      if (isObjectText(changed)) expect(closesAt([changed])).toBe(changed.trimEnd().length);
    }),
  );
});

test("every character is looked at once: many small pieces cost what one large one does", () => {
  const scanner = argumentScanner();
  let looked = 0;
  const piece = { length: 1, charCodeAt: () => (looked++ === 0 ? 123 : 32) } as unknown as string;
  for (let count = 0; count < 10_000; count += 1) scanner.feed(piece);
  expect(looked).toBe(10_000);
  expect(scanner.isOpen).toBe(true);
});

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
