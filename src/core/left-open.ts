/** A failed request that hooks are asked about: written down as it came, and decided when they have answered (L2). */
import type { HookPoint } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { errorFacts } from "./facts.ts";
import type { UndecidedFailure } from "./failure.ts";
import { classification, decideFailure, type Failed, type FailureNeeds } from "./retry.ts";
import type { Thread } from "./thread.ts";

/** `thread`: as it was when the request failed. */
export function errorPoint(
  thread: Thread,
  { failure, classified }: Pick<UndecidedFailure, "failure" | "classified">,
): HookPoint {
  const key = `error:${thread.step?.turn}:${thread.step?.attempt}`;
  return { key, event: "error", facts: errorFacts(thread, failure, classified) };
}

/** The turn as it stood when a request failed that hooks were asked about since. */
export function asItFailed(thread: Thread): Thread {
  const { step } = thread;
  if (!step?.undecided) return thread;
  const { attempt, lastCategory } = step.undecided;
  const { lastCategory: _, ...rest } = step;
  return { ...thread, step: { ...rest, attempt, ...(lastCategory ? { lastCategory } : {}) } };
}

/** A failure that hooks are to be asked about is written down first: what follows comes when they have answered. */
export function leftOpen(thread: Thread, failed: Failed, needs: Pick<FailureNeeds, "targets">): NewEvent {
  const { headers: _, ...failure } = failed.failure;
  const { policy } = failed.classified;
  const undecided = { failure, ...(policy ? { policy } : {}) };
  return { ...classification(thread, failed, needs), undecided };
}

/** What follows a failure that was left open. */
export function decideLeftOpen(
  thread: Thread,
  said: Pick<Failed, "action" | "why">,
  needs: FailureNeeds,
): NewEvent[] {
  const undecided = thread.step?.undecided;
  if (!undecided) return [];
  const { failure, classified } = undecided;
  const [, ...events] = decideFailure(asItFailed(thread), { failure, classified, ...said }, needs);
  return events;
}
