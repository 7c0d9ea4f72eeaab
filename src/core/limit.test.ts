import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Breach, findBreach, LIMIT_KEYS, outputCap, parseLimits, proposal } from "./limit.ts";
import { newThread, type Thread } from "./thread.ts";

const used = (more: Partial<Thread>): Thread => ({ ...newThread("t-1-aaaaaa"), ...more });
const tokens = (input: number, output: number) => ({ input, cache_read: 0, cache_write: 0, output });

describe("the limit that the next turn would break", () => {
  test.each<[string, Partial<Thread>, string | undefined]>([
    ["nothing limited", { turns: 1_000 }, undefined],
    ["one turn left", { turns: 24, limits: { turns: 25 } }, undefined],
    ["no turn left", { turns: 25, limits: { turns: 25 } }, "turns_exceeded"],
    ["more than all turns used", { turns: 26, limits: { turns: 25 } }, "turns_exceeded"],
    ["tokens left", { usage: tokens(10, 10), limits: { tokens: 30 } }, undefined],
    ["tokens used up", { usage: tokens(20, 10), limits: { tokens: 30 } }, "tokens_exceeded"],
    [
      "the conversation alone would take what is left",
      { usage: tokens(10, 10), contextTokens: 15, limits: { tokens: 30 } },
      "tokens_exceeded",
    ],
    [
      "cached tokens count",
      { usage: { ...tokens(1, 1), cache_read: 30 }, limits: { tokens: 30 } },
      "tokens_exceeded",
    ],
    ["time left", { activeMs: 59_000, limits: { duration: 60 } }, undefined],
    ["no time left", { activeMs: 60_000, limits: { duration: 60 } }, "duration_exceeded"],
    [
      "turns come first",
      { turns: 1, activeMs: 60_000, limits: { turns: 1, duration: 60 } },
      "turns_exceeded",
    ],
  ])("%s", (_, more, code) => {
    expect(findBreach(used(more))?.code).toBe(code);
  });

  test("never, while something is left of every limit: and an answer gets no more than is left", () => {
    const number = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(
        number,
        number,
        number,
        fc.integer({ min: 1, max: 500 }),
        (input, output, contextTokens, cap) => {
          const thread = used({ usage: tokens(input, output), contextTokens, limits: { tokens: 1_000 } });
          const left = 1_000 - input - output - contextTokens;
          expect(findBreach(thread) === undefined).toBe(left > 0);
          if (left > 0) expect(outputCap(thread, cap)).toBe(Math.min(cap, left));
        },
      ),
    );
  });
});

describe("what is asked for", () => {
  const breach: Breach = { code: "turns_exceeded", key: "turns", current: 25, max: 25, needs: 26 };
  test.each([
    ["double", 50],
    ["deny", undefined],
    [{ step: { turns: 5 } }, 30],
    [{ step: { tokens: 5 } }, 50],
    [{ ceiling: { turns: 40 } }, 40],
    [{ ceiling: { turns: 100 } }, 50],
    [{ ceiling: { turns: 25 } }, undefined],
    [{ ceiling: { tokens: 25 } }, 50],
  ] as const)("%j: %s", (policy, expected) => {
    expect(proposal(breach, policy)).toBe(expected);
  });

  test.each([
    ["double", 40],
    [{ step: { turns: 5 } }, 35],
    [{ ceiling: { turns: 100 } }, 40],
    [{ ceiling: { turns: 30 } }, undefined],
  ] as const)("a yes always lets the next turn through: %j proposes %s", (policy, expected) => {
    expect(proposal({ ...breach, current: 30, max: 5, needs: 31 }, policy)).toBe(expected);
  });
});

describe("limits as people write them", () => {
  test.each([
    [{ turns: "40", spend: "2.50" }, { limits: { turns: 40, spend: "2.50" } }],
    [{ spend: 2.5 }, { limits: { spend: "2.5" } }],
    [{}, { limits: {} }],
    [{ turn: 4 }, { problem: 'there is no limit "turn": did you mean turns?' }],
    [{ turns: 0 }, { problem: "turns needs a whole number above 0, not 0" }],
    [{ turns: "1.5" }, { problem: 'turns needs a whole number above 0, not "1.5"' }],
    [{ tokens: -1 }, { problem: "tokens needs a whole number above 0, not -1" }],
    [{ spend: "a lot" }, { problem: 'spend needs an amount such as "1.50", not "a lot"' }],
    [{ spend: "-1" }, { problem: 'spend needs an amount such as "1.50", not "-1"' }],
    [JSON.parse('{"__proto__": 1}'), { problem: expect.stringContaining("__proto__") }],
  ])("%j", (given, expected) => {
    expect(parseLimits(given)).toEqual(expected);
  });

  test("whatever is given: limits of known names, or a problem", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (given) => {
        const answer = parseLimits(given);
        if ("limits" in answer) {
          for (const key of Object.keys(answer.limits)) expect(LIMIT_KEYS).toContain(key);
        } else expect(answer.problem).not.toBe("");
      }),
    );
  });
});
