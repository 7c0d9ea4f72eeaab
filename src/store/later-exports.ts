/**
 * Files for people, made a moment later: a dozen calls of the system for each thread, and nobody's next step waits for
 * them. A thread that changes again meanwhile is written once, as it is then, and its new lines at once; between two
 * threads others get their turn.
 */
import type { Event } from "../core/event.ts";
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

/** Lines that wait are in memory: not more of one thread than this. */
const MOST_LINES = 64;

interface Waiting {
  /** Lines of its transcript, in their order. */
  readonly lines: Event[];
  /** As it is now, where the other files are to be made anew. */
  thread?: Thread;
}

export function laterExports(exports: Exports, later = inAMoment): LaterExports {
  const waiting = new Map<string, Waiting>();
  let isScheduled = false;
  const append = (found: Waiting | undefined) => {
    if (found && found.lines.length > 0) exports.append(found.lines.splice(0));
  };
  const make = (threadId: string) => {
    const found = waiting.get(threadId);
    if (!found) return;
    waiting.delete(threadId);
    append(found);
    if (found.thread) exports.remake(found.thread);
  };
  const makeOne = () => {
    const [first] = waiting.keys();
    if (first !== undefined) make(first);
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(makeOne);
  };
  const waitingOf = (threadId: string): Waiting => {
    const found = waiting.get(threadId) ?? { lines: [] };
    waiting.set(threadId, found);
    if (!isScheduled) later(makeOne);
    isScheduled = true;
    return found;
  };
  return {
    append: (events) => {
      const [first] = events;
      if (!first) return;
      const found = waitingOf(first.thread_id);
      found.lines.push(...events);
      if (found.lines.length >= MOST_LINES) append(found);
    },
    // It stands still or is another's from now on: its lines wait for nothing but what follows from them in this turn.
    remake: (thread) => {
      const found = waitingOf(thread.id);
      found.thread = thread;
      if (found.lines.length > 0) setImmediate(append, found);
    },
    isBehind: (threadId) => {
      append(waiting.get(threadId));
      return exports.isBehind(threadId);
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
