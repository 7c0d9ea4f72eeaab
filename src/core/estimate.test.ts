import { expect, test } from "vitest";
import { estimateToFinish } from "./estimate.ts";
import { newThread, type Thread } from "./thread.ts";

const CENT = 10_000_000;
/** Four turns: a hundred tokens, two cents and three seconds each. */
const worked: Partial<Thread> = {
  ...{ turns: 4, activeMs: 12_000, spent: 8 * CENT },
  usage: { input: 300, cache_read: 0, cache_write: 0, output: 100 },
};
const of = (limits: Thread["limits"], more: Partial<Thread> = {}) =>
  estimateToFinish({ ...newThread("t"), ...worked, ...more, limits });

test.each<[Thread["limits"], string, number]>([
  [{ turns: 10 }, "turns", 6],
  [{ turns: 10, tokens: 650 }, "tokens", 2],
  [{ turns: 10, spend: "0.15" }, "spend", 3],
  [{ turns: 10, duration: 27 }, "duration", 5],
  [{ spend: "0.05" }, "spend", 0],
  [{ turns: 4 }, "turns", 0],
])("of %j it is the %s that ends it first, after %i turns", (limits, limit, turns) => {
  expect(of(limits)).toEqual({ limit, turns, spend: turns * 2 * CENT, seconds: turns * 3, sample: 4 });
});

test("what its children have spent is gone too", () => {
  const cost = { turns: 1, tokens: 1, spent: 4 * CENT };
  const child = { id: "c", directive: "d", status: "completed" as const, suspensions: 0, told: 0, cost };
  expect(of({ spend: "0.20" }, { children: { c: child } })).toMatchObject({ limit: "spend", turns: 4 });
});

test("nothing is said without a turn, or without a limit that tells; nor of money where nobody knows the price", () => {
  expect(of({ turns: 10 }, { turns: 0 })).toBeUndefined();
  expect(of({})).toBeUndefined();
  expect(of({ spawns: 3, depth: 2 })).toBeUndefined();
  expect(of({ duration: 10 }, { activeMs: 0 })).toBeUndefined();
  expect(of({ turns: 5 }, { spent: 0 })).toMatchObject({ turns: 1, spend: null });
});
