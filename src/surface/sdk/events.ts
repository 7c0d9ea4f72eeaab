/**
 * The events of a thread, from any of them on: read where they are stored, then as they happen, each of them once and in
 * order. A thread that goes on in another is followed there.
 */
import type { Event, LiveEvent } from "../../core/event.ts";
import { ENDS } from "../../core/status.ts";
import type { Store } from "../../core/store.ts";
import type { Feed } from "./feed.ts";
import { Mailbox } from "./mailbox.ts";

export interface EventsAsk {
  /** The first one that is wanted; 1 is the very first. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

/** Ends with the thread's last event; leaving it before has no effect on the thread. */
export async function* eventsOf(
  { store, feed }: { readonly store: Store; readonly feed: Feed },
  firstId: string,
  { from = 1, signal }: EventsAsk,
): AsyncGenerator<Event | LiveEvent, void, undefined> {
  const reader = new Reader(firstId, from - 1);
  const stop = feed.listen(reader);
  const cut = () => reader.box.end();
  signal?.addEventListener("abort", cut);
  if (signal?.aborted) cut();
  try {
    reader.box.isBehind = true;
    for (let items = await reader.box.take(); items; items = await reader.box.take()) {
      for (const item of items) {
        const told = reader.next(item);
        if (told) yield told;
        if (told && isLast(reader, told)) return;
      }
      while (reader.box.isBehind) {
        reader.box.isBehind = false;
        for (const event of (await store.load(reader.threadId)).events) {
          if (signal?.aborted) return;
          const told = reader.next(event);
          if (told) yield told;
          if (told && isLast(reader, told)) return;
        }
      }
    }
  } finally {
    signal?.removeEventListener("abort", cut);
    stop();
  }
}

/** Of its chain, as far as it has come. */
function isLast(reader: Reader, event: Event | LiveEvent): boolean {
  if (event.type === "thread_continued") reader.follow(event.to);
  return ENDS.includes(event.type);
}

class Reader {
  readonly box = new Mailbox<Event | LiveEvent>();
  threadId: string;
  #last: number;

  constructor(threadId: string, last: number) {
    this.threadId = threadId;
    this.#last = last;
  }

  event(event: Event): void {
    if (event.thread_id === this.threadId) this.box.put(event);
  }

  live(event: LiveEvent): void {
    if (event.thread_id === this.threadId) this.box.offer(event);
  }

  over(error?: unknown): void {
    this.box.end(error);
  }

  follow(threadId: string): void {
    this.threadId = threadId;
    this.#last = 0;
    this.box.isBehind = true;
  }

  /** The event, if it is the next one; one that comes too early has the ones before it looked up. */
  next(event: Event | LiveEvent): Event | LiveEvent | undefined {
    if (event.thread_id !== this.threadId) return undefined;
    if (!("seq" in event)) return event;
    if (event.seq <= this.#last) return undefined;
    if (event.seq > this.#last + 1) {
      this.box.isBehind = true;
      return undefined;
    }
    this.#last = event.seq;
    return event;
  }
}
