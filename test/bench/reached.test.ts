import { expect, test } from "vitest";
import { reached } from "../../bench/reached.ts";

test.each([
  ["a ratio", "1.39 ×", "≤ 1.25 ×", "no"],
  ["a ratio", "1.25 ×", "≤ 1.25 ×", "yes"],
  ["more is better", "0.43 × (1.02 ×)", "≥ 1.5 ×", "no"],
  ["noise in brackets counts for nothing", "1.35 × (9.00 ×)", "≤ 1.5 ×", "yes"],
  ["the first of quantiles", "0.87 ms | 4.17 ms", "p50 ≤ 1.2 ms", "yes"],
  ["lag, p99: raw | durable", "767.08 ms | 41.50 ms", "≤ 60 ms", "yes"],
  ["lag, p99: raw | durable", "1.00 ms | 61.50 ms", "≤ 60 ms", "no"],
  ["seconds and milliseconds", "279.11 ms", "≤ 2 s", "yes"],
  ["seconds and milliseconds", "2279.11 ms", "≤ 2 s", "no"],
  ["all of several", "1.7 s | 3.1 s | 2.0 s", "≤ 3 s", "no"],
  ["counts", "2.00 | 2.00 | 2.04 (2.04)", "≤ 2", "no"],
  ["counts", "2.00 | 2.00 | 2.00 (1 | 1 | 1)", "≤ 2 (1)", "yes"],
  ["room", "44.3 MB", "≤ 45 MB", "yes"],
  ["what one number does not answer", "13.3 KB | 13.6 KB", "≤ 10 × payload (1.4 KB), flat", ""],
  ["nothing is asked for", "13.3 KB", "", ""],
] as const)("%s: %s for %s is %s", (what, found, mark, said) => {
  expect(reached(what, found, mark)).toBe(said);
});
