import { expect, test } from "vitest";
import { canMove, isTerminal, NEXT, STATUSES } from "./status.ts";

test("nothing leaves an end, and every state leads to one", () => {
  for (const status of STATUSES) expect(NEXT[status].length === 0).toBe(isTerminal(status));
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
