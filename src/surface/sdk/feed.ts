/**
 * What happens in a project, as it happens: our own events the moment they are stored, those of other processes by a
 * look at the store. One reader serves all who listen, and each of them hears of its own thread or tree only: what
 * happens costs the same whether one listens or a thousand do.
 */
import type { Event, LiveEvent } from "../../core/event.ts";
import { StorageFailure } from "../../core/failure.ts";
import { ENDS } from "../../core/status.ts";
import type { Notice, World } from "../../core/world.ts";

const LOOK_EVERY_MS = 100;
const PAGE = 500;
/** Something changed that no event tells of, such as a thread that another process set aside. */
const STIR_EVERY_MS = 5_000;

/** An event may be told twice, and one of another process late: `seq` says what is missing. */
export interface Listener {
  event?(event: Event): void;
  live?(event: LiveEvent): void;
  /** Somebody in its tree may have come to rest. */
  stir?(): void;
  /** Nothing comes any more; `error` says why, when that was not asked for. */
  over(error?: unknown): void;
}

/** What is listened to: one thread, the rests of one tree (by its root), or every event there is. */
export type Topic = { readonly thread: string } | { readonly tree: string } | "all";

/** Events after which a thread, or one above it, may have come to rest; or after which a request of it is taken. */
const RESTS: ReadonlySet<string> = new Set([
  ...ENDS,
  "thread_suspended",
  "thread_continued",
  "thread_stopping",
  "wait_started",
  "approval_decided",
  "message_received",
  "budget_changed",
  "charge_corrected",
  "rights_revoked",
  "cancel_requested",
  "stop_requested",
]);

export class Feed {
  readonly #world: World;
  readonly #topics = new Map<string, Set<Listener>>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #ready: Promise<unknown> = Promise.resolve();
  #stirredAt = Number.NEGATIVE_INFINITY;
  /** How many listen to a tree. */
  #trees = 0;
  /** Why it is closed. */
  #end: { readonly error: unknown } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  hear(notice: Notice): void {
    if (notice.type === "event") {
      const { event } = notice;
      for (const each of this.#on({ thread: event.thread_id })) each.event?.(event);
      for (const each of this.#on("all")) each.event?.(event);
      if (RESTS.has(event.type)) this.stir(event.thread_id);
    }
    if (notice.type === "live")
      for (const topic of [{ thread: notice.event.thread_id }, "all"] as const)
        for (const each of this.#on(topic)) each.live?.(notice.event);
    if (notice.type === "damaged") this.stir(notice.threadId);
  }

  /** From now on, until what is returned is called. */
  listen(listener: Listener, topic: Topic): () => void {
    if (this.#end) {
      listener.over(this.#end.error);
      return () => {};
    }
    const key = keyOf(topic);
    const isTree = topic !== "all" && "tree" in topic;
    const listeners = this.#topics.get(key) ?? new Set();
    this.#topics.set(key, listeners.add(listener));
    if (isTree) this.#trees += 1;
    this.#reading ??= this.#read();
    return () => {
      if (!listeners.delete(listener)) return;
      if (isTree) this.#trees -= 1;
      if (listeners.size === 0 && this.#topics.get(key) === listeners) this.#topics.delete(key);
    };
  }

  /** From here on nothing that is written is missed: what stood there before has to be looked at after this. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** Whoever waits for somebody in the tree of this thread looks again. */
  stir(threadId: string): void {
    if (this.#trees === 0) return;
    const look = async () => {
      const [row] = await this.#world.store.find({ threadId, limit: 1 });
      if (row) for (const each of this.#on({ tree: row.root_id })) each.stir?.();
    };
    // A store that cannot be read is found out by whoever looks next.
    look().catch(() => {});
  }

  /** `error` is what everybody is told who listens, now or later. */
  close(error?: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#closing.abort();
    const all = new Set([...this.#topics.values()].flatMap((listeners) => [...listeners]));
    this.#topics.clear();
    for (const each of all) each.over(error);
  }

  #on(topic: Topic): Iterable<Listener> {
    return this.#topics.get(keyOf(topic)) ?? [];
  }

  /** Of other processes, as long as somebody listens. Our own writes do not show in `version`, and were told already. */
  async #read(): Promise<void> {
    const { store, clock } = this.#world;
    const { signal } = this.#closing;
    const from = store.feedEnd();
    this.#ready = from.catch(() => {}); // told below
    try {
      let cursor = await from;
      let version: number | undefined;
      while (!signal.aborted && this.#topics.size > 0) {
        const now = store.version();
        const passed = now === version ? undefined : await this.#pass(cursor);
        if (passed !== undefined) [cursor, version] = [passed, now];
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
    } catch (error) {
      this.close(error);
    } finally {
      this.#reading = undefined;
    }
  }

  /** Tells what came after a place, and returns the place after it. Undefined: the disk failed, and is asked again. */
  async #pass(from: number): Promise<number | undefined> {
    let cursor = from;
    try {
      for (;;) {
        const page = await this.#world.store.feed(cursor, PAGE);
        cursor = page.cursor;
        for (const { event } of page.events) this.hear({ type: "event", event });
        if (page.events.length < PAGE) break;
      }
    } catch (error) {
      if (error instanceof StorageFailure) return undefined;
      throw error;
    }
    this.#stirAll();
    return cursor;
  }

  #stirAll(): void {
    const now = this.#world.clock.monotonic();
    if (now - this.#stirredAt < STIR_EVERY_MS) return;
    this.#stirredAt = now;
    for (const listeners of this.#topics.values()) for (const each of listeners) each.stir?.();
  }
}

function keyOf(topic: Topic): string {
  if (topic === "all") return "all";
  return "tree" in topic ? `tree ${topic.tree}` : `thread ${topic.thread}`;
}
