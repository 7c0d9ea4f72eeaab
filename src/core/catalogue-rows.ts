/**
 * Models as their providers describe them, as of `CATALOGUE_DATE`: dollars per million tokens, and tokens. The figures stand
 * in both @pydantic/genai-prices 0.1.8 (2026-09-23) and @earendil-works/pi-ai 1.5.0 (2026-11-02), the sizes of answers only
 * in the second; claude-sonnet-5-5 and claude-haiku-5-5, newer than the first, were held against platform.claude.com, and
 * gpt-6.1-sol against two resellers of it. Where sources differ, the dearer price and the smaller window are here.
 */
import type { Price, Rates } from "./price.ts";

export const CATALOGUE_DATE = "2026-11-15";

export interface CatalogueRow {
  /** `provider/model`. */
  readonly name: string;
  readonly price: Price;
  readonly window: number;
  readonly maxOutput: number;
}

/** Input, written to the cache, read from it, output. */
type Dollars = readonly [input: number, write: number, read: number, output: number];

interface Sizes {
  readonly window: number;
  readonly maxOutput: number;
  /** Of a prompt of more than so many tokens, everything costs this many times as much. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const SMALL_CLAUDE: Sizes = { window: 200_000, maxOutput: 64_000 };
const LARGE_CLAUDE: Sizes = { window: 1_000_000, maxOutput: 128_000 };
const OLD_GPT: Sizes = { window: 400_000, maxOutput: 128_000 };
// Some of them start with the token that others end with: the dearer reading.
const GPT: Sizes = {
  window: 1_050_000,
  maxOutput: 128_000,
  long: { above: 271_999, input: 2, output: 1.5 },
};

/** OpenAI bills no more for what it writes to its cache up to GPT-5.5: there, that is the price of input. */
const ROWS: readonly (readonly [name: string, dollars: Dollars, sizes: Sizes])[] = [
  ["anthropic/claude-fable-5-1", [10, 12.5, 0.25, 50], LARGE_CLAUDE],
  ["anthropic/claude-fable-5", [10, 12.5, 1, 50], LARGE_CLAUDE],
  ["anthropic/claude-opus-5-5", [4, 5, 0.2, 20], LARGE_CLAUDE],
  ["anthropic/claude-opus-5", [5, 6.25, 0.5, 25], LARGE_CLAUDE],
  ["anthropic/claude-opus-4-8", [5, 6.25, 0.5, 25], LARGE_CLAUDE],
  ["anthropic/claude-opus-4-7", [5, 6.25, 0.5, 25], LARGE_CLAUDE],
  ["anthropic/claude-opus-4-6", [5, 6.25, 0.5, 25], LARGE_CLAUDE],
  ["anthropic/claude-opus-4-5", [5, 6.25, 0.5, 25], SMALL_CLAUDE],
  ["anthropic/claude-sonnet-5-5", [2, 2.5, 0.2, 10], LARGE_CLAUDE],
  ["anthropic/claude-sonnet-5", [2, 2.5, 0.2, 10], LARGE_CLAUDE],
  ["anthropic/claude-sonnet-4-6", [3, 3.75, 0.3, 15], LARGE_CLAUDE],
  ["anthropic/claude-sonnet-4-5", [3, 3.75, 0.3, 15], SMALL_CLAUDE],
  [
    "anthropic/claude-haiku-5-5",
    [0.1, 0.125, 0.01, 0.5],
    { ...LARGE_CLAUDE, long: { above: 100_000, input: 5, output: 5 } },
  ],
  ["anthropic/claude-haiku-4-5", [1, 1.25, 0.1, 5], SMALL_CLAUDE],
  ["openai/gpt-6.1-sol", [2, 2.5, 0.1, 10], GPT],
  ["openai/gpt-6-astra", [10, 12.5, 1, 50], GPT],
  ["openai/gpt-6-sol", [2, 2.5, 0.2, 10], GPT],
  ["openai/gpt-6-luna", [0.1, 0.125, 0.01, 0.5], GPT],
  ["openai/gpt-5.6-sol", [4, 5, 0.4, 20], GPT],
  ["openai/gpt-5.6-terra", [2, 2.5, 0.2, 12], GPT],
  ["openai/gpt-5.6-luna", [0.2, 0.25, 0.02, 1.2], GPT],
  ["openai/gpt-5.5", [5, 5, 0.5, 30], { ...GPT, window: 1_000_000 }],
  ["openai/gpt-5.4", [2.5, 2.5, 0.25, 15], GPT],
  ["openai/gpt-5.4-mini", [0.75, 0.75, 0.075, 4.5], OLD_GPT],
  ["openai/gpt-5.4-nano", [0.2, 0.2, 0.02, 1.25], OLD_GPT],
  ["openai/gpt-5.2", [1.75, 1.75, 0.175, 14], OLD_GPT],
  ["openai/gpt-5.1", [1.25, 1.25, 0.125, 10], OLD_GPT],
  ["openai/gpt-5", [1.25, 1.25, 0.125, 10], OLD_GPT],
  ["openai/gpt-5-mini", [0.25, 0.25, 0.025, 2], OLD_GPT],
  ["openai/gpt-5-nano", [0.05, 0.05, 0.005, 0.4], OLD_GPT],
  ["openai/gpt-4.1", [2, 2, 0.5, 8], { window: 1_000_000, maxOutput: 32_768 }],
  ["openai/gpt-4.1-mini", [0.4, 0.4, 0.1, 1.6], { window: 1_000_000, maxOutput: 32_768 }],
  ["openai/gpt-4.1-nano", [0.1, 0.1, 0.025, 0.4], { window: 1_000_000, maxOutput: 32_768 }],
  ["openai/gpt-4o", [2.5, 2.5, 1.25, 10], { window: 128_000, maxOutput: 16_384 }],
  ["openai/gpt-4o-2024-05-13", [5, 5, 5, 15], { window: 128_000, maxOutput: 4_096 }],
  ["openai/gpt-4o-mini", [0.15, 0.15, 0.075, 0.6], { window: 128_000, maxOutput: 16_384 }],
  ["openai/o3", [2, 2, 0.5, 8], { window: 200_000, maxOutput: 100_000 }],
  ["openai/o4-mini", [1.1, 1.1, 0.275, 4.4], { window: 200_000, maxOutput: 100_000 }],
];

export const CATALOGUE: readonly CatalogueRow[] = ROWS.map(([name, dollars, { window, maxOutput, long }]) => {
  const price = rates(dollars);
  if (!long) return { name, price, window, maxOutput };
  const [input, write, read, output] = dollars;
  const dear = rates([input * long.input, write * long.input, read * long.input, output * long.output]);
  return { name, price: { ...price, long: { ...dear, above: long.above } }, window, maxOutput };
});

function rates([input, write, read, output]: Dollars): Rates {
  return {
    input: nanos(input),
    cache_read: nanos(read),
    cache_write: nanos(write),
    output: nanos(output),
  };
}

/** Per token: no provider has more than three decimals, and what is behind them is the fraction of a double. */
function nanos(dollarsPerMillion: number): number {
  return Math.round(dollarsPerMillion * 1_000);
}

/** A script costs nothing that is real; it has a price so that budgets can be shown (SPEC §16). */
export const SCRIPTED_PRICE: Price = rates([3, 3.75, 0.3, 15]);

/**
 * What a tier means to who says nothing else, by provider, in the order in which keys are looked for. OpenAI's newer
 * models take no tools over chat completions unless their reasoning is switched off, so these are the last that do.
 */
export const BUILT_IN_TIERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: {
    fast: "anthropic/claude-haiku-5-5",
    default: "anthropic/claude-sonnet-5-5",
    deep: "anthropic/claude-opus-5-5",
  },
  openai: { fast: "openai/gpt-5.4-mini", default: "openai/gpt-5.4", deep: "openai/gpt-5.4" },
};
