/**
 * A lasting thread that stopped over a failure, and what was said before it did (SPEC §18, "queue goes on").
 *   F1. The message that failed is told of, and the next one is read: without anybody's word, in the write of the stop where that can be.
 *   F2. Each of them lets it go on once, for it waits no more from then on: when the last has failed too, the thread stands still.
 *   F3. What failed stays in the conversation, as it does when somebody says something after the stop.
 */
import type { NewEvent } from "./event.ts";
import type { FollowUp } from "./spoken.ts";
import type { Thread } from "./thread.ts";

/** Who lets it go on: nobody but what waits for it. */
export const BY_FOLLOW_UP = "follow-up";

/** What is said to such a thread next is another try (SPEC §18). Whoever is being stopped waits for nobody's words. */
export function stoppedByFailure({ lasting, status, suspendReason, stopping }: Thread): boolean {
  return lasting && status === "suspended" && suspendReason === "error" && !stopping;
}

/** What it goes on with by itself; undefined: it waits for people. */
export function nextAfterFailure(thread: Thread): FollowUp | undefined {
  return stoppedByFailure(thread) ? thread.followUps[0] : undefined;
}

/**
 * The same run: nobody asked for it. A turn whose request failed is left without an answer, so that limits and hooks stand before
 * the next message too, and it has tries of its own. What was acted on goes on, and is told about what was said.
 */
export function pastFailure(thread: Thread, workedMs: number): NewEvent[] {
  if (!stoppedByFailure(thread)) return [];
  const { run, nonce, step } = thread;
  const goesOn: NewEvent = { type: "thread_resumed", by: BY_FOLLOW_UP, run, nonce };
  const isOver = step !== undefined && !step.answer && step.blocks.length === 0 && !step.hold;
  return isOver ? [goesOn, { type: "step_finish", turn: step.turn, duration_ms: workedMs }] : [goesOn];
}
