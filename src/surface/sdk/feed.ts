/**
 * What happens in a project, as it happens: our own events the moment they are stored, those of other processes by a
 * look at the store. One reader serves all who listen.
 */
import type { Event, LiveEvent } from "../../core/event.ts";
import type { Notice, World } from "../../core/world.ts";

const LOOK_EVERY_MS = 100;
const PAGE = 500;

/** An event may be told twice, and one of another process late: `seq` says what is missing. */
export interface Listener {
  event(event: Event): void;
  live?(event: LiveEvent): void;
  /** Nothing comes any more; `error` says why, when that was not asked for. */
  over?(error?: unknown): void;
}

export class Feed {
  readonly #world: World;
  readonly #listeners = new Set<Listener>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  hear(notice: Notice): void {
    if (notice.type === "event") for (const each of this.#listeners) each.event(notice.event);
    if (notice.type === "live") for (const each of this.#listeners) each.live?.(notice.event);
  }

  /** From now on, until what is returned is called. */
  listen(listener: Listener): () => void {
    if (this.#closing.signal.aborted) {
      listener.over?.(this.#closing.signal.reason);
      return () => {};
    }
    this.#listeners.add(listener);
    this.#reading ??= this.#read().catch((error) => this.close(error));
    return () => void this.#listeners.delete(listener);
  }

  close(error?: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(error);
    for (const each of this.#listeners) each.over?.(error);
    this.#listeners.clear();
  }

  /** Of other processes. Our own writes do not show in `version`, and were told already. */
  async #read(): Promise<void> {
    const { store, clock } = this.#world;
    const { signal } = this.#closing;
    let version = store.version();
    let cursor = await store.feedEnd();
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      const now = store.version();
      if (now === version) continue;
      version = now;
      for (let page = await store.feed(cursor, PAGE); page.events.length > 0; ) {
        cursor = page.cursor;
        for (const { event } of page.events) this.hear({ type: "event", event });
        if (page.events.length < PAGE) break;
        page = await store.feed(cursor, PAGE);
      }
    }
  }
}
