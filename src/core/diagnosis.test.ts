import { expect, test } from "vitest";
import { byCategory, type Check, type CheckStatus, isHealthy, overallOf } from "./diagnosis.ts";

const check = (status: CheckStatus, id: Check["id"] = "state.integrity"): Check => ({
  ...{ id, status, summary: "", detail: [], fix: null },
});

test.each<[CheckStatus[], string, boolean, boolean]>([
  [[], "ok", true, true],
  [["ok", "skip"], "ok", true, true],
  [["ok", "warn"], "warn", true, false],
  [["warn", "fail", "ok"], "fail", false, false],
])("%j is %s", (statuses, overall, isFine, isFineStrictly) => {
  const found = overallOf(statuses.map((status) => check(status)));
  expect(found).toBe(overall);
  expect([isHealthy(found, false), isHealthy(found, true)]).toEqual([isFine, isFineStrictly]);
});

test("checks are told by category, in one order", () => {
  const found = byCategory([
    check("ok", "clock.time"),
    check("ok", "runtime.node"),
    check("ok", "clock.zone"),
  ]);
  expect(found.map(([category, checks]) => [category, checks.length])).toEqual([
    ["runtime", 1],
    ["clock", 2],
  ]);
});
