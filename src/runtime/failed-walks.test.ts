import { expect, test } from "vitest";
import { FailedWalks } from "./failed-walks.ts";

test("one that fails is tried again after a pause that grows, and parked after three times", () => {
  const failed = new FailedWalks();
  expect(failed.msLeft("a", 0)).toBeUndefined();
  failed.note("a", "bad luck", 0);
  expect(failed.msLeft("a", 400)).toBe(600);
  expect(failed.msLeft("a", 1_000)).toBeUndefined();
  expect(failed.msLeft("b", 0)).toBeUndefined();
  failed.note("a", "bad luck", 1_000);
  expect(failed.msLeft("a", 1_000)).toBe(2_000);
  expect(failed.verdict("a")).toBeUndefined();
  failed.note("a", "worse luck", 3_000);
  expect(failed.verdict("a")).toBe("It failed 3 times within ten minutes: worse luck");
  for (let time = 0; time < 20; time += 1) failed.note("a", "none", 3_000);
  expect(failed.msLeft("a", 3_000)).toBe(300_000);
});

test("ten minutes without a failure, an end, or having been parked: it begins anew", () => {
  const failed = new FailedWalks();
  failed.note("a", "x", 0);
  failed.note("a", "x", 1);
  failed.note("a", "x", 600_001);
  expect(failed.verdict("a")).toBeUndefined();
  failed.note("a", "x", 600_002);
  failed.note("a", "x", 600_003);
  failed.keep([{ thread_id: "a", suspend_reason: "error" }]);
  expect(failed.verdict("a")).toBeDefined();
  failed.keep([{ thread_id: "a", suspend_reason: "crash_loop" }]);
  expect(failed.verdict("a")).toBeUndefined();
  failed.note("b", "x", 0);
  failed.keep([]);
  expect(failed.msLeft("b", 0)).toBeUndefined();
});
