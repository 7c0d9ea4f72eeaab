import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endTree } from "./end-tree.ts";

/** A number that no process has: what is sent to it goes nowhere. */
const NOBODY = 2 ** 30;
const GRACE_MS = 300;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** One member that is gone after a while. */
async function howEnded(lastsMs: number): Promise<string> {
  const gone = performance.now() + lastsMs;
  const look = () => ({ members: performance.now() < gone ? [NOBODY] : [], keepers: [], groups: [] });
  const ended = endTree(look, GRACE_MS);
  await vi.advanceTimersByTimeAsync(10 * GRACE_MS);
  return ended;
}

test.each([
  ["who was never there", 0, "none"],
  ["who goes when it is told to", 100, "stopped"],
  ["who goes at the last moment", GRACE_MS - 1, "stopped"],
  // Its keeper ends it too, a little later than who stops it: there is no pause in which that is missed.
  ["who has to be killed, and is gone at once then", GRACE_MS + 5, "killed"],
  ["who has to be killed more than once", 2 * GRACE_MS, "killed"],
])("%s", async (_, lastsMs, how) => {
  expect(await howEnded(lastsMs)).toBe(how);
});
