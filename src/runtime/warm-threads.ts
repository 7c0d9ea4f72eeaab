/**
 * Threads that this process parked a moment ago, as it folded them: who takes one up again need not read it. They are
 * never believed over the store: only when nobody has held the thread since, and nothing was written to it.
 */
import type { Lease } from "../core/commit.ts";
import type { ThreadRow } from "../core/row.ts";
import type { Thread } from "../core/thread.ts";

type Line = Pick<ThreadRow, "thread_id" | "epoch" | "seq">;

interface Warm {
  readonly thread: Thread;
  readonly epoch: number;
}

/** What stands still must cost next to nothing, however many there are: a few megabytes at most. */
const MOST_THREADS = 64;
const MOST_EVENTS = 10_000;

export class WarmThreads {
  readonly #kept = new Map<string, Warm>();
  #events = 0;

  keep(thread: Thread, { epoch }: Pick<Lease, "epoch">): void {
    this.#drop(thread.id);
    this.#kept.set(thread.id, { thread, epoch });
    this.#events += thread.seq;
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MOST_THREADS && this.#events <= MOST_EVENTS) return;
      this.#drop(id);
    }
  }

  /** As it is now, or undefined: then it is read. */
  take(row: Line): Thread | undefined {
    const found = this.find(row);
    this.#drop(row.thread_id);
    return found;
  }

  find({ thread_id, epoch, seq }: Line): Thread | undefined {
    const found = this.#kept.get(thread_id);
    return found?.epoch === epoch && found.thread.seq === seq ? found.thread : undefined;
  }

  #drop(threadId: string): void {
    const found = this.#kept.get(threadId);
    this.#kept.delete(threadId);
    this.#events -= found?.thread.seq ?? 0;
  }
}
