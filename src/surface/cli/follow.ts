/** Following a thread's journal as somebody else writes it. */
import { headOf } from "../../core/chain-links.ts";
import type { Event } from "../../core/event.ts";
import { isTerminal } from "../../core/status.ts";
import type { Store } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { standstill } from "./needs-you.ts";

const LOOK_EVERY_MS = 60;
const PAGE = 500;

export interface FollowAsk {
  readonly threadIds: readonly string[];
  /** Where the feed stood before journals were read. */
  readonly cursor: number;
  /** Whose events are told, and the last that was read of each; children may be added while it goes on. */
  readonly known: Map<string, number>;
  readonly signal: AbortSignal;
  readonly onEvent: (event: Event) => void;
  /** Called while nothing happens. */
  readonly onQuiet: () => Promise<void>;
}

/** Until each of them has ended, or it or somebody it waits for needs a person, or the signal aborts. */
export async function follow(world: World, ask: FollowAsk): Promise<void> {
  const { store, clock } = world;
  let { cursor } = ask;
  for (;;) {
    const version = store.version();
    cursor = await readOn(store, { ...ask, cursor });
    if (ask.signal.aborted || (await haveStopped(world, ask.threadIds))) {
      await readOn(store, { ...ask, cursor });
      return;
    }
    while (store.version() === version && !ask.signal.aborted) {
      await ask.onQuiet();
      await clock.sleep(LOOK_EVERY_MS, ask.signal);
    }
  }
}

async function readOn(store: Store, { cursor, known, onEvent }: FollowAsk): Promise<number> {
  let at = cursor;
  for (;;) {
    const page = await store.feed(at, PAGE);
    for (const { event } of page.events) {
      const last = known.get(event.thread_id);
      if (last === undefined) continue;
      // The thread that it goes on in is followed from its beginning.
      if (event.type === "thread_continued" && !known.has(event.to)) known.set(event.to, 0);
      if (event.seq > last) onEvent(event);
    }
    at = page.cursor;
    if (page.events.length < PAGE) return at;
  }
}

async function haveStopped(world: World, threadIds: readonly string[]): Promise<boolean> {
  for (const threadId of threadIds) if (!(await hasStopped(world, threadId))) return false;
  return true;
}

async function hasStopped(world: World, threadId: string): Promise<boolean> {
  const [found] = await world.store.find({ threadId, limit: 1 });
  const row = found && (await headOf(world.store, found));
  if (!row || isTerminal(row.status) || row.status === "suspended" || row.corrupt !== null) return true;
  // One that nobody hosts may be taken up by somebody; one that asks stays.
  return (await standstill(world, row)).some(({ isAbandoned }) => !isAbandoned);
}
