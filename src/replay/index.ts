/** The door of replay: a recorded thread is run again against its journal, and nothing is executed (X5). */
import type { Event } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { Limits } from "../core/limit.ts";
import type { Replayed } from "../core/replayed.ts";
import type { RuleSet } from "../core/rule.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { World } from "../core/world.ts";
import type { Created } from "./below.ts";
import { playTape } from "./driver.ts";
import { withStandIns } from "./stand-in.ts";
import { Tape } from "./tape.ts";

export interface ReplayAsk {
  readonly threadId: string;
  readonly store: Pick<Store, "load" | "find">;
  readonly sha256: World["sha256"];
  readonly settings: Settings;
  readonly rules?: RuleSet | undefined;
  readonly model: World["model"];
  readonly tool: World["tool"];
  readonly hooks: readonly Hook[];
  /** Something is tried out: what differs is told, as far as the paths are the same. */
  readonly isWhatIf?: boolean;
  /** Limits that it would have been started with instead. */
  readonly limits?: Limits;
}

export async function replayThread(ask: ReplayAsk): Promise<Replayed> {
  const { threadId, store } = ask;
  const events = withLimits((await store.load(threadId)).events, ask.limits ?? {});
  const [created] = events;
  if (created?.type !== "thread_created") throw new Error(`${threadId} has no beginning`);
  const relatives = await store.find({ rootId: created.root_id });
  const others = new Map<string, Created>([[threadId, created]]);
  for (const id of childrenIn(events)) {
    const [first] = (await store.load(id)).events;
    if (first?.type === "thread_created") others.set(id, first);
  }
  const tape = new Tape(threadId, events);
  const played = await playTape({
    ...{ tape, relatives, isLenient: ask.isWhatIf ?? false },
    policies: { ...ask, tool: withStandIns(events, ask) },
    createdOf: (id) => others.get(id),
  });
  return { thread_id: threadId, events: tape.at, total: events.length, ...played };
}

/** Of a tree with many threads, only its own children are read. */
function childrenIn(events: readonly Event[]): Set<string> {
  const [created] = events;
  const carried = created?.type === "thread_created" ? Object.keys(created.carried?.children ?? {}) : [];
  const started = events.flatMap((event) => (event.type === "child_thread_started" ? [event.child_id] : []));
  return new Set([...carried, ...started]);
}

/** A limit that a person gave since is given all the same. */
function withLimits(events: readonly Event[], limits: Limits): readonly Event[] {
  const [created, ...others] = Object.keys(limits).length > 0 ? events : [];
  if (created?.type !== "thread_created") return events;
  return [{ ...created, limits: { ...created.limits, ...limits } }, ...others];
}
