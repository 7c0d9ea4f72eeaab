/** Which rows are asked for. */
import type { ApprovalQuery, ApprovalRow } from "../../core/approval.ts";
import { type StoredEvent, toEvent } from "../../core/journal.ts";
import type { ThreadRow } from "../../core/row.ts";
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
    (!query.onlyRoots || row.parent_id === null) &&
    (!query.onlyHeads || row.status !== "continued") &&
    (query.statuses === undefined || query.statuses.includes(row.status));
}
