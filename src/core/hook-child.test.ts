import { describe, expect, test } from "vitest";
import type { Child } from "./family.ts";
import type { ChildHook } from "./hook.ts";
import { type AskedHook, answerOf, answersFor, childInputs, hookWait, timesAsked } from "./hook-child.ts";

const hook: ChildHook = {
  ...{ id: "guard", event: "before_tool", layer: "project", where: "hooks.yaml:1", timeoutSeconds: 5 },
  inputs: { why: "turn {turn}" },
  run: { directive: "ops/guard" },
};
const asked: AskedHook = {
  ...{ id: "guard", name: "project/guard", where: "hooks.yaml:1", event: "before_tool", point: "p" },
  ...{ facts: {}, before: [], childId: "c", since: "2026-01-01T00:00:00.000Z" },
};
const family = (child: Partial<Child>) => ({
  children: { c: { id: "c", directive: "d", status: "running" as const, suspensions: 0, told: 0, ...child } },
});

describe("what a child comes to", () => {
  test.each<[Partial<Child>, unknown]>([
    [
      { status: "completed", outputs: { action: "fail", message: "no" } },
      { action: "fail", message: "no" },
    ],
    [
      { status: "completed", outputs: { action: "continue", message: "", context: {} } },
      { action: "continue" },
    ],
    [
      { status: "completed", outputs: { action: "", context: { message: "x" } } },
      { action: "continue", context: { message: "x" } },
    ],
  ])("%j is an answer", (child, answer) => {
    expect(answerOf(family(child), asked)).toEqual(answer);
  });

  test.each<[Partial<Child>, string]>([
    [{ status: "completed" }, "c handed back nothing"],
    [{ status: "completed", outputs: { action: "yes" } }, "c: it answered an unknown action"],
    [{ status: "completed", outputs: { action: "continue", verdict: "x" } }, "c: it answered an unknown key"],
    [{ status: "completed", outputs: { action: "" } }, "c: its answer has no action"],
    [{ status: "error", error: "E_AUTH: bad key", outputs: { action: "continue" } }, "c failed: E_AUTH"],
    [{ status: "cancelled", error: "because" }, "c was stopped: because"],
    [{ status: "suspended", reason: "limit", error: "too dear" }, "c stopped for a person (limit): too dear"],
    [{ status: "running" }, "c did not answer in its time"],
  ])("%j is no yes", (child, problem) => {
    expect(answerOf(family(child), asked)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test("of one that nobody knows neither", () => {
    expect(answerOf({ children: {} }, asked)).toEqual({ problem: expect.stringContaining("did not answer") });
  });
});

test("it is offered every fact by its name, groups opened, and handed the hook's own inputs", () => {
  const facts = {
    turn: 2,
    tool: "bash",
    input: { command: "ls" },
    cost: { spend: 1.5 },
    limits: { turns: 9 },
  };
  expect(childInputs(hook, facts)).toEqual({
    inputs: { why: "turn 2" },
    offers: {
      ...{ hook: "guard", event: "before_tool", turn: 2, tool: "bash", input: { command: "ls" } },
      ...{ cost_spend: 1.5, limits_turns: 9 },
    },
  });
});

test("nobody waits for it longer than its time, nor for a person to answer it", () => {
  expect(hookWait(hook, "c", Date.parse("2026-01-01T00:00:00.000Z"))).toMatchObject({
    ...{ call_id: null, hook: "guard", thread_ids: ["c"], require: 1, include_suspended: true },
    until: "2026-01-01T00:00:05.000Z",
  });
});

test("a moment of the same name that comes again is another asking", () => {
  const answers = answersFor(asked);
  expect(timesAsked({ children: {} }, answers)).toBe(0);
  expect(timesAsked(family({ answers }), answers)).toBe(1);
  expect(timesAsked(family({ answers: "limit:turns_exceeded:2 project/guard" }), answers)).toBe(0);
});
