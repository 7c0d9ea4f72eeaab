/**
 * What tokens cost. What a provider reports is not believed to be numbers: nothing here throws, and no amount is a
 * fraction, negative, or more than can be counted. Where it is unsure, it counts more rather than less: a budget is a wall.
 */
import type { Usage } from "./message.ts";
import { parseDollars, plus } from "./money.ts";

/** Nano-dollars per token, by bucket of `Usage`. */
export interface Rates {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
}

export interface Price extends Rates {
  /** For all tokens of a request that sends more than `above`; never below the rates that hold under it. */
  readonly long?: (Rates & { readonly above: number }) | undefined;
}

const MOST = Number.MAX_SAFE_INTEGER;
const TOKENS = 1_000_000;

/** Dollars per million tokens, as catalogues and files say them; undefined unless that is whole nano-dollars per token. */
export function perToken(dollarsPerMillion: number | string): number | undefined {
  const nanos = parseDollars(String(dollarsPerMillion));
  return nanos === undefined || nanos % TOKENS !== 0 ? undefined : nanos / TOKENS;
}

export function costOfUsage(usage: Usage, price: Price): number {
  const [input, read, write] = [usage.input, usage.cache_read, usage.cache_write].map(tokens) as Three;
  const rates = ratesFor(price, input + read + write);
  return [
    times(input, rates.input),
    times(read, rates.cache_read),
    times(write, rates.cache_write),
    times(tokens(usage.output), rates.output),
  ].reduce(plus);
}

/** The most that a request of this size can cost: nobody knows beforehand what the provider has in its cache. */
export function worstCase(inputTokens: number, outputTokens: number, price: Price): number {
  const input = tokens(inputTokens);
  const rates = ratesFor(price, input);
  return plus(times(input, dearestInput(rates)), times(tokens(outputTokens), rates.output));
}

/** Tokens of output that fit into what is free beside the input; 0 when not even the input does. */
export function affordableOutput(freeNanos: number, inputTokens: number, price: Price): number {
  const left = freeNanos - worstCase(inputTokens, 0, price);
  if (!(left >= 0)) return 0;
  const { output } = ratesFor(price, tokens(inputTokens));
  // Not a rounded quotient: one token too many would not fit.
  return output === 0 ? MOST : (left - (left % output)) / output;
}

type Three = [number, number, number];

function ratesFor(price: Price, inputTokens: number): Rates {
  const { long } = price;
  if (!long || inputTokens <= long.above) return price;
  return {
    input: Math.max(price.input, long.input),
    cache_read: Math.max(price.cache_read, long.cache_read),
    cache_write: Math.max(price.cache_write, long.cache_write),
    output: Math.max(price.output, long.output),
  };
}

function dearestInput({ input, cache_read, cache_write }: Rates): number {
  return Math.max(input, cache_read, cache_write);
}

/** A count as it was reported. NaN fails every comparison, and so counts as none. */
function tokens(count: number): number {
  return count > 0 ? Math.min(Math.ceil(count), MOST) : 0;
}

function times(count: number, rate: number): number {
  return Math.min(count * rate, MOST);
}
