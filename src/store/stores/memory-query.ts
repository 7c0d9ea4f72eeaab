/** Which rows are asked for. */
import type { ApprovalQuery, ApprovalRow } from "../../core/approval.ts";
import { type BirthFacts, isWrittenTo } from "../../core/birth.ts";
import type { Event } from "../../core/event.ts";
import { type StoredEvent, toEvent } from "../../core/journal.ts";
import type { ThreadRow } from "../../core/row.ts";
import { ENDS, STATUSES, type Status } from "../../core/status.ts";
import type { Store, ThreadQuery } from "../../core/store.ts";

/** In place of the thread of an event that was removed: no thread has this id. */
export const GONE = "";

interface Entry {
  readonly threadId: string;
  readonly stored: StoredEvent;
}

export function feedOf(
  journal: readonly Entry[],
  after: number,
  limit: number,
): Awaited<ReturnType<Store["feed"]>> {
  const events = journal
    .map(({ threadId, stored }, index) => ({ threadId, stored, cursor: index + 1 }))
    .slice(after)
    .filter(({ threadId }) => threadId !== GONE)
    .slice(0, limit)
    .map(({ threadId, stored, cursor }) => ({ cursor, event: toEvent(threadId, stored) }));
  return { events, cursor: events.at(-1)?.cursor ?? after };
}

export function isAskedFor(query: ApprovalQuery): (row: ApprovalRow) => boolean {
  const { approvalId, prefix, threadId, states } = query;
  return ({ approval: { approval_id }, thread_id, state }) =>
    (approvalId === undefined || approval_id === approvalId) &&
    (prefix === undefined || approval_id.startsWith(prefix)) &&
    (threadId === undefined || thread_id === threadId) &&
    (states === undefined || states.includes(state));
}

export function fits(query: ThreadQuery): (row: ThreadRow) => boolean {
  return (row) =>
    (query.threadId === undefined || row.thread_id === query.threadId) &&
    (query.prefix === undefined || row.thread_id.startsWith(query.prefix)) &&
    (query.rootId === undefined || row.root_id === query.rootId) &&
    (query.chainRootId === undefined || row.chain_root_id === query.chainRootId) &&
    (query.address === undefined || row.address === query.address) &&
    (!query.onlyRoots || row.parent_id === null) &&
    (!query.onlyHeads || row.status !== "continued") &&
    (query.since === undefined || row.updated_at >= query.since) &&
    (query.words === undefined || query.words.some((word) => row.thread_id.includes(word))) &&
    (query.statuses === undefined || query.statuses.includes(row.status));
}

/** The rows that are asked for, from all of them in the order in which they were made. */
export function chosen(rows: Iterable<ThreadRow>, query: ThreadQuery): ThreadRow[] {
  const found = [...rows].reverse().filter(fits(query));
  const { order } = query;
  return (order ? found.sort(ORDERS[order]) : found).slice(0, query.limit);
}

type Order = (left: ThreadRow, right: ThreadRow) => number;

const byAge: Order = (left, right) =>
  Number(right.created_at > left.created_at) - Number(right.created_at < left.created_at);
const ORDERS: Readonly<Record<NonNullable<ThreadQuery["order"]>, Order>> = {
  age: byAge,
  spend: (left, right) => right.spent + right.below - left.spent - left.below || byAge(left, right),
  turns: (left, right) => right.turns - left.turns || byAge(left, right),
};

export function tallied(rows: Iterable<ThreadRow>): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

export function birthFacts(disk: {
  readonly requests: { has(id: string): boolean };
  readonly rows: ReadonlyMap<string, ThreadRow>;
}): BirthFacts {
  return {
    isKnown: (id) => disk.requests.has(id),
    isTaken: (address) => chosen(disk.rows.values(), { address }).some(isWrittenTo),
  };
}

/** The event with which a thread ended. */
export function endOf(disk: { readonly journal: readonly Entry[] }, id: string): Event | undefined {
  const found = disk.journal.findLast(
    ({ threadId, stored }) => threadId === id && ENDS.includes(stored.type),
  );
  return found && toEvent(id, found.stored);
}
