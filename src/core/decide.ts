/**
 * What a thread does next. `nextAction` looks at the fold alone; `glide` adds every following fact that needs no
 * effect, so that one commit holds all of them; `decideFailure` says what a failed request leads to.
 */
import type { Event, NewEvent } from "./event.ts";
import { classify, type Failure } from "./failure.ts";
import { append, emptyLog, last } from "./log.ts";
import { type Message, textOf } from "./message.ts";
import { type RetryPolicy, retryDelay } from "./retry.ts";
import { reduce, type Step, type Thread } from "./thread.ts";

export type Action =
  | { readonly type: "rest" }
  | { readonly type: "open_step"; readonly turn: number }
  | { readonly type: "wait_retry" }
  | { readonly type: "ask" }
  | { readonly type: "close_answer" }
  | { readonly type: "run_calls" }
  | { readonly type: "finish_step"; readonly turn: number }
  | { readonly type: "complete"; readonly text: string };

export interface Moment {
  readonly now: number;
  /** The thread was woken because its timer fired; the wall clock may say otherwise after a jump. */
  readonly timerFired?: boolean;
}

export function nextAction(thread: Thread, moment: Moment): Action {
  if (thread.status !== "running") return { type: "rest" };
  const { step } = thread;
  if (!step) return thread.wantsMore ? { type: "open_step", turn: thread.turns + 1 } : complete(thread);
  if (!step.answer) return unanswered(step, moment);
  if (step.calls.some((call) => !call.result)) return { type: "run_calls" };
  return { type: "finish_step", turn: step.turn };
}

/** A journaled call means that part of an answer was acted on: that answer stands and is never sampled again (T3). */
function unanswered(step: Step, moment: Moment): Action {
  if (step.blocks.length > 0) return { type: "close_answer" };
  const early = step.retry && !moment.timerFired && Date.parse(step.retry.wakeAt) > moment.now;
  return early ? { type: "wait_retry" } : { type: "ask" };
}

function complete(thread: Thread): Action {
  const answer = last(thread.messages);
  return { type: "complete", text: answer?.role === "assistant" ? textOf(answer.blocks) : "" };
}

export interface Glide {
  readonly events: readonly NewEvent[];
  readonly tail: readonly NewEvent[];
  readonly park: boolean;
}

/** Follows `events` with all facts that need nothing from outside. */
export function glide(thread: Thread, events: readonly NewEvent[], moment: Moment): Glide {
  const ts = new Date(moment.now).toISOString();
  const glided = [...events];
  let fold = events.reduce((before, event) => ahead(before, event, ts), light(thread));
  for (;;) {
    const action = nextAction(fold, moment);
    if (action.type === "open_step") {
      return { events: glided, tail: [{ type: "step_start", turn: action.turn }], park: false };
    }
    const fact = effectless(action, fold, moment);
    if (!fact) return { events: glided, tail: [], park: action.type === "wait_retry" };
    glided.push(fact);
    fold = ahead(fold, fact, ts);
  }
}

/**
 * The thread with its last message only. What is tried ahead must not grow the conversation that the real events
 * will grow: the second of two appends to one log copies all of it.
 */
export function light(thread: Thread): Thread {
  const latest = last(thread.messages);
  return { ...thread, messages: latest ? append<Message>(emptyLog, latest) : emptyLog };
}

/** The fold as it will be once `event` is recorded. */
export function ahead(thread: Thread, event: NewEvent, ts: string): Thread {
  return reduce(thread, { v: 1, seq: thread.seq + 1, ts, thread_id: thread.id, ...event } as Event);
}

function effectless(action: Action, thread: Thread, moment: Moment): NewEvent | undefined {
  if (action.type === "finish_step") {
    const started = thread.step ? Date.parse(thread.step.startedAt) : moment.now;
    return { type: "step_finish", turn: action.turn, duration_ms: Math.max(0, moment.now - started) };
  }
  if (action.type === "complete") return { type: "thread_completed", text: action.text };
  return undefined;
}

/** What a failed request leads to: a durable wait and another try, a suspension, or the end. */
export function decideFailure(
  thread: Thread,
  failure: Failure,
  policy: RetryPolicy,
  now: number,
): NewEvent[] {
  const step = thread.step;
  const attempt = step?.attempt ?? 1;
  const { category, rule } = classify(failure);
  const classified: NewEvent = {
    type: "error_classified",
    turn: step?.turn ?? thread.turns + 1,
    attempt,
    category,
    rule,
    error: failure.message,
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(failure.retryAfterMs === undefined ? {} : { retry_after_ms: failure.retryAfterMs }),
  };
  const chainEnds: NewEvent[] = step?.retry
    ? [{ type: "auto_retry_end", success: false, attempt: step.retry.attempt, finalError: failure.message }]
    : [];
  if (category === "permanent") {
    return [
      classified,
      ...chainEnds,
      { type: "thread_failed", code: "E_MODEL_FAILED", message: failure.message },
    ];
  }
  if (attempt > policy.maxRetries) return [classified, ...chainEnds, exhausted(thread, failure, attempt)];
  const delayMs = retryDelay(attempt, { category, failure }, policy);
  const wakeAt = new Date(now + delayMs).toISOString();
  const maxAttempts = policy.maxRetries;
  return [
    classified,
    { type: "auto_retry_start", attempt, maxAttempts, delayMs, errorMessage: failure.message, wakeAt },
  ];
}

function exhausted(thread: Thread, failure: Failure, attempts: number): NewEvent {
  return {
    type: "thread_suspended",
    reason: "error",
    message: `Gave up after ${attempts} ${attempts === 1 ? "request" : "requests"}: ${failure.message}`,
    waits_for: byPerson("the model to be reachable again", thread.id),
  };
}

/** Who may release a suspended thread, and how. */
export function byPerson(what: string, threadId: string): NewEvent<"thread_suspended">["waits_for"] {
  return { kind: "person", what, who: "anyone who may run selvage here", how: `selvage recover ${threadId}` };
}

/** Facts that belong to an answer after failures: the chain of retries ends well. */
export function afterRetries(step: Step): NewEvent[] {
  const answered: NewEvent[] =
    step.attempt > 1
      ? [
          {
            type: "retry_succeeded",
            turn: step.turn,
            attempt: step.attempt,
            previous_error: step.lastError ?? "",
          },
        ]
      : [];
  if (!step.retry) return answered;
  return [...answered, { type: "auto_retry_end", success: true, attempt: step.retry.attempt }];
}
