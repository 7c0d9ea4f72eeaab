import { expect, test } from "vitest";
import { cutTo, padTo, widthOf } from "./shown-width.ts";

test.each([
  ["plain", 5],
  ["‖ ✓ …", 5],
  ["\u001b[31mred\u001b[39m", 3],
  ["日本語", 6],
  ["e\u0301", 1],
  ["🙂!", 3],
  ["", 0],
])("%s takes %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ["short", 10, "short"],
  ["exactly", 7, "exactly"],
  ["too long", 5, "too …"],
  ["日本語です", 6, "日本…"],
  ["\u001b[31mred text\u001b[39m", 4, "\u001b[31mred…\u001b[0m"],
  ["anything", 0, ""],
])("%s in %i columns", (text, width, shown) => {
  expect(cutTo(text, width)).toBe(shown);
  expect(widthOf(shown)).toBeLessThanOrEqual(Math.max(width, 0));
});

test("padding counts columns, not characters", () => {
  expect(padTo("日本", 6)).toBe("日本  ");
});
