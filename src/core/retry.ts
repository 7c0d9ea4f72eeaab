/** How long to wait before asking again. */
import type { Category, Failure } from "./failure.ts";

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly rateLimitedMs: number;
}

/** 2, 4, 8 … seconds by default, never above the cap. `attempt` counts retries from 1. */
export function backoff(attempt: number, policy: RetryPolicy): number {
  const doubled = policy.baseDelayMs * 2 ** Math.min(attempt - 1, 40);
  return Math.min(doubled, policy.maxDelayMs);
}

/** A provider's own hint wins, up to the cap; a rate limit without a hint has its own wait. */
export function retryDelay(
  attempt: number,
  failed: { category: Category; failure: Failure },
  policy: RetryPolicy,
): number {
  const hint = failed.failure.retryAfterMs;
  if (hint !== undefined && hint >= 0) return Math.min(hint, policy.maxDelayMs);
  if (failed.category === "rate_limited") return policy.rateLimitedMs;
  return backoff(attempt, policy);
}
