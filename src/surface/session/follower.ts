/**
 * Tells listeners of a session what happens in its chain, in order. A listener that takes its time holds the others up
 * and nothing else: what is stored waits in the store, and what is not is dropped.
 */
import type { Event } from "../../core/event.ts";
import type { Store } from "../../core/store.ts";
import { eventsOf } from "../sdk/events.ts";
import type { Feed } from "../sdk/feed.ts";
import { Projection } from "./projection.ts";
import type { SessionEvent } from "./session-event.ts";

interface FollowerNeeds {
  readonly store: Store;
  readonly feed: Feed;
  readonly steering: () => readonly string[];
}

/** What it returns is waited for before the next event is told. */
export type SessionListener = (event: SessionEvent) => unknown;

export class Follower {
  readonly #needs: FollowerNeeds;
  readonly #listeners = new Set<SessionListener>();
  readonly #over = new AbortController();
  readonly #projection = new Projection();
  readonly #told = new Map<string, number>();
  #telling: Promise<void> = Promise.resolve();

  constructor(needs: FollowerNeeds) {
    this.#needs = needs;
  }

  /** What is kept until the thread would end, as far as listeners were told. */
  get followUps(): readonly string[] {
    return this.#projection.followUps;
  }

  add(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A thread of the chain, from an event of it on; after those that are followed already. */
  follow(threadId: string, from: number): void {
    this.#telling = this.#telling.then(() => this.#read(threadId, from)).catch(() => {});
  }

  /** Something that stands in no journal: at once, whatever else is under way. */
  tell(event: SessionEvent): void {
    void this.#tellAll(event);
  }

  close(): void {
    this.#over.abort();
    this.#listeners.clear();
  }

  async #read(threadId: string, from: number): Promise<void> {
    const { signal } = this.#over;
    for await (const event of eventsOf(this.#needs, threadId, { from, signal })) {
      if ("seq" in event && this.#wasTold(event)) continue;
      for (const told of this.#projection.tell(event)) await this.#tellAll(this.#withSteering(told));
    }
  }

  /** Who reads late is led on into the next thread, which is followed by itself as well. */
  #wasTold({ thread_id, seq }: Event): boolean {
    if (seq <= (this.#told.get(thread_id) ?? 0)) return true;
    this.#told.set(thread_id, seq);
    return false;
  }

  /** What waits to be read before the next turn stands in no journal yet. */
  #withSteering(event: SessionEvent): SessionEvent {
    return event.type === "queue_update" ? { ...event, steering: this.#needs.steering() } : event;
  }

  async #tellAll(event: SessionEvent): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        await listener(event);
      } catch {
        // One who falls over is heard no more of; the others are told.
        this.#listeners.delete(listener);
      }
    }
  }
}
