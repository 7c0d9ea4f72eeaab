/**
 * The rules of `commit`, `claim` and leaving, in one place for every store.
 *   C1. A commit whose lease is not the row's owner at the row's epoch writes nothing.
 *   C2. While a cancel, a stop or a revocation is open no intent and no step is written (§12, K3): the batch's tail is
 *       refused, its head lands. Nor does a suspended thread go on: the cancel came first.
 *   C3. Parking happens inside the commit: with a request open or a timer due the lease stays (`parked: false`).
 *   C4. A thread does not complete over an open request: nothing that was accepted is lost.
 *       Nor is a question decided by the clock while somebody's answer waits to be taken.
 *   C5. Status, reason, wait, timer and events of one batch land together or not at all.
 *   C6. No thread ends while a child of it lives (T7).
 *       Nor while one that had ended has been brought to life again, and it does not know that yet.
 *   C7. A child is there, its money held, in the commit that says so; what becomes of it is told to its parent, and to
 *       whoever above that has named it in a wait, in the commit in which it happens. How those are that a wait names
 *       first is told in the commit in which it begins.
 *   C8. A change of money that the ledger refuses lands as a refusal; what was to follow from it (the tail) does not land.
 *   C9. What a thread does in a channel lands only as the channel is then; all others in it are told in the same commit.
 */
import type { ApprovalChange } from "./approval.ts";
import { type BirthPlan, planBirth } from "./birth.ts";
import { book, Draft } from "./bookkeeping.ts";
import type { Books, MoneyRefusal } from "./books.ts";
import type { Stop } from "./cascade.ts";
import { channelFits, heardRequests } from "./channel-registry.ts";
import type { Event, NewEvent } from "./event.ts";
import { appendEvents, type StoredEvent } from "./journal.ts";
import { firstReports, outcomeRequests, type Registry } from "./outcome.ts";
import { BY_FOLLOW_UP } from "./past-failure.ts";
import { asRefused } from "./refused-money.ts";
import type { Request } from "./request.ts";
import { approvalChange, type ThreadRow, timerChange } from "./row.ts";
import { hasEnded, isTerminal } from "./status.ts";
import type { Birth } from "./store.ts";

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
  /** Children that come into being with the tail. */
  readonly births?: readonly Birth[];
  /** Children that are told to stop, with everyone below them. */
  readonly stops?: readonly Stop[];
  /** Requests these events answer. */
  readonly consumes?: readonly string[];
  /** Nothing can move: drop the lease, unless something waits for the thread (C3). */
  readonly park?: boolean;
  /** Drop the lease whatever waits: the host goes, and what is claimable is computed, not stored. */
  readonly release?: boolean;
}

export type Refusal = { readonly refused: "stale" | "requests_open" | "children_live" };

/** Money was asked for and not there: the tail that needs it did not land. */
export interface Shortage {
  readonly at: string;
  readonly asked: number;
  readonly free: number;
  /** What is held there for others, and may be free again in a while. */
  readonly held: number;
  /** Nobody knows what it would cost, and the account has a cap. */
  readonly isUnpriced?: boolean;
}

export interface CommitFacts {
  readonly row: ThreadRow;
  readonly open: readonly Request[];
  readonly timerDue: number | undefined;
  readonly books: Books;
  readonly registry: Registry;
  readonly now: number;
  readonly sha256: (text: string) => string;
}

export interface CommitPlan {
  readonly row: ThreadRow;
  readonly stored: readonly StoredEvent[];
  readonly events: readonly Event[];
  readonly tailLanded: boolean;
  readonly shortage?: Shortage | undefined;
  /** Accounts and attempts as they are after it. */
  readonly books: Pick<Draft, "accounts" | "attempts">;
  readonly births: readonly BirthPlan[];
  readonly stops: readonly Stop[];
  /** For its parent, and for those further up who wait for it; and how those are that it waits for itself. */
  readonly outcomes: readonly Request[];
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
  if (isCancelled(row, open) && batch.events.some(({ type }) => type === "thread_resumed"))
    return { refused: "requests_open" };
  const isFree = !open.some(({ kind }) => kind === "cancel" || kind === "stop" || kind === "revoke");
  const mayGoOn = isFree && fitsChannels(facts, batch);
  const { head, books, isAsWanted } = planHead(facts, batch.events);
  const tail =
    mayGoOn && isAsWanted && batch.tail?.length ? appendEvents(head.row, batch.tail, facts) : undefined;
  const births = tail ? (batch.births ?? []).map((birth) => planBirth(birth, facts)) : [];
  const paid = tail && keepBooks(books.draft, tail, births);
  const shortage = books.shortage ?? paid?.shortage;
  const lands = tail !== undefined && paid !== undefined && !shortage;
  const appended = lands
    ? { row: tail.row, events: [...head.events, ...tail.events], stored: [...head.stored, ...tail.stored] }
    : head;
  const tailLanded = mayGoOn && isAsWanted && !shortage;
  const { registry } = facts;
  const { timer, reports, outcomes, approvals } = consequences(appended.row, appended.events, registry);
  const due = timer === undefined ? facts.timerDue : timer.due === null ? undefined : Date.parse(timer.due);
  const ended = hasEnded(appended.row.status);
  if (ended && open.some(isRevival)) return { refused: "requests_open" };
  if (ended && appended.row.living > 0) return { refused: "children_live" };
  const asked = reports.length > 0 ? [...open, ...reports] : open;
  const rests = batch.park || appended.row.status === "suspended";
  const parked =
    isTerminal(appended.row.status) ||
    batch.release === true ||
    (rests === true && asked.length === 0 && !(due !== undefined && due <= now));
  const { stored, events } = appended;
  return {
    stored,
    events,
    row: parked ? { ...appended.row, owner: null } : appended.row,
    tailLanded,
    shortage,
    books: lands ? paid.draft.over(books.draft) : books.draft,
    births: lands ? births : [],
    stops: batch.stops ?? [],
    outcomes,
    open: ended ? [] : asked,
    parked,
    timer: timer === undefined ? undefined : timer.due === null ? null : Date.parse(timer.due),
    approvals,
    voided: ended ? open.map((request) => request.request_id) : [],
  };
}

