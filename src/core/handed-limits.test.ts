import { expect, test } from "vitest";
import { handedLimits } from "./handed-limits.ts";
import type { Limits } from "./limit.ts";

const own = { turns: 25, tokens: 1_000, spend: "1.00", spawns: 4, duration: 60, depth: 3 };

test.each<[string, Limits, Limits]>([
  ["nothing", own, {}],
  ["less", own, { turns: 24, tokens: 999, spawns: 3, duration: 59, depth: 1 }],
  ["as much", own, { turns: 25, tokens: 1_000, spawns: 4, duration: 60 }],
  ["one generation fewer", own, { depth: 2 }],
  ["money, of which the ledger knows what is left", own, { spend: "5.00" }],
  [
    "what the thread has no limit of",
    {},
    { turns: 9_999, tokens: 1e9, spawns: 99, duration: 1e6, depth: 50 },
  ],
])("may be handed on: %s", (_, has, asked) => {
  expect(handedLimits(has, asked, "limits")).toEqual({ limits: asked });
});

test.each<[Record<string, unknown>, string]>([
  [{ turns: 26 }, "limits: turns 26 is too much: this thread's own is 25, and a child has no more"],
  [{ turns: "26" }, "limits: turns 26 is too much: this thread's own is 25, and a child has no more"],
  [{ tokens: 1_001 }, "limits: tokens 1001 is too much: this thread's own is 1000, and a child has no more"],
  [{ spawns: 5 }, "limits: spawns 5 is too much: this thread's own is 4, and a child has no more"],
  [{ duration: 61 }, "limits: duration 61 is too much: this thread's own is 60, and a child has no more"],
  [{ depth: 3 }, "limits: depth 3 is too much: this thread's own is 3, so a child has at most 2"],
  [{ turns: 1, tokens: 9_999 }, "limits: tokens 9999 is too much"],
  [{ turnz: 1 }, 'limits: there is no limit "turnz": did you mean turns?'],
  [{ turns: 0 }, "limits: turns needs a whole number"],
])("may not: %j", (asked, said) => {
  const found = handedLimits(own, asked, "limits");
  expect("problem" in found && found.problem).toContain(said);
});

test("the complaint names the field of the call", () => {
  const found = handedLimits(own, { turns: 99 }, "new_limits");
  expect("problem" in found && found.problem).toMatch(/^new_limits: turns 99/);
});
