/**
 * When a conversation is too full to go on as it is (X1, X2), from the fold and the size of the model's window.
 *   S1. Hooks are told when the pressure crosses the line upward; again only after it has been well below it since.
 *   S2. At the threshold it is made shorter: results that are long past go first, then the thread is handed on.
 *   S3. What did not make it shorter is not tried again before there is more of it.
 */
import { type Pressure, pressureOf } from "./context.ts";
import { livingChildren } from "./family.ts";
import type { Thread } from "./thread.ts";

/** Of the window. */
const TOLD_AT = 0.8;
const TOLD_AGAIN_BELOW = 0.7;
/** More than before it was last made shorter, before that is tried again. */
const WORTH_TRYING = 0.1;

/** The pressure that hooks are told of now; undefined when they are not (S1). */
export function newPressure(thread: Thread, window: number | undefined): Pressure | undefined {
  const pressure = pressureOf(thread, window);
  if (!pressure || pressure.ratio < TOLD_AT) return undefined;
  const { pressed, turns } = thread;
  if (!pressed) return pressure;
  const wasLow = pressed.lowest < TOLD_AGAIN_BELOW * pressure.window;
  return wasLow && turns > pressed.turn + 1 ? pressure : undefined;
}

/** Whether the thread has to be made shorter, or handed on, before it asks again (S2). */
export function isFull(thread: Thread, window: number | undefined, threshold: number): boolean {
  const pressure = pressureOf(thread, window);
  if (!pressure || pressure.ratio < threshold || !thread.measure) return false;
  // What it began with had to be carried: to hand it on before there is more of it would give the same again (S3).
  return pressure.tokens >= (thread.base ?? 0) + WORTH_TRYING * pressure.window;
}

/** Whether results may be left out where they stand, or have been so far that it frees nothing any more (S3). */
export function mayDropOutputs({ compacted }: Thread, { tokens, window }: Pressure): boolean {
  return compacted === undefined || tokens >= compacted.tokens + WORTH_TRYING * window;
}

/** What is freed must be worth breaking the conversation for. */
export function isWorthIt(freed: number, { window }: Pressure): boolean {
  return freed >= WORTH_TRYING * window;
}

/** A compaction that has begun waits for the thread that makes its notes, as long as somebody would wake it. */
export function waitsForNotes(thread: Thread): boolean {
  const { compaction, waitsFor } = thread;
  if (!compaction?.childId || !waitsFor) return false;
  return livingChildren(thread).some(({ id, status }) => id === compaction.childId && status !== "suspended");
}
