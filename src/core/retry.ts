/** How long to wait before asking again, and what a failed request leads to (E3–E9). */

import { tokensOf } from "./context.ts";
import type { NewEvent } from "./event.ts";
import type { Classified, Failure } from "./failure.ts";
import type { HookAction } from "./hook.ts";
import type { Limits } from "./limit.ts";
import type { Usage } from "./message.ts";
import { type AskingNeeds, type Question, suspend } from "./question.ts";
import { failureSentence } from "./sentence.ts";
import type { Settings } from "./settings.ts";
import { tryOf } from "./step.ts";
import type { Step, Target, Thread } from "./thread.ts";

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly fixedMs: number;
  readonly rateLimitedMs: number;
  readonly quotaMs: number;
  readonly maxWaitMs: number;
}

/**
 * What a directive says (`limits.retry_max`, `limits.backoff_base` in seconds) wins over all settings (E4). Whether
 * there are retries at all is for the session to say, where it has said so.
 */
export function retryPolicy(
  settings: Settings["retry"],
  limits: Limits,
  enabled: boolean = settings.enabled,
): RetryPolicy {
  const { retry_max, backoff_base } = limits;
  const retries = typeof retry_max === "number" ? retry_max : settings.max_retries;
  return {
    maxRetries: enabled ? retries : 0,
    baseDelayMs: typeof backoff_base === "number" ? backoff_base * 1_000 : settings.base_delay_ms,
    maxDelayMs: settings.max_delay_ms,
    fixedMs: settings.fixed_ms,
    rateLimitedMs: settings.rate_limited_ms,
    quotaMs: settings.quota_ms,
    maxWaitMs: settings.max_wait_ms,
  };
}

/** 2, 4, 8 … seconds by default, never above the cap. `attempt` counts retries from 1. */
export function backoff(attempt: number, policy: RetryPolicy): number {
  const doubled = policy.baseDelayMs * 2 ** Math.min(attempt - 1, 40);
  return Math.min(doubled, policy.maxDelayMs);
}

/** A provider's own hint wins; the rule's policy decides where it gave none. */
export function retryDelay(
  attempt: number,
  failed: { readonly classified: Classified; readonly failure: Failure },
  policy: RetryPolicy,
): number {
  const hint = failed.failure.retryAfterMs;
  if (hint !== undefined && hint > 0) return hint;
  switch (failed.classified.policy) {
    case "rate_limited":
      return policy.rateLimitedMs;
    case "quota":
      return policy.quotaMs;
    case "fixed":
      return policy.fixedMs;
    default:
      return backoff(attempt, policy);
  }
}

export interface FailureNeeds extends AskingNeeds {
  readonly policy: RetryPolicy;
  /** Where requests may go, the thread's own model and first key at the head (E9). */
  readonly targets: readonly Target[];
}

export interface Failed {
  readonly failure: Failure;
  readonly classified: Classified;
  readonly usage?: Usage | undefined;
  readonly bill?: NewEvent<"error_classified">["bill"];
  /** What a hook on the error said, if one did. */
  readonly action?: HookAction | undefined;
  /** Why, in its words. */
  readonly why?: string | undefined;
}

/** A durable wait and another try, another key or model, a suspension, or the end. A hook decides first (L2). */
export function decideFailure(thread: Thread, failed: Failed, needs: FailureNeeds): NewEvent[] {
  const { failure, classified } = failed;
  const said = [classification(thread, failed, needs)];
  const chain = thread.step?.retry;
  const chainEnds: NewEvent[] = chain
    ? [{ type: "auto_retry_end", success: false, attempt: chain.attempt, finalError: failure.message }]
    : [];
  const next = verdict(thread, failed, needs);
  switch (next.type) {
    case "retry":
      return [...said, retryStart(thread, failure, needs, next)];
    case "shorten":
      return [...said, ...chainEnds, tooLong(thread)];
    case "suspend":
      return [...said, ...chainEnds, ...suspend(thread, next.question, needs)];
    case "fail": {
      const message = next.message ?? failureSentence(failure, classified);
      // People talk to one that lasts: what they say next is another try.
      const question = { reason: "error" as const, message, what: "what is wrong to be put right" };
      if (thread.lasting) return [...said, ...chainEnds, ...suspend(thread, question, needs)];
      return [...said, ...chainEnds, { type: "thread_failed", code: next.code, message }];
    }
  }
}

