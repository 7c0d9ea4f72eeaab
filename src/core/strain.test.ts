import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Child } from "./family.ts";
import { isFull, isWorthIt, mayDropOutputs, newPressure, waitsForNotes } from "./strain.ts";
import { newThread, type Thread } from "./thread.ts";

const WINDOW = 1_000;
/** A thread whose conversation was counted as so many tokens. */
const at = (tokens: number, more: Partial<Thread> = {}): Thread => ({
  ...newThread("t"),
  ...{ turns: 5, chars: 10, measure: { model: "m", chars: 10, tokens, density: 1 } },
  ...more,
});

describe("hooks are told when it crosses the line upward, and again after it was well below (S1)", () => {
  test.each<[number, Partial<Thread>, boolean]>([
    [799, {}, false],
    [800, {}, true],
    [2_000, {}, true],
    [900, { pressed: { turn: 3, lowest: 800 } }, false],
    [900, { pressed: { turn: 3, lowest: 700 } }, false],
    [900, { pressed: { turn: 3, lowest: 699 } }, true],
    // One turn at least lies between.
    [900, { pressed: { turn: 4, lowest: 100 } }, false],
    [900, { pressed: { turn: 5, lowest: 100 } }, false],
  ])("%i with %o: %s", (tokens, more, isTold) => {
    expect(newPressure(at(tokens, more), WINDOW) !== undefined).toBe(isTold);
  });

  test("where nobody knows the window, nobody is told", () => {
    expect(newPressure(at(9_999), undefined)).toBeUndefined();
  });
});

describe("it is too full from the threshold on (S2, S3)", () => {
  test.each<[string, Thread, boolean]>([
    ["below", at(899), false],
    ["at it", at(900), true],
    ["before anybody counted it", at(0, { measure: undefined, chars: 99_999 }), false],
    ["as full as it began", at(950, { base: 950 }), false],
    ["hardly more than it began with", at(1_049, { base: 950 }), false],
    ["with more than it began with", at(1_050, { base: 950 }), true],
  ])("%s", (_, thread, expected) => {
    expect(isFull(thread, WINDOW, 0.9)).toBe(expected);
  });

  test("nobody who hands on at once what he was handed: each link has grown by a tenth of the window", () => {
    const growth = fc.array(fc.nat(400), { maxLength: 40 });
    fc.assert(
      fc.property(
        growth,
        fc.nat(1_500),
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        (more, handed, part) => {
          let thread = at(0, { measure: undefined });
          let [links, since] = [0, 0];
          for (const tokens of more) {
            // One answer: the conversation is counted, and the first count of a thread is what it began with.
            const counted = (thread.measure?.tokens ?? (links > 0 ? handed : 0)) + tokens;
            thread = at(counted, { base: thread.measure ? thread.base : counted });
            since += thread.base === counted ? 0 : tokens;
            if (!isFull(thread, WINDOW, part)) continue;
            expect(since).toBeGreaterThanOrEqual(WINDOW / 10);
            [links, since] = [links + 1, 0];
            thread = at(0, { measure: undefined });
          }
          expect(links * (WINDOW / 10)).toBeLessThanOrEqual(more.reduce((sum, each) => sum + each, 0));
        },
      ),
    );
  });
});

test.each<[Partial<Thread>, boolean]>([
  [{}, true],
  [{ compacted: { turn: 1, tokens: 900 } }, false],
  [{ compacted: { turn: 1, tokens: 850 } }, true],
])("results go again only once there is more to free: %o", (more, expected) => {
  expect(mayDropOutputs(at(950, more), { tokens: 950, window: WINDOW, ratio: 0.95 })).toBe(expected);
});

test("a few tokens are not worth it", () => {
  const pressure = { tokens: 950, window: WINDOW, ratio: 0.95 };
  expect([99, 100].map((freed) => isWorthIt(freed, pressure))).toEqual([false, true]);
});

test.each<[Child["status"], boolean]>([
  ["created", true],
  ["running", true],
  // It waits for a person: nobody would wake the thread.
  ["suspended", false],
  ["completed", false],
  ["error", false],
])("notes by a child that is %s are waited for: %s", (status, expected) => {
  const child = { id: "n", directive: "notes", status, suspensions: 0, told: 0 };
  const thread = at(950, {
    compaction: { why: "pressure", tokens: 950, childId: "n" },
    waitsFor: { kind: "children", ids: ["n"], what: "n" } as never,
    children: { n: child },
  });
  expect(waitsForNotes(thread)).toBe(expected);
  expect(waitsForNotes({ ...thread, compaction: undefined })).toBe(false);
  expect(waitsForNotes({ ...thread, waitsFor: undefined })).toBe(false);
});
