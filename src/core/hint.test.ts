import fc from "fast-check";
import { expect, test } from "vitest";
import { retryHint } from "./hint.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const DAY = 86_400_000;
const SOON = String(NOW / 1000 + 45);

test.each([
  [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500, "retry-after-ms"],
  [{ "retry-after-ms": "0.2" }, 1, "retry-after-ms"],
  [{ "retry-after-ms": "0", "retry-after": "9" }, 9_000, "retry-after"],
  [{ "retry-after": "7" }, 7_000, "retry-after"],
  [{ "retry-after": " 0.25 " }, 250, "retry-after"],
  [{ "retry-after": "2592000" }, 30 * DAY, "retry-after"],
  [{ "retry-after": "99999999" }, 31 * DAY, "retry-after"],
  [{ "retry-after": "20s" }, 20_000, "retry-after"],
  [{ "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000, "retry-after"],
  [{ "retry-after": "2026-11-15T12:00:30Z" }, 30_000, "retry-after"],
  [{ "retry-after": "2026-11-15T13:00:30+01:00" }, 30_000, "retry-after"],
  [{ "retry-after": SOON }, 45_000, "retry-after"],
  [
    { "anthropic-ratelimit-requests-reset": "2026-11-15T12:00:12Z" },
    12_000,
    "anthropic-ratelimit-requests-reset",
  ],
  [{ "anthropic-ratelimit-unified-reset": SOON }, 45_000, "anthropic-ratelimit-unified-reset"],
  [
    { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" },
    360_000,
    "x-ratelimit-reset-tokens",
  ],
  [{ "x-ratelimit-reset-tokens": "1h2m3.5s" }, 3_723_500, "x-ratelimit-reset-tokens"],
  [{ "x-ratelimit-reset": "60" }, 60_000, "x-ratelimit-reset"],
  [{ "x-ratelimit-reset": SOON }, 45_000, "x-ratelimit-reset"],
  [{ "x-ratelimit-reset": `${SOON}000` }, 45_000, "x-ratelimit-reset"],
  [{ "ratelimit-reset": "15" }, 15_000, "ratelimit-reset"],
  [
    {
      "x-ratelimit-reset-requests": "20ms",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-tokens": "6m0s",
      "x-ratelimit-remaining-tokens": "5000",
    },
    20,
    "x-ratelimit-reset-requests",
  ],
  [
    { "ratelimit-reset": "9", "ratelimit-remaining": "0", "x-ratelimit-reset": "60" },
    9_000,
    "ratelimit-reset",
  ],
] as const)("%j waits %i ms, says %s", (headers, ms, source) => {
  expect(retryHint(429, headers, NOW)).toEqual({ ms, source });
});

test.each([
  {},
  { "retry-after": "0" },
  { "retry-after": "-5" },
  { "retry-after": "soon" },
  { "retry-after": "" },
  { "retry-after": "1e3" },
  { "retry-after": "Infinity" },
  { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" },
  { "retry-after": "2026-11-15T99:99:99Z" },
  { "retry-after": String(NOW / 1000 - 10) },
  { "retry-after-ms": "-1" },
  { "retry-after-ms": "0" },
  { "x-ratelimit-reset-tokens": "0s" },
  { "x-ratelimit-reset": String(NOW / 1000 - 10) },
  { "anthropic-ratelimit-tokens-reset": "2026-11-15T11:59:59Z" },
  { "x-ratelimit-remaining-requests": "5" },
])("%j is no hint", (headers) => {
  expect(retryHint(429, headers, NOW)).toBeUndefined();
});

test("a reset in an answer that is not about being busy is no hint", () => {
  const headers = { "x-ratelimit-reset-requests": "10s" };
  expect(retryHint(400, headers, NOW)).toBeUndefined();
  expect(retryHint(undefined, headers, NOW)).toBeUndefined();
  expect(retryHint(503, headers, NOW)?.ms).toBe(10_000);
  expect(retryHint(400, { "retry-after": "2" }, NOW)?.ms).toBe(2_000);
});

test("whatever a header says, a wait is a whole number of ms, above none and within a month", () => {
  const name = fc.constantFrom(
    ...["retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens", "ratelimit-reset"],
    "anthropic-ratelimit-requests-reset",
  );
  const bits = fc.constantFrom(..."0123456789.-+: TZsmhdeGMT,".split(""), "Sun, ", "ms", "2026-11-15T");
  const value = fc.oneof(
    fc.string(),
    fc.array(bits, { maxLength: 12 }).map((all) => all.join("")),
    fc.integer().map(String),
    fc.double().map(String),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.nat(2e12), (headers, now) => {
      const found = retryHint(429, headers, now);
      if (!found) return;
      expect(Number.isInteger(found.ms)).toBe(true);
      expect(found.ms).toBeGreaterThan(0);
      expect(found.ms).toBeLessThanOrEqual(31 * DAY);
      expect(Object.keys(headers)).toContain(found.source);
    }),
  );
});
