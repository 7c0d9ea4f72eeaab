/** Which rows are asked for. */
import type { ApprovalQuery, ApprovalRow } from "../../core/approval.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { ThreadQuery } from "../../core/store.ts";

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