function tooLong(thread: Thread): NewEvent {
  const tokens = tokensOf(thread);
  return { type: "context_compaction_start", why: "overflow", tokens, window: tokens };
}

type Verdict =
  | { readonly type: "retry"; readonly delayMs: number; readonly target?: Target | undefined }
  | { readonly type: "suspend"; readonly question: Question }
  /** Never sent again as it is: it is made shorter, once (E6). */
  | { readonly type: "shorten" }
  | { readonly type: "fail"; readonly code: string; readonly message?: string };

function verdict(thread: Thread, failed: Failed, needs: FailureNeeds): Verdict {
  const { action, classified } = failed;
  const because = failed.why === undefined ? "" : `: ${failed.why}`;
  if (action === "fail") return { type: "fail", code: "E_HOOK", message: `Failed by hook${because}` };
  if (action === "abort") return { type: "fail", code: "E_HOOK", message: `Aborted by hook${because}` };
  if (action === "suspend" || action === "escalate") return askedByHook(failed);
  switch (classified.category) {
    case "transient":
    case "rate_limited":
    case "quota":
      return tryAgain(thread, failed, needs);
    case "context_overflow":
      if (!thread.overflowed && thread.turns > 0) return { type: "shorten" };
      return suspended("error", failed, "a shorter conversation or a model with a larger window");
    default:
      // A hook may know better than "unknown"; what is known to be final stays so.
      if (action === "retry" && classified.rule === "unknown") return tryAgain(thread, failed, needs);
      return { type: "fail", code: classified.rule.startsWith("auth") ? "E_AUTH" : "E_MODEL_FAILED" };
  }
}

function tryAgain(thread: Thread, failed: Failed, needs: FailureNeeds): Verdict {
  const { failure, classified } = failed;
  const { policy, now } = needs;
  const step = thread.step;
  const attempt = step ? tryOf(step) : 1;
  const usedUp = classified.category === "quota" || classified.category === "rate_limited";
  const target = usedUp ? nextTarget(thread, needs.targets) : undefined;
  const delayMs = retryDelay(attempt, failed, policy);
  const isLong = delayMs > policy.maxWaitMs;
  if (attempt <= policy.maxRetries) {
    // The first time round every key and model is tried at once; from then on the waits are kept.
    if (target && (step?.switches ?? 0) < needs.targets.length - 1)
      return { type: "retry", delayMs: 0, target };
    const waitedBefore = classified.category === "quota" && step?.lastCategory === "quota" && !target;
    if (!isLong && !waitedBefore) return { type: "retry", delayMs, target };
    if (isLong) return untilReset(failed, new Date(now + delayMs).toISOString());
  }
  const hinted = failure.retryAfterMs !== undefined && failure.retryAfterMs > 0;
  if (classified.category !== "quota") return gaveUp(attempt, failed);
  const resetAt = hinted && !isLong ? new Date(now + delayMs).toISOString() : undefined;
  return attempt <= policy.maxRetries && resetAt !== undefined
    ? untilReset(failed, resetAt)
    : suspended("quota", failed, "the provider's quota to be there again");
}

/** The next key or model after the one in use; undefined when there is only one. */
function nextTarget(thread: Thread, targets: readonly Target[]): Target | undefined {
  if (targets.length < 2) return undefined;
  const used = thread.target ?? { model: thread.model, key: 0 };
  const at = targets.findIndex(({ model, key }) => model === used.model && key === used.key);
  return targets[(at + 1) % targets.length];
}

