/**
 * What may go for good (`prune`): finished work, and always everything that belongs together.
 *   G1. A tree goes whole and a chain goes whole, with what both lead to: no link, no sum and no account is left half.
 *   G2. Nobody of it lives, is owned by a process, or is hosted by one.
 *   G3. What the feed ends with stays: the number of an event is never given to another one.
 */
import type { ThreadRow } from "./row.ts";
import { isTerminal } from "./status.ts";

/** Threads that go together or stay together, the newest first. */
export type Belonging = readonly ThreadRow[];

/** G1. */
export function belongings(rows: readonly ThreadRow[]): readonly Belonging[] {
  const leaders = new Map<string, string>();
  const leaderOf = (id: string): string => {
    let leader = id;
    for (let above = leaders.get(leader); above !== undefined; above = leaders.get(leader)) leader = above;
    return leader;
  };
  const join = (left: string, right: string | null) => {
    if (right === null) return;
    const [from, to] = [leaderOf(left), leaderOf(right)];
    if (from !== to) leaders.set(from, to);
  };
  for (const row of rows) {
    join(row.thread_id, row.root_id);
    join(row.thread_id, row.chain_root_id);
    join(row.thread_id, row.continuation_of);
    join(row.thread_id, row.continuation_thread_id);
  }
  const groups = new Map<string, ThreadRow[]>();
  for (const row of rows) {
    const leader = leaderOf(row.thread_id);
    const group = groups.get(leader);
    if (group) group.push(row);
    else groups.set(leader, [row]);
  }
  return [...groups.values()];
}

export interface RemovalFacts {
  readonly rows: readonly ThreadRow[];
  /** Scopes of the hosts that live. */
  readonly hosted: readonly string[];
  /** The thread whose event is the last there is. */
  readonly last: string | undefined;
}

export type StayReason = "lives" | "owned" | "hosted" | "last";

/** Why these have to stay; undefined when they may go (G2, G3). */
export function whyStays(
  group: Belonging,
  { hosted, last }: Omit<RemovalFacts, "rows">,
): StayReason | undefined {
  if (group.some(({ status }) => !isTerminal(status))) return "lives";
  if (group.some(({ owner }) => owner !== null)) return "owned";
  if (group.some(({ root_id }) => hosted.includes(root_id))) return "hosted";
  return group.some(({ thread_id }) => thread_id === last) ? "last" : undefined;
}

export interface RemovalRefusal {
  readonly threadId: string;
  readonly why: StayReason | "unknown" | "incomplete";
}

/** Whether all that is named may go now, judged on one moment; undefined when it may. */
export function removalRefusal(
  threadIds: readonly string[],
  { rows, ...facts }: RemovalFacts,
): RemovalRefusal | undefined {
  const wanted = new Set(threadIds);
  const known = new Set(rows.map(({ thread_id }) => thread_id));
  const unknown = threadIds.find((id) => !known.has(id));
  if (unknown !== undefined) return { threadId: unknown, why: "unknown" };
  for (const group of belongings(rows)) {
    const meant = group.find(({ thread_id }) => wanted.has(thread_id));
    if (!meant) continue;
    const missing = group.find(({ thread_id }) => !wanted.has(thread_id));
    if (missing) return { threadId: missing.thread_id, why: "incomplete" };
    const why = whyStays(group, facts);
    if (why) return { threadId: meant.thread_id, why };
  }
  return undefined;
}
