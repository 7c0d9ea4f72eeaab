import { expect, test } from "vitest";
import { CRASH_POINTS, parseCrashPoint } from "./crash-points.ts";

test.each([
  ["after_model", { name: "after_model", turn: undefined }],
  ["turn:2:after_model", { name: "after_model", turn: 2 }],
  ["turn:12:before_tool", { name: "before_tool", turn: 12 }],
])("%s is a point", (text, parsed) => {
  expect(parseCrashPoint(text)).toEqual(parsed);
});

test.each([
  "",
  "turn:0:after_model",
  "turn:x:after_model",
  "turn:2",
  "after_modell",
  "toString",
  "turn:2:after_model:x",
])("%j is none, and those that there are are told", (text) => {
  expect(() => parseCrashPoint(text)).toThrow(Object.keys(CRASH_POINTS).join(", "));
});
