import { expect, test } from "vitest";
import { decideCall } from "./recover.ts";

test.each([
  ["pure", undefined, "rerun"],
  ["keyed", undefined, "rerun"],
  ["manual", undefined, "unknown"],
  ["probe", { type: "done", outcome: { status: "ok", output: "x" } }, "take"],
  ["probe", { type: "not_done" }, "rerun"],
  ["probe", { type: "cannot_tell" }, "unknown"],
  ["probe", undefined, "unknown"],
] as const)("%s with %j: %s", (effect, probe, expected) => {
  expect(decideCall(effect, probe).type).toBe(expected);
});
