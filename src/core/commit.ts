/**
 * The rules of `commit`, `claim` and leaving, in one place for every store.
 *   C1. A commit whose lease is not the row's owner at the row's epoch writes nothing.
 *   C2. While a cancel is open no intent and no step is written (§12): the batch's tail is refused, its head lands.
 *   C3. Parking happens inside the commit: with a request open or a timer due the lease stays (`parked: false`).
 *   C4. A thread does not complete over an open request: nothing that was accepted is lost.
 *       Nor is a question decided by the clock while somebody's answer waits to be taken.
 *   C5. Status, reason, wait, timer and events of one batch land together or not at all.
 */
import type { ApprovalChange } from "./approval.ts";
import type { Event, NewEvent } from "./event.ts";
import { appendEvents, type StoredEvent } from "./journal.ts";
import type { Request } from "./request.ts";
import { approvalChange, type ThreadRow, timerChange } from "./row.ts";
import { isTerminal } from "./status.ts";

export interface Lease {
  readonly threadId: string;
  readonly chainRootId: string;
  readonly epoch: number;
  readonly owner: string;
}

export interface Batch {
  readonly events: readonly NewEvent[];
  /** Intents and steps: written with the rest, or refused alone while a cancel is open. */
  readonly tail?: readonly NewEvent[];
  /** Requests these events answer. */
  readonly consumes?: readonly string[];
  /** Nothing can move: drop the lease, unless something waits for the thread (C3). */
  readonly park?: boolean;
  /** Drop the lease whatever waits: the host goes, and what is claimable is computed, not stored. */
  readonly release?: boolean;
}

export type Refusal = { readonly refused: "stale" } | { readonly refused: "requests_open" };

export interface CommitFacts {
  readonly row: ThreadRow;
  readonly open: readonly Request[];
  readonly timerDue: number | undefined;
  readonly now: number;
  readonly sha256: (text: string) => string;
}

export interface CommitPlan {
  readonly row: ThreadRow;
  readonly stored: readonly StoredEvent[];
  readonly events: readonly Event[];
  readonly tailLanded: boolean;
  readonly open: readonly Request[];
  readonly parked: boolean;
  /** New due time, null to clear, undefined to leave. */
  readonly timer: number | null | undefined;
  /** What becomes of the questions of this chain, in order. */
  readonly approvals: readonly ApprovalChange[];
  /** Requests a terminal thread will never answer. */
  readonly voided: readonly string[];
}

export function planCommit(facts: CommitFacts, lease: Lease, batch: Batch): CommitPlan | Refusal {
  const { row, now } = facts;
  if (row.owner !== lease.owner || row.epoch !== lease.epoch) return { refused: "stale" };
  const consumed = new Set(batch.consumes ?? []);
  const open = facts.open.filter((request) => !consumed.has(request.request_id));
  if (open.length > 0 && batch.events.some(yieldsToRequests)) return { refused: "requests_open" };
  const tailLanded = !open.some((request) => request.kind === "cancel");
  const wanted = tailLanded ? [...batch.events, ...(batch.tail ?? [])] : batch.events;
  const appended = appendEvents(row, wanted, facts);
  const timer = appended.events.map(timerChange).findLast((change) => change !== undefined);
  const due = timer === undefined ? facts.timerDue : timer.due === null ? undefined : Date.parse(timer.due);
  const ended = isTerminal(appended.row.status);
  const rests = batch.park || appended.row.status === "suspended";
  const parked =
    ended ||
    batch.release === true ||
    (rests === true && open.length === 0 && !(due !== undefined && due <= now));
  return {
    ...appended,
    row: parked ? { ...appended.row, owner: null } : appended.row,
    tailLanded,
    open: ended ? [] : open,
    parked,
    timer: timer === undefined ? undefined : timer.due === null ? null : Date.parse(timer.due),
    approvals: appended.events.flatMap((event) => approvalChange(event) ?? []),
    voided: ended ? open.map((request) => request.request_id) : [],
  };
}

/** The surface of a decision that nobody made. */
export const BY_TIMEOUT = "timeout";

/** Facts that hold only while nobody asks for something else. */
export function yieldsToRequests(event: NewEvent): boolean {
  if (event.type === "approval_decided") return event.via === BY_TIMEOUT;
  return event.type === "thread_completed";
}

/** A damaged journal may be ahead of its registry: what ends the thread is written after all of it. */
export function afterDamage(row: ThreadRow, lastSeq: number): ThreadRow {
  return row.corrupt && lastSeq > row.seq ? { ...row, seq: lastSeq } : row;
}
