/** No thread ends before everyone below it has (T7). */
import { partialResult } from "./answer.ts";
import type { Stop } from "./cascade.ts";
import { ahead } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { livingChildren } from "./family.ts";
import { light } from "./last-said.ts";
import type { Thread } from "./thread.ts";

type End = NewEvent<"thread_failed" | "thread_cancelled">;

export interface Ending {
  readonly events: readonly NewEvent[];
  readonly stops?: readonly Stop[];
}

/**
 * These facts, with an end among them put off until nobody below lives: children are told to stop, and how the thread
 * ends is written down. Undefined where nothing ends.
 */
export function afterChildren(thread: Thread, events: readonly NewEvent[], ts: string): Ending | undefined {
  const at = events.findIndex(({ type }) => type === "thread_failed" || type === "thread_cancelled");
  const found = events[at] as End | undefined;
  if (!found) return undefined;
  const before = events.slice(0, at);
  const end = withPartialText(thread, found);
  const living = livingChildren(before.reduce((fold, event) => ahead(fold, event, ts), light(thread)));
  if (living.length === 0) return { events: [...before, end, ...events.slice(at + 1)] };
  const reason = end.type === "thread_failed" ? "parent_failed" : end.reason;
  // Whoever waits for tools here waits for those below as well.
  const isPatient = before.some((event) => event.type === "cancel_requested" && event.after_tool);
  const how = { reason, by: thread.id, ...(isPatient ? { afterTool: true as const } : {}) };
  return {
    events: [...before, { type: "thread_stopping", end }],
    stops: living.map(({ id }) => ({ thread_id: id, ...how })),
  };
}

/** What a child had said by then goes to its parent with its end. */
function withPartialText(thread: Thread, end: End): End {
  if (thread.parentId === null || end.text !== undefined) return end;
  const text = partialResult(thread);
  return text === undefined ? end : { ...end, text };
}
