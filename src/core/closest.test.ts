import { expect, test } from "vitest";
import { closest } from "./closest.ts";

test("what was meant comes first, what was not does not come", () => {
  expect(closest("helo", ["world", "hello", "help", "zebra"])).toEqual(["hello", "help"]);
  expect(closest("xyzzy", ["hello"])).toEqual([]);
});
