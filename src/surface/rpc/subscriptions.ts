/**
 * Events as they stand in the journals. What is stored is read page by page where it is stored, as fast as the other side
 * reads: nothing of it is lost, and nothing piles up here. What is not stored is dropped while the other side is behind.
 */
import type { Event, LiveEvent } from "../../core/event.ts";
import type { World } from "../../core/world.ts";
import type { Feed } from "../sdk/feed.ts";
import type { Outlet } from "./outlet.ts";

export interface SubscribeAsk {
  readonly from?: number | undefined;
  /** Threads, and what they go on in. */
  readonly threads?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
}

const PAGE = 200;
const MOST = 64;

export class Subscriptions {
  readonly #world: World;
  readonly #feed: Feed;
  readonly #outlet: Outlet;
  readonly #open = new Map<string, () => void>();
  #count = 0;

  constructor(world: World, feed: Feed, outlet: Outlet) {
    this.#world = world;
    this.#feed = feed;
    this.#outlet = outlet;
  }

  /** Undefined: there are too many. */
  async add(ask: SubscribeAsk): Promise<{ subscription: string; cursor: number } | undefined> {
    if (this.#open.size >= MOST) return undefined;
    this.#count += 1;
    const subscription = `sub_${this.#count}`;
    const cursor = ask.from ?? (await this.#world.store.feedEnd());
    const reader = new Reader(subscription, ask, { ...this.#needs(), cursor });
    const stop = this.#feed.listen(reader, "all");
    this.#open.set(subscription, () => {
      reader.over();
      stop();
    });
    void reader.run();
    return { subscription, cursor };
  }

  remove(subscription: string): boolean {
    this.#open.get(subscription)?.();
    return this.#open.delete(subscription);
  }

  close(): void {
    for (const name of [...this.#open.keys()]) this.remove(name);
  }

  #needs() {
    return { world: this.#world, outlet: this.#outlet };
  }
}

interface ReaderNeeds {
  readonly world: World;
  readonly outlet: Outlet;
  readonly cursor: number;
}

class Reader {
  readonly #name: string;
  readonly #types: readonly string[] | undefined;
  readonly #threads: Set<string> | undefined;
  readonly #needs: ReaderNeeds;
  #cursor: number;
  #isOver = false;
  #hasMore = true;
  #rouse: (() => void) | undefined;

  constructor(name: string, { threads, types }: SubscribeAsk, needs: ReaderNeeds) {
    this.#name = name;
    this.#types = types;
    this.#threads = threads && new Set(threads);
    this.#needs = needs;
    this.#cursor = needs.cursor;
  }

  event(): void {
    this.#hasMore = true;
    this.#wake();
  }

  live(event: LiveEvent): void {
    const { outlet } = this.#needs;
    if (this.#isOver || outlet.isBehind || !this.#isMeant(event)) return;
    outlet.send({ type: "journal_event", subscription: this.#name, cursor: null, event });
  }

  over(): void {
    this.#isOver = true;
    this.#wake();
  }

  async run(): Promise<void> {
    const { world } = this.#needs;
    while (!this.#isOver) {
      this.#hasMore = false;
      for (let isFull = true; isFull && !this.#isOver; ) {
        const page = await world.store.feed(this.#cursor, PAGE);
        for (const { cursor, event } of page.events) await this.#tell(cursor, event);
        this.#cursor = page.cursor;
        isFull = page.events.length === PAGE;
      }
      if (!this.#hasMore && !this.#isOver)
        await new Promise<void>((resolve) => {
          this.#rouse = resolve;
        });
    }
  }

  async #tell(cursor: number, event: Event): Promise<void> {
    if (this.#isOver || !this.#isMeant(event)) return;
    if (event.type === "thread_continued") this.#threads?.add(event.to);
    await this.#needs.outlet.tell({ type: "journal_event", subscription: this.#name, cursor, event });
  }

  #isMeant({ type, thread_id }: Event | LiveEvent): boolean {
    return (this.#types?.includes(type) ?? true) && (this.#threads?.has(thread_id) ?? true);
  }

  #wake(): void {
    this.#rouse?.();
    this.#rouse = undefined;
  }
}
