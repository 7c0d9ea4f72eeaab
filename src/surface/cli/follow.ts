/** Following a thread's journal as somebody else writes it. */
import type { Event } from "../../core/event.ts";
import { isTerminal } from "../../core/status.ts";
import type { Store } from "../../core/store.ts";
import type { World } from "../../core/world.ts";

const LOOK_EVERY_MS = 60;
const PAGE = 500;

export interface FollowAsk {
  readonly threadId: string;
  /** Where the feed stood before the journal was read, and the last event of it. */
  readonly cursor: number;
  readonly lastSeq: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: Event) => void;
  /** Called while nothing happens. */
  readonly onQuiet: () => Promise<void>;
}

/** Until the thread has ended or waits for a person, or the signal aborts. */
export async function follow(world: World, ask: FollowAsk): Promise<void> {
  const { store, clock } = world;
  let { cursor } = ask;
  for (;;) {
    const version = store.version();
    cursor = await readOn(store, { ...ask, cursor });
    if (ask.signal.aborted || (await hasStopped(store, ask.threadId))) {
      await readOn(store, { ...ask, cursor });
      return;
    }
    while (store.version() === version && !ask.signal.aborted) {
      await ask.onQuiet();
      await clock.sleep(LOOK_EVERY_MS, ask.signal);
    }
  }
}

async function readOn(store: Store, { cursor, threadId, lastSeq, onEvent }: FollowAsk): Promise<number> {
  let at = cursor;
  for (;;) {
    const page = await store.feed(at, PAGE);
    for (const { event } of page.events) {
      if (event.thread_id === threadId && event.seq > lastSeq) onEvent(event);
    }
    at = page.cursor;
    if (page.events.length < PAGE) return at;
  }
}

async function hasStopped(store: Store, threadId: string): Promise<boolean> {
  const [row] = await store.find({ threadId, limit: 1 });
  return !row || isTerminal(row.status) || row.status === "suspended" || row.corrupt !== null;
}
