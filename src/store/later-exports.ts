/**
 * Files for people, made a moment later: a dozen calls of the system for each thread, and nobody's next step waits for
 * them. A thread that changes again meanwhile is written once, as it is then; between two threads others get their turn.
 */
import type { Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";

export interface LaterExports extends Exports {
  /** What is still to be made is made now. */
  flush(): void;
}

/**
 * Who waits for a thread that changed goes on first, the first request of a start too, and a thread that changes twice in
 * a moment is written once.
 */
const MOMENT_MS = 50;
const inAMoment = (act: () => void): void => void setTimeout(act, MOMENT_MS);

export function laterExports(exports: Exports, later = inAMoment): LaterExports {
  const waiting = new Map<string, Thread>();
  let isScheduled = false;
  const make = (threadId: string | undefined) => {
    const thread = threadId === undefined ? undefined : waiting.get(threadId);
    if (!thread) return;
    waiting.delete(thread.id);
    exports.remake(thread);
  };
  const makeOne = () => {
    make(waiting.keys().next().value);
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(makeOne);
  };
  return {
    append: (events) => exports.append(events),
    remake: (thread) => {
      waiting.set(thread.id, thread);
      if (isScheduled) return;
      isScheduled = true;
      later(makeOne);
    },
    isBehind: (threadId) => exports.isBehind(threadId),
    reconcile: (threadId, events) => {
      make(threadId);
      return exports.reconcile(threadId, events);
    },
    flush: () => {
      for (const threadId of [...waiting.keys()]) make(threadId);
    },
  };
}
