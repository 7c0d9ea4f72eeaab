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

export function laterExports(exports: Exports): LaterExports {
  const waiting = new Map<string, Thread>();
  let isScheduled = false;
  const schedule = () => {
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(makeOne);
  };
  const make = (threadId: string | undefined) => {
    const thread = threadId === undefined ? undefined : waiting.get(threadId);
    if (!thread) return;
    waiting.delete(thread.id);
    exports.remake(thread);
  };
  const makeOne = () => {
    make(waiting.keys().next().value);
    schedule();
  };
  return {
    append: (events) => exports.append(events),
    remake: (thread) => {
      waiting.set(thread.id, thread);
      if (!isScheduled) schedule();
    },
    reconcile: (threadId, events) => {
      make(threadId);
      return exports.reconcile(threadId, events);
    },
    flush: () => {
      for (const threadId of [...waiting.keys()]) make(threadId);
    },
  };
}