function retryStart(
  thread: Thread,
  failure: Failure,
  { policy, now }: FailureNeeds,
  { delayMs, target }: Verdict & { type: "retry" },
): NewEvent {
  return {
    type: "auto_retry_start",
    attempt: thread.step ? tryOf(thread.step) : 1,
    maxAttempts: policy.maxRetries,
    delayMs,
    errorMessage: failure.message,
    wakeAt: new Date(now + delayMs).toISOString(),
    ...(target ? { target } : {}),
  };
}

export function classification(
  thread: Thread,
  failed: Failed,
  needs: Pick<FailureNeeds, "targets">,
): NewEvent<"error_classified"> {
  const { failure, classified, usage, bill } = failed;
  const { status, retryAfterMs, requestId } = failure;
  return {
    type: "error_classified",
    turn: thread.step?.turn ?? thread.turns + 1,
    attempt: thread.step?.attempt ?? 1,
    category: classified.category,
    rule: classified.rule,
    error: failure.message,
    model: thread.target?.model ?? needs.targets[0]?.model ?? thread.model,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(usage ? { usage } : {}),
    ...(bill ? { bill } : {}),
    cause: causeOf(failure),
  };
}

/** What the rules looked at: with it, what they made of the failure can be told again (X5). */
function causeOf({ kind, type, typeFamily, protocol }: Failure): NewEvent<"error_classified">["cause"] {
  return {
    kind,
    ...(type === undefined ? {} : { type }),
    ...(typeFamily === undefined ? {} : { type_family: typeFamily }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

function askedByHook({ failure, classified, why }: Failed): Verdict {
  const said = failureSentence(failure, classified);
  const message = why === undefined ? `A hook asks before it goes on: ${said}` : `${why} (${said})`;
  return {
    type: "suspend",
    question: { reason: "approval", message, what: "a yes or no, as a hook wants it" },
  };
}

function gaveUp(attempts: number, failed: Failed): Verdict {
  const said = failureSentence(failed.failure, failed.classified);
  const message = `Gave up after ${attempts} ${attempts === 1 ? "request" : "requests"}: ${said}`;
  const question = { reason: "error" as const, message, what: "the model to be reachable again" };
  return { type: "suspend", question: { ...question, prompt: `${message}\n\nApprove to ask again?` } };
}

function untilReset(failed: Failed, resumesAt: string): Verdict {
  const said = failureSentence(failed.failure, failed.classified);
  const message = `The provider asks to wait until ${resumesAt}: ${said}`;
  const prompt = `${message}\n\nIt goes on by itself then. Approve to ask again now?`;
  return {
    type: "suspend",
    question: { reason: "quota", message, prompt, what: "the provider's reset", resumesAt },
  };
}

function suspended(reason: "error" | "quota", failed: Failed, what: string): Verdict {
  const message = failureSentence(failed.failure, failed.classified);
  return {
    type: "suspend",
    question: { reason, message, prompt: `${message}\n\nApprove to ask again?`, what },
  };
}

/** Facts that belong to an answer after failures: the chain of retries ends well. */
export function afterRetries(step: Step): NewEvent[] {
  const { turn, lastError: previous_error = "", retry } = step;
  const attempt = tryOf(step);
  const answered: NewEvent[] =
    attempt > 1 ? [{ type: "retry_succeeded", turn, attempt, previous_error }] : [];
  if (!retry) return answered;
  return [...answered, { type: "auto_retry_end", success: true, attempt: retry.attempt }];
}

/** A person, or the end of the thread, ends the chain of retries: that comes first (E5). */
export function retryCancelled({ step }: Pick<Thread, "step">): NewEvent[] {
  const chain = step?.retry;
  if (!chain) return [];
  return [{ type: "auto_retry_end", success: false, attempt: chain.attempt, finalError: "Retry cancelled" }];
}
