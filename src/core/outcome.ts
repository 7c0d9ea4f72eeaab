/**
 * What becomes of a thread, as those above it are told: requests of its own commit, so that each arrives once (O4). Its
 * parent is always told; those further up when a wait of theirs has named it.
 */
import type { Event, NewEvent } from "./event.ts";
import { plus } from "./money.ts";
import type { Request } from "./request.ts";
import type { Damage, RowFold, ThreadRow } from "./row.ts";
import { isTerminal } from "./status.ts";

/** The event that the parent's owner writes down. */
export type Outcome = NewEvent<
  "child_thread_completed" | "child_thread_failed" | "child_thread_suspended" | "child_thread_resumed"
>;

/** What one further up writes down, whose wait has named the thread. */
export type Report = NewEvent<"descendant_reported">;

/** What is looked up inside the transaction. */
export interface Registry {
  readonly row: (threadId: string) => ThreadRow | undefined;
  /** The event with which a thread ended. */
  readonly end: (threadId: string) => Event | undefined;
  /** The lines of those of a tree that are, or were, in a channel. */
  readonly inChannels: (rootId: string) => readonly ThreadRow[];
}

type Told = Pick<
  RowFold,
  "chain_root_id" | "parent_id" | "directive" | "turns" | "input_tokens" | "output_tokens" | "spent" | "below"
>;

/** Only these mean something for others. */
const TOLD: ReadonlySet<Event["type"]> = new Set([
  "thread_started",
  "thread_completed",
  "thread_failed",
  "thread_cancelled",
  "thread_suspended",
  "thread_resumed",
]);

/** What one event of a thread means for those above it; `row` is the thread's after it. */
export function outcomeRequests(row: Told, event: Event, { row: find }: Pick<Registry, "row">): Request[] {
  if (!TOLD.has(event.type)) return [];
  const { chain_root_id: by, parent_id } = row;
  // Named after the event: told again, it is the same.
  const request_id = `out_${event.thread_id}_${event.seq}`;
  const outcome = parent_id === null ? undefined : outcomeOf(row, event);
  const told =
    outcome && parent_id ? [{ kind: "outcome" as const, request_id, thread_id: parent_id, by, outcome }] : [];
  const report = reportOf(row, event);
  return report ? [...told, ...toWatchers(row, request_id, report, find)] : told;
}

/** A child that had ended lives again: a person had more to say to it (X4). */
export function revivalRequest(row: Told, successor: string): Request | undefined {
  const { chain_root_id: child_id, parent_id: thread_id, directive } = row;
  if (thread_id === null) return undefined;
  const outcome = { type: "child_thread_resumed" as const, child_id, directive, again: costOf(row) };
  return { kind: "outcome", request_id: `out_${successor}_again`, thread_id, by: child_id, outcome };
}

function costOf({ turns, input_tokens, output_tokens, spent, below }: Told) {
  return { turns, tokens: input_tokens + output_tokens, spent: plus(spent, below) };
}

/** A thread whose journal does not hold is set aside outside its fold: those above are told all the same (F5). */
export function damageRequests(row: Told, damage: Damage, { row: find }: Pick<Registry, "row">): Request[] {
  const { chain_root_id: child_id, parent_id: thread_id, directive } = row;
  const { last_good, why: message } = damage;
  const reason = "corrupt" as const;
  const outcome = { type: "child_thread_suspended" as const, child_id, directive, reason, message };
  const request_id = `out_${child_id}_damaged_${last_good}`;
  const told =
    thread_id === null ? [] : [{ kind: "outcome" as const, request_id, thread_id, by: child_id, outcome }];
  const report = { ...about(row), status: "suspended" as const, reason, error: message };
  return [...told, ...toWatchers(row, request_id, report, find)];
}

/**
 * A wait begins and names threads further down: how each of them is, as of this commit. What they do later they tell
 * themselves, since `watches` has them from this commit on: between the two nothing is lost and nothing told twice.
 */
export function firstReports(
  waiter: ThreadRow,
  event: Event,
  registry: Pick<Registry, "row" | "end">,
): Request[] {
  if (event.type !== "wait_started") return [];
  return (event.further ?? []).flatMap(({ id }) => {
    const row = registry.row(id);
    const report = row && present(row, registry);
    return row && report
      ? [reportTo(waiter.chain_root_id, `out_${row.thread_id}_${row.seq}`, id, report)]
      : [];
  });
}

