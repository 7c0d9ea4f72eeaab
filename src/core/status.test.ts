import { expect, test } from "vitest";
import { canMove, hasEnded, isTerminal, NEXT, STATUSES } from "./status.ts";

test("nothing but a successor follows an end, and every state leads to one", () => {
  for (const status of STATUSES)
    expect(NEXT[status].every((next) => next === "continued")).toBe(isTerminal(status));
  expect(STATUSES.filter((status) => isTerminal(status) && !hasEnded(status))).toEqual(["continued"]);
  const reachable = new Set<string>(["created"]);
  for (const from of STATUSES) if (reachable.has(from)) for (const to of NEXT[from]) reachable.add(to);
  expect([...reachable].sort()).toEqual([...STATUSES].sort());
});

test.each([
  ["created", "running", true],
  ["created", "completed", false],
  ["running", "suspended", true],
  ["suspended", "completed", false],
  ["suspended", "error", true],
  ["cancelled", "running", false],
] as const)("%s -> %s: %s", (from, to, allowed) => {
  expect(canMove(from, to)).toBe(allowed);
});
