/** The door of replay: a recorded thread is run again against its journal, and nothing is executed (X5). */
import type { Hook } from "../core/hook.ts";
import type { RuleSet } from "../core/rule.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { World } from "../core/world.ts";
import type { Created } from "./below.ts";
import { playTape } from "./driver.ts";
import type { Divergence } from "./recorder.ts";
import { Tape } from "./tape.ts";

export type { Divergence } from "./recorder.ts";

export interface ReplayAsk {
  readonly threadId: string;
  readonly store: Pick<Store, "load" | "find">;
  readonly sha256: World["sha256"];
  readonly settings: Settings;
  readonly rules?: RuleSet | undefined;
  readonly model: World["model"];
  readonly tool: World["tool"];
  readonly hooks: (directive: string) => Promise<readonly Hook[]>;
}

export interface Replayed {
  readonly thread_id: string;
  /** Events that were held against the journal. */
  readonly events: number;
  readonly total: number;
  readonly divergences: readonly Divergence[];
  readonly parted: boolean;
}

export async function replayThread(ask: ReplayAsk): Promise<Replayed> {
  const { threadId, store } = ask;
  const { events } = await store.load(threadId);
  const { hooks, ...policies } = ask;
  const [created] = events;
  if (created?.type !== "thread_created") throw new Error(`${threadId} has no beginning`);
  const relatives = await store.find({ rootId: created.root_id });
  const others = new Map<string, Created>();
  for (const { thread_id } of relatives) {
    const [first] = (await store.load(thread_id)).events;
    if (first?.type === "thread_created") others.set(thread_id, first);
  }
  const tape = new Tape(threadId, events);
  const played = await playTape({
    ...{ tape, relatives, isLenient: false },
    policies: { ...policies, hooks: await hooks(created.directive) },
    createdOf: (id) => others.get(id),
  });
  return { thread_id: threadId, events: tape.at, total: events.length, ...played };
}
