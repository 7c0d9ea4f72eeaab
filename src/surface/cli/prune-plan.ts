/** What `prune` would delete and what it leaves, judged on one look; the store judges again when it deletes. */
import { type Belonging, belongings, type StayReason, whyStays } from "../../core/removal.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";

export interface PruneAsk {
  /** Only what ended before this time. */
  readonly before: string;
  readonly keepFailed: boolean;
}

type Kept = StayReason | "young" | "failed" | "process";

export interface PrunePlan {
  /** Each goes whole. */
  readonly groups: readonly Belonging[];
  readonly ids: readonly string[];
  readonly kept: readonly { readonly group: Belonging; readonly why: Kept }[];
}

export async function planPrune({ store, machine, processes }: World, ask: PruneAsk): Promise<PrunePlan> {
  const rows = await store.find({});
  const hosts = await store.hosts();
  const hosted = hosts.filter(({ owner }) => machine.ownerState(owner) !== "dead").map(({ scope }) => scope);
  const last = await lastThread(store);
  const all = belongings(rows);
  const busy = await withProcesses(processes, rows);
  const judged = all.map((group) => ({
    group,
    why:
      whyStays(group, { hosted, last }) ??
      whyKept(group, ask) ??
      (hasAny(group, busy) ? "process" : undefined),
  }));
  const groups = judged.flatMap(({ group, why }) => (why === undefined ? [group] : []));
  return {
    groups,
    ids: groups.flat().map(({ thread_id }) => thread_id),
    kept: judged.flatMap(({ group, why }) => (why === undefined ? [] : [{ group, why }])),
  };
}

function whyKept(group: Belonging, { before, keepFailed }: PruneAsk): Kept | undefined {
  if (endedAt(group) >= before) return "young";
  return keepFailed && group.some(({ status }) => status === "error") ? "failed" : undefined;
}

/** When the last of them had its last event. */
export function endedAt(group: Belonging): string {
  const times = group.map(({ updated_at }) => updated_at).sort();
  return times.at(-1) ?? "";
}

function hasAny(group: Belonging, ids: ReadonlySet<string>): boolean {
  return group.some(({ chain_root_id }) => ids.has(chain_root_id));
}

async function lastThread(store: World["store"]): Promise<string | undefined> {
  const end = await store.feedEnd();
  const { events } = await store.feed(Math.max(0, end - 1), 1);
  return events[0]?.event.thread_id;
}

/** Chains of which something still runs, whatever their journals say. */
async function withProcesses(
  processes: World["processes"],
  rows: readonly ThreadRow[],
): Promise<ReadonlySet<string>> {
  const chains = new Map(rows.map(({ thread_id, chain_root_id }) => [thread_id, chain_root_id]));
  const strays = await processes?.strays(async (threadId) => chains.get(threadId));
  return new Set(strays?.map(({ chainRootId }) => chainRootId));
}
