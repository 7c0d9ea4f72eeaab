/**
 * The events of a thread, from any of them on: read where they are stored, then as they happen, each of them once and in
 * order. A thread that goes on in another is followed there.
 */
import type { Event, LiveEvent } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import { ENDS } from "../../core/status.ts";
import type { Store } from "../../core/store.ts";
import type { Feed } from "./feed.ts";
import { Mailbox } from "./mailbox.ts";

export interface EventsAsk {
  /** The first one that is wanted; 1 is the very first. */
  readonly from?: number | undefined;
  /** Ends the reading, and nothing else. */
  readonly signal?: AbortSignal | undefined;
}

interface Needs {
  readonly store: Store;
  readonly feed: Feed;
}

/** Ends with the last event of its chain; leaving it before has no effect on the thread. */
export async function* eventsOf(
  { store, feed }: Needs,
  firstId: string,
  { from = 1, signal }: EventsAsk,
): AsyncGenerator<Event | LiveEvent, void, undefined> {
  const reader = new Reader(feed, firstId, from - 1);
  const cut = () => reader.box.end();
  signal?.addEventListener("abort", cut);
  try {
    await feed.ready();
    for (;;) {
      const items = reader.isBehind && !reader.box.isOver ? [] : await reader.box.take();
      if (!items || signal?.aborted) return;
      for (const item of items) {
        const told = reader.live(item);
        if (told) yield told;
        if (signal?.aborted || (told && isEnd(told))) return;
      }
      if (!reader.isBehind) continue;
      const stored = await reader.load(store);
      for (const event of stored.events) {
        if (signal?.aborted) return;
        yield event;
      }
      if (stored.isLast) return;
    }
  } finally {
    signal?.removeEventListener("abort", cut);
    reader.stop();
  }
}

export function requireFrom(from: number | undefined): void {
  if (from === undefined || (Number.isSafeInteger(from) && from >= 1)) return;
  throw new Problem("E_USAGE", {
    what: `events() cannot begin at ${from}.`,
    why: "`from` is the `seq` of an event: 1 is the first.",
  });
}

function isEnd(event: Event | LiveEvent): boolean {
  return ENDS.includes(event.type);
}

class Reader {
  readonly box = new Mailbox<Event | LiveEvent>();
  readonly #feed: Feed;
  threadId: string;
  stop: () => void;
  /** What comes next is where it is stored. */
  #isLost = true;
  #last: number;

  constructor(feed: Feed, threadId: string, last: number) {
    this.#feed = feed;
    this.threadId = threadId;
    this.#last = last;
    this.stop = this.#listen();
  }

  get isBehind(): boolean {
    return this.#isLost || this.box.isBehind;
  }

  /** What was heard: the event, if it is the next one. One that comes too early has those before it looked up. */
  live(event: Event | LiveEvent): Event | LiveEvent | undefined {
    if (event.thread_id !== this.threadId || this.#isLost) return undefined;
    if (!("seq" in event)) return event;
    if (event.seq <= this.#last) return undefined;
    this.#isLost = event.seq > this.#last + 1;
    if (this.#isLost) return undefined;
    this.#last = event.seq;
    this.#follow(event);
    return event;
  }

  /** What is stored and was not told, in order: there is nothing else, so no gap is looked for. */
  async load(store: Store): Promise<{ readonly events: readonly Event[]; readonly isLast: boolean }> {
    this.#isLost = false;
    this.box.isBehind = false;
    const { events } = await this.#loaded(store);
    const fresh = events.filter(({ seq }) => seq > this.#last);
    const last = events.at(-1);
    this.#last = Math.max(this.#last, last?.seq ?? 0);
    if (last) this.#follow(last);
    // One that has ended may have gone on: then its end is not the last that is stored of it.
    return { events: fresh, isLast: last !== undefined && isEnd(last) };
  }

  async #loaded(store: Store): Promise<{ readonly events: readonly Event[] }> {
    try {
      return await store.load(this.threadId);
    } catch (error) {
      // Closed meanwhile: that says everything.
      if (this.box.isOver) return { events: [] };
      throw error;
    }
  }

  #follow(event: Event): void {
    if (event.type !== "thread_continued") return;
    this.stop();
    this.threadId = event.to;
    this.#last = 0;
    this.#isLost = true;
    this.stop = this.#listen();
  }

  #listen(): () => void {
    const put = (event: Event) => this.box.put(event);
    const offer = (event: LiveEvent) => this.box.offer(event);
    const over = (error?: unknown) => this.box.end(error);
    return this.#feed.listen({ event: put, live: offer, over }, { thread: this.threadId });
  }
}
