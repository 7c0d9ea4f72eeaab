/** Which threads that are hosted here wait for another try, and until when. */
import type { Event } from "../../core/event.ts";

interface Wait {
  readonly attempt: number;
  readonly max: number;
  readonly until: number;
}

export class RetryWaits {
  readonly #waits = new Map<string, Wait>();

  /** Whatever happens in a thread ends its wait, but for a new one. */
  note(event: Event): void {
    if (event.type !== "auto_retry_start") return void this.#waits.delete(event.thread_id);
    const { attempt, maxAttempts: max, wakeAt, thread_id } = event;
    this.#waits.set(thread_id, { attempt, max, until: Date.parse(wakeAt) });
  }

  /** Threads that still wait. Once its time has come a thread asks, and there is nothing left to stop. */
  waiting(now: number): readonly string[] {
    for (const [threadId, { until }] of this.#waits) if (until <= now) this.#waits.delete(threadId);
    return [...this.#waits.keys()];
  }

  /** `Retrying (2/3) in 4s…` */
  label(now: number): string | undefined {
    const [first] = this.waiting(now);
    return first === undefined ? undefined : this.labelOf(first, now);
  }

  /** The same, of one thread. */
  labelOf(threadId: string, now: number): string | undefined {
    const wait = this.#waits.get(threadId);
    if (!wait || wait.until <= now) return undefined;
    return `Retrying (${wait.attempt}/${wait.max}) in ${Math.ceil((wait.until - now) / 1000)}s…`;
  }
}