/** What events mean outside the thread's own lines. Most mean nothing. */
function consequences(row: ThreadRow, events: readonly Event[], registry: Registry) {
  let timer: ReturnType<typeof timerChange>;
  const [reports, told, heard]: [Request[], Request[], Request[]] = [[], [], []];
  const approvals: ApprovalChange[] = [];
  for (const event of events) {
    timer = timerChange(event) ?? timer;
    reports.push(...firstReports(row, event, registry));
    told.push(...outcomeRequests(row, event, registry));
    heard.push(...heardRequests(row, event, registry.inChannels));
    const change = approvalChange(event);
    if (change) approvals.push(change);
  }
  return { timer, reports, approvals, outcomes: [...told, ...heard, ...reports] };
}

/** C9. */
function fitsChannels({ row, registry }: CommitFacts, { tail = [] }: Batch): boolean {
  const said = tail.filter(({ type }) => type === "channel_joined" || type === "channel_posted");
  return (
    said.length === 0 || said.every((event) => channelFits(row, event, registry.inChannels(row.root_id)))
  );
}

function isRevival(request: Request): boolean {
  return (
    request.kind === "outcome" &&
    request.outcome.type === "child_thread_resumed" &&
    request.outcome.again !== undefined
  );
}

/** C2. A new run would begin with a cancel that was accepted for the one before: it would be let off. */
function isCancelled({ nonce }: ThreadRow, open: readonly Request[]): boolean {
  return open.some((request) => request.kind === "cancel" && request.nonce === nonce);
}

/** C6. What is refused wrote nothing, so the books of the second round are those of the first. */
function planHead(facts: CommitFacts, wanted: readonly NewEvent[]) {
  const head = appendEvents(facts.row, wanted, facts);
  const books = keepBooks(facts.books, head);
  const events = wanted.map((event, at) => {
    const refusal = books.refusals[at];
    return (refusal && asRefused(event, refusal)) ?? event;
  });
  if (events.every((event, at) => event === wanted[at])) return { head, books, isAsWanted: true };
  const rewritten = appendEvents(facts.row, events, facts);
  return { head: rewritten, books: keepBooks(facts.books, rewritten), isAsWanted: false };
}

/** The books after these events. What is refused is not written; the first refusal for money is what is told. */
function keepBooks(
  books: Books,
  { row, events }: { readonly row: ThreadRow; readonly events: readonly Event[] },
  births: readonly BirthPlan[] = [],
): KeptBooks {
  const draft = new Draft(books);
  const refusals = events.map((event) => book(draft, row, event));
  const shortages = refusals.flatMap((refusal, at) =>
    refusal && (refusal.why === "budget" || events[at]?.type === "step_start") ? [shortageOf(refusal)] : [],
  );
  // A child without an account would spend what nobody holds: whatever keeps it from one keeps it from being.
  const unpaid = births.flatMap((birth) =>
    birth.events.flatMap((event) => {
      const refusal = book(draft, birth.row, event);
      return refusal ? [shortageOf(refusal)] : [];
    }),
  );
  return { draft, refusals, shortage: shortages[0] ?? unpaid[0] };
}

/** Whatever the reason, a request that nothing is held for is not sent. */
function shortageOf({ why, at, asked = 0, free = 0, held = 0 }: MoneyRefusal): Shortage {
  return { at, asked, free, held, ...(why === "price" ? { isUnpriced: true } : {}) };
}

interface KeptBooks {
  readonly draft: Draft;
  /** In the order of the events. */
  readonly refusals: readonly (MoneyRefusal | undefined)[];
  readonly shortage?: Shortage | undefined;
}

/** The surface of a decision that nobody made. */
export const BY_TIMEOUT = "timeout";

/** Facts that hold only while nobody asks for something else. */
export function yieldsToRequests(event: NewEvent): boolean {
  if (event.type === "approval_decided") return event.via === BY_TIMEOUT;
  if (event.type === "thread_resumed") return event.by === "timer" || event.by === BY_FOLLOW_UP;
  // What a child came to counts, even when it is told in the last moment (O2).
  if (event.type === "wait_finished") return event.why === "timeout";
  return event.type === "thread_completed";
}

/** A damaged journal may be ahead of its registry: what ends the thread is written after all of it. */
export function afterDamage(row: ThreadRow, lastSeq: number): ThreadRow {
  return row.corrupt && lastSeq > row.seq ? { ...row, seq: lastSeq } : row;
}
