import { describe, expect, test } from "vitest";
import { type Line, LineReader } from "./lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(pieces: readonly Uint8Array[], longest?: number): (string | number)[] {
  const reader = new LineReader(longest);
  const lines: Line[] = pieces.flatMap((piece) => [...reader.read(piece)]);
  const last = reader.end();
  return [...lines, ...(last ? [last] : [])].map((line) => ("text" in line ? line.text : line.tooLong));
}

describe("lines", () => {
  test.each([
    ["two in one piece", ["a\nb\n"], ["a", "b"]],
    ["one in pieces", ["a", "b", "c\n"], ["abc"]],
    ["CR LF", ["a\r\nb\r\n"], ["a", "b"]],
    ["a CR inside stays", ["a\rb\n"], ["a\rb"]],
    ["no LF at the end", ["a\nb"], ["a", "b"]],
    ["nothing at all", [""], []],
    ["empty ones", ["\n\n"], ["", ""]],
    [
      "U+2028, U+2029, U+0085 and vertical tabs are no ends",
      ["a\u2028b\u2029c\u0085d\ve\n"],
      ["a\u2028b\u2029c\u0085d\ve"],
    ],
  ])("%s", (_, pieces, expected) => {
    expect(read(pieces.map(bytes))).toEqual(expected);
  });

  test("a character that comes in two pieces is one", () => {
    const whole = bytes("ä…😀\n");
    for (let at = 1; at < whole.length; at += 1)
      expect(read([whole.subarray(0, at), whole.subarray(at)])).toEqual(["ä…😀"]);
  });

  test("one that is too long is told of and skipped; the next one is read", () => {
    expect(read(["aaaa", "aaaa", "aa\nok\n"].map(bytes), 8)).toEqual([10, "ok"]);
    expect(read(["12345678\n"].map(bytes), 8)).toEqual(["12345678"]);
    expect(read(["123456789"].map(bytes), 8)).toEqual([9]);
  });
});
