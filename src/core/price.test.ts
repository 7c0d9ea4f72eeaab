import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage, type Usage } from "./message.ts";
import { parseDollars } from "./money.ts";
import { affordableOutput, costOfUsage, type Price, perToken, worstCase } from "./price.ts";

const price: Price = { input: 3_000, cache_read: 300, cache_write: 3_750, output: 15_000 };
const tiered: Price = {
  ...{ input: 100, cache_read: 10, cache_write: 125, output: 500 },
  long: { above: 100_000, input: 500, cache_read: 50, cache_write: 625, output: 2_500 },
};
const usage = (more: Partial<Usage>): Usage => ({ ...noUsage, ...more });

test.each<[number | string, number | undefined]>([
  [3, 3_000],
  ["3.00", 3_000],
  [0.1, 100],
  [0.57, 570],
  [0.005, 5],
  [18.75, 18_750],
  [0, 0],
  [0.0005, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [1e21, undefined],
  ["dear", undefined],
])("%j dollars per million are %j per token", (dollars, nanos) => {
  expect(perToken(dollars)).toBe(nanos);
});

describe("what was used", () => {
  test("each bucket at its own price", () => {
    const all = { input: 1_000, cache_read: 10_000, cache_write: 2_000, output: 500 };
    expect(costOfUsage(all, price)).toBe(parseDollars("0.021"));
  });

  test("a long prompt costs more from its first token on, whichever buckets it is in", () => {
    expect(costOfUsage(usage({ input: 100_000, output: 1 }), tiered)).toBe(10_000_500);
    expect(costOfUsage(usage({ input: 1, cache_read: 100_000, output: 1 }), tiered)).toBe(5_003_000);
  });

  test.each<[string, number, number]>([
    ["negative", -5, 0],
    ["not a number", Number.NaN, 0],
    ["missing", undefined as unknown as number, 0],
    ["text", "many" as unknown as number, 0],
    ["a fraction", 0.5, 15_000],
    ["huge", 1e300, Number.MAX_SAFE_INTEGER],
    ["endless", Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  ])("a count that is %s", (_, output, cost) => {
    expect(costOfUsage(usage({ output }), price)).toBe(cost);
  });

  test("a price of nothing is nothing, however much is reported", () => {
    const free = { input: 0, cache_read: 0, cache_write: 0, output: 0 };
    expect(costOfUsage(usage({ input: Number.POSITIVE_INFINITY }), free)).toBe(0);
  });
});

test("the input might all be written to the cache", () => {
  expect(worstCase(1_000, 100, price)).toBe(1_000 * 3_750 + 100 * 15_000);
});

test.each([
  [parseDollars("0.01875") ?? 0, 1_000, 1_000],
  [parseDollars("0.018749999") ?? 0, 1_000, 999],
  [3_750_000, 1_000, 0],
  [3_749_999, 1_000, 0],
  [0, 1, 0],
  [-1, 0, 0],
  [Number.NaN, 0, 0],
])("of %j free, %j tokens in leave %j out", (free, input, output) => {
  expect(affordableOutput(free, input, price)).toBe(output);
});

describe("whatever the price", () => {
  const rate = fc.integer({ min: 0, max: 1_000_000 });
  const rates = fc.record({ input: rate, cache_read: rate, cache_write: rate, output: rate });
  const prices: fc.Arbitrary<Price> = fc
    .tuple(rates, fc.option(rates), fc.integer({ min: 0, max: 400_000 }))
    .map(([base, long, above]) => ({ ...base, ...(long ? { long: { ...long, above } } : {}) }));
  const count = fc.integer({ min: 0, max: 1_000_000 });
  const buckets = fc.record({ input: count, cache_read: count, cache_write: count, output: count });
  const anything = fc.oneof(fc.double(), fc.integer(), fc.constant(undefined as unknown as number));
  const lies = fc.record({ input: anything, cache_read: anything, cache_write: anything, output: anything });
  const inputOf = ({ input, cache_read, cache_write }: Usage) => input + cache_read + cache_write;

  test("what was used never costs more than the worst case of its size", () => {
    fc.assert(
      fc.property(buckets, prices, count, count, (used, each, moreIn, moreOut) => {
        const worst = worstCase(inputOf(used) + moreIn, used.output + moreOut, each);
        expect(costOfUsage(used, each)).toBeLessThanOrEqual(worst);
      }),
    );
  });

  test("more tokens never cost less", () => {
    fc.assert(
      fc.property(buckets, buckets, prices, (used, more, each) => {
        const both = {
          input: used.input + more.input,
          cache_read: used.cache_read + more.cache_read,
          cache_write: used.cache_write + more.cache_write,
          output: used.output + more.output,
        };
        expect(costOfUsage(both, each)).toBeGreaterThanOrEqual(costOfUsage(used, each));
      }),
    );
  });

  test("a lying provider is billed in whole, countable nano-dollars", () => {
    fc.assert(
      fc.property(lies, prices, (used, each) => {
        const cost = costOfUsage(used, each);
        expect(Number.isSafeInteger(cost) && cost >= 0).toBe(true);
      }),
    );
  });

  test("what is affordable fits, and one token more does not", () => {
    const free = fc.integer({ min: 0, max: 2 ** 52 });
    fc.assert(
      fc.property(free, count, prices, (money, input, each) => {
        const output = affordableOutput(money, input, each);
        const fits = worstCase(input, 0, each) <= money;
        if (!fits) expect(output).toBe(0);
        else expect(worstCase(input, output, each)).toBeLessThanOrEqual(money);
        const isFree = output === Number.MAX_SAFE_INTEGER;
        if (!isFree) expect(worstCase(input, output + 1, each)).toBeGreaterThan(money);
      }),
    );
  });
});
