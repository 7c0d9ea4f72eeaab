/**
 * Files for people, made a moment later: a dozen calls of the system for each thread, and nobody's next step waits for
 * them. A thread that changes again meanwhile is written once, as it is then; between two threads others get their turn.
 * Lines of a transcript come with the next turn of the loop: tools and requests that follow from them are under way first.
 */
import type { Event } from "../core/event.ts";
import type { Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";

export interface LaterExports extends Exports {
  /** What is still to be made is made now. */
  flush(): void;
}

/** Who waits for a thread that changed goes on first, and a thread that changes twice in a moment is written once. */
const MOMENT_MS = 20;
const inAMoment = (act: () => void): void => void setTimeout(act, MOMENT_MS);

export function laterExports(exports: Exports, later = inAMoment): LaterExports {
  const waiting = new Map<string, Thread>();
  /** Events that are not in their transcripts yet, by thread. */
  const lines = new Map<string, Event[]>();
  let isScheduled = false;
  const appendOne = (threadId: string) => {
    const events = lines.get(threadId);
    lines.delete(threadId);
    if (events) exports.append(events);
  };
  const appendAll = () => {
    for (const threadId of [...lines.keys()]) appendOne(threadId);
  };
  const make = (threadId: string | undefined) => {
    const thread = threadId === undefined ? undefined : waiting.get(threadId);
    if (!thread) return;
    waiting.delete(thread.id);
    appendOne(thread.id);
    exports.remake(thread);
  };
  const makeOne = () => {
    make(waiting.keys().next().value);
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(makeOne);
  };
  return {
    append: (events) => {
      const [first] = events;
      if (!first) return;
      if (lines.size === 0) setImmediate(appendAll);
      const before = lines.get(first.thread_id);
      if (before) before.push(...events);
      else lines.set(first.thread_id, [...events]);
    },
    remake: (thread) => {
      waiting.set(thread.id, thread);
      if (isScheduled) return;
      isScheduled = true;
      later(makeOne);
    },
    isBehind: (threadId) => {
      appendOne(threadId);
      return exports.isBehind(threadId);
    },
    reconcile: (threadId, events) => {
      appendOne(threadId);
      make(threadId);
      return exports.reconcile(threadId, events);
    },
    flush: () => {
      appendAll();
      for (const threadId of [...waiting.keys()]) make(threadId);
    },
  };
}
