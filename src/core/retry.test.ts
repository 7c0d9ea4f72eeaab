import fc from "fast-check";
import { expect, test } from "vitest";
import { classify, type Failure } from "./failure.ts";
import { backoff, retryDelay } from "./retry.ts";
import { defaultSettings } from "./settings.ts";

const { retry } = defaultSettings;
const policy = {
  maxRetries: retry.max_retries,
  baseDelayMs: retry.base_delay_ms,
  maxDelayMs: retry.max_delay_ms,
  rateLimitedMs: retry.rate_limited_ms,
};

test("2, 4, 8 seconds by default", () => {
  expect([1, 2, 3].map((attempt) => backoff(attempt, policy))).toEqual([2_000, 4_000, 8_000]);
});

test("backoff never falls and never passes its cap", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), (attempt) => {
      const [now, next] = [backoff(attempt, policy), backoff(attempt + 1, policy)];
      expect(next).toBeGreaterThanOrEqual(now);
      expect(next).toBeLessThanOrEqual(policy.maxDelayMs);
    }),
  );
});

test.each([
  [{ kind: "http", message: "", status: 429, retryAfterMs: 1_500 }, 1_500],
  [{ kind: "http", message: "", status: 429 }, 30_000],
  [{ kind: "http", message: "", status: 503 }, 2_000],
  [{ kind: "http", message: "", status: 503, retryAfterMs: 2_592_000_000 }, 120_000],
  [{ kind: "http", message: "", status: 503, retryAfterMs: -5 }, 2_000],
] as const)("%j waits %i ms", (failure, expected) => {
  const { category } = classify(failure);
  expect(retryDelay(1, { category, failure }, policy)).toBe(expected);
});

test.each([
  [{ kind: "http", message: "", status: 429 }, "rate_limited", "status-429"],
  ...[408, 409, 425, 500, 501, 502, 503, 504, 529].map(
    (status) => [{ kind: "http", message: "", status }, "transient", "status-transient"] as const,
  ),
  [{ kind: "connection", message: "reset" }, "transient", "connection"],
  [{ kind: "stream_cut", message: "cut" }, "transient", "stream-cut"],
  [{ kind: "stalled", message: "silent" }, "transient", "stalled"],
  [{ kind: "http", message: "bad key", status: 401 }, "permanent", "unknown"],
  [{ kind: "script", message: "used up" }, "permanent", "unknown"],
  [{ kind: "misuse", message: "?" }, "permanent", "unknown"],
] as const)("%j is %s by %s", (failure, category, rule) => {
  expect(classify(failure as Failure)).toEqual({ category, rule });
});
