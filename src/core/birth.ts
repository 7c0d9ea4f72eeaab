/** A thread comes into being: its first events, its row, and everything that follows from them. */
import type { ApprovalChange } from "./approval.ts";
import type { Event } from "./event.ts";
import { appendEvents, type StoredEvent } from "./journal.ts";
import type { Request } from "./request.ts";
import { approvalChange, newRow, type ThreadRow, timerChange } from "./row.ts";
import type { Birth } from "./store.ts";

export interface BirthPlan {
  readonly row: ThreadRow;
  readonly stored: readonly StoredEvent[];
  readonly events: readonly Event[];
  readonly timer: number | undefined;
  readonly approvals: readonly ApprovalChange[];
  readonly requests: readonly Request[];
}

export function planBirth(
  { threadId, events: wanted, requests }: Birth,
  facts: { readonly now: number; readonly sha256: (text: string) => string },
): BirthPlan {
  const outside = { epoch: 0, owner: null, strikes: [], corrupt: null, hash: "" };
  const { row, stored, events } = appendEvents({ ...newRow(threadId), ...outside }, wanted, facts);
  const due = events.map(timerChange).findLast((change) => change !== undefined)?.due;
  return {
    ...{ row, stored, events, requests },
    timer: due ? Date.parse(due) : undefined,
    approvals: events.flatMap((event) => approvalChange(event) ?? []),
  };
}