/** Of a thread that lives the registry says enough; what one that has ended came to stands in its journal. */
function present(row: ThreadRow, { end }: Pick<Registry, "end">): Report | undefined {
  if (isTerminal(row.status)) {
    const event = end(row.thread_id);
    return event && reportOf(row, event);
  }
  const { status, corrupt, suspend_reason, error, waits_for: waits } = row;
  const base = about(row);
  if (corrupt) return { ...base, status: "suspended", reason: "corrupt", error: corrupt.why };
  // The registry tells of the last thread of a chain: that is never one that was continued.
  if (status === "continued") return undefined;
  if (status !== "suspended" || !suspend_reason) return { ...base, status };
  const goesOn = waits?.kind === "person" && waits.follows === "resume" ? waits.until : undefined;
  const when = goesOn === undefined ? {} : { resumes_at: goesOn };
  return { ...base, status, reason: suspend_reason, error: error ?? "", ...when };
}

/** Those above its parent whose waits have named it. The parent hears of it as of its child. */
function toWatchers({ chain_root_id, parent_id }: Told, name: string, report: Report, find: Registry["row"]) {
  const told: Request[] = [];
  for (let up = above(parent_id, find); up; up = above(up.chain_root_id, find)) {
    if (up.watches.includes(chain_root_id))
      told.push(reportTo(up.chain_root_id, name, chain_root_id, report));
  }
  return told;
}

function above(threadId: string | null, find: Registry["row"]): ThreadRow | undefined {
  const parent = threadId === null ? null : find(threadId)?.parent_id;
  return parent ? find(parent) : undefined;
}

function reportTo(thread_id: string, name: string, by: string, outcome: Report): Request {
  return { kind: "outcome", request_id: `${name}/${thread_id}`, thread_id, by, outcome };
}

function about({ chain_root_id: descendant_id, directive }: Told) {
  return { type: "descendant_reported" as const, descendant_id, directive };
}

/** The same as a parent is told; and that it began, for who found it only registered. */
function reportOf(row: Told, event: Event): Report | undefined {
  if (event.type === "thread_started") return { ...about(row), status: "running" };
  const outcome = outcomeOf(row, event);
  switch (outcome?.type) {
    case "child_thread_completed": {
      const { text, outputs, cost } = outcome;
      return { ...about(row), status: "completed", text, cost, ...(outputs ? { outputs } : {}) };
    }
    case "child_thread_failed": {
      const { status, error, text, cost } = outcome;
      return { ...about(row), status, error, text, cost };
    }
    case "child_thread_suspended": {
      const { reason, message: error, resumes_at } = outcome;
      const when = resumes_at === undefined ? {} : { resumes_at };
      return { ...about(row), status: "suspended", reason, error, ...when };
    }
    case "child_thread_resumed":
      return { ...about(row), status: "running" };
    case undefined:
      return undefined;
  }
}

function outcomeOf(row: Told, event: Event): Outcome | undefined {
  const { chain_root_id: child_id, directive } = row;
  const cost = costOf(row);
  switch (event.type) {
    case "thread_completed": {
      const { outputs } = event;
      const said = { child_id, directive, text: event.text, cost, ...(outputs ? { outputs } : {}) };
      return { type: "child_thread_completed", ...said };
    }
    case "thread_failed": {
      const { code, message, text = "" } = event;
      const error = `${code}: ${message}`;
      return { type: "child_thread_failed", child_id, directive, status: "error", error, text, cost };
    }
    case "thread_cancelled": {
      const { reason: error, text = "" } = event;
      return { type: "child_thread_failed", child_id, directive, status: "cancelled", error, text, cost };
    }
    case "thread_suspended": {
      const { reason, message, waits_for: waits } = event;
      const goesOn = waits.kind === "person" && waits.follows === "resume" ? waits.until : undefined;
      const when = goesOn === undefined ? {} : { resumes_at: goesOn };
      return { type: "child_thread_suspended", child_id, directive, reason, message, ...when };
    }
    case "thread_resumed":
      return { type: "child_thread_resumed", child_id, directive };
    default:
      return undefined;
  }
}
