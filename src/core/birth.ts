/** A thread comes into being: its first events, its row, and everything that follows from them. */
import type { ApprovalChange } from "./approval.ts";
import type { Event } from "./event.ts";
import { appendEvents, type StoredEvent } from "./journal.ts";
import { revivalRequest } from "./outcome.ts";
import type { Request } from "./request.ts";
import { approvalChange, newRow, type ThreadRow, timerChange } from "./row.ts";
import { hasEnded } from "./status.ts";
import type { Birth } from "./store.ts";

export interface BirthPlan {
  readonly row: ThreadRow;
  readonly stored: readonly StoredEvent[];
  readonly events: readonly Event[];
  readonly timer: number | undefined;
  readonly approvals: readonly ApprovalChange[];
  readonly requests: readonly Request[];
}

export interface LinkPlan {
  readonly row: ThreadRow;
  readonly stored: readonly StoredEvent[];
  /** For the parent of one that had ended. */
  readonly outcome: Request | undefined;
}

/** The other end of a thread that goes on from one that has ended; undefined when it goes on from none. */
export function planLink(
  { threadId: to, continues }: Birth,
  before: ThreadRow | undefined,
  facts: { readonly now: number; readonly sha256: (text: string) => string },
): LinkPlan | { readonly refused: "changed" } | undefined {
  if (!continues) return undefined;
  if (!before || !hasEnded(before.status) || before.seq !== continues.seq || before.corrupt)
    return { refused: "changed" };
  const said = { why: "user" as const, by: continues.by, summary_tokens: 0, trailing_messages: 0 };
  const { row, stored } = appendEvents(before, [{ type: "thread_continued", to, ...said }], facts);
  return { row, stored, outcome: revivalRequest(before, to) };
}

/**
 * `changed`: what it was to go on from is not as it was. `known`: what was said with it was said before. `taken`: a
 * thread lives where people write to this one.
 */
export interface BirthRefusal {
  readonly refused: "changed" | "known" | "taken";
}

/** One whose journal is damaged is set aside: people go on with another. */
export function isWrittenTo({ status, corrupt }: Pick<ThreadRow, "status" | "corrupt">): boolean {
  return !hasEnded(status) && status !== "continued" && corrupt === null;
}

/** What is looked up inside the transaction. */
export interface BirthFacts {
  readonly isKnown: (requestId: string) => boolean;
  /** Whether a thread lives to which people write there. */
  readonly isTaken: (address: string) => boolean;
}

/** One thread at a time where people write, and nothing that they say twice over: however many take it in. */
export function birthRefusal(
  { events, requests, continues }: Birth,
  { isKnown, isTaken }: BirthFacts,
): BirthRefusal | undefined {
  if (requests.some(({ kind, request_id }) => kind === "message" && isKnown(request_id)))
    return { refused: "known" };
  const [first] = events;
  const address = first?.type === "thread_created" ? first.address : undefined;
  return address !== undefined && !continues && isTaken(address) ? { refused: "taken" } : undefined;
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
