/** `reduceRow`: the registry's line about a thread, folded inside the commit. Constant size, whatever the thread's age. */
import type { ApprovalChange } from "./approval.ts";
import { type Membership, reduceMemberships } from "./channel-registry.ts";
import { rowTakenOver } from "./context-fold.ts";
import type { Event } from "./event.ts";
import type { Limits } from "./limit.ts";
import { plus } from "./money.ts";
import { canMove, isTerminal, type Status } from "./status.ts";
import type { SuspendReason, WaitsFor } from "./suspension.ts";
import { WAITS_FOR_MESSAGE, waitsForChildren } from "./waits-for.ts";

/** Recomputable from the journal; `verify` does so. */
export interface RowFold {
  readonly thread_id: string;
  readonly chain_root_id: string;
  readonly root_id: string;
  readonly parent_id: string | null;
  /** The threads of its chain before and after it. */
  readonly continuation_of: string | null;
  readonly continuation_thread_id: string | null;
  readonly directive: string;
  readonly model: string;
  /** What only the program that started it has: nobody else runs it (`brought.ts`). */
  readonly brought: readonly string[];
  /** Where people write to it, if they do. */
  readonly address: string | null;
  readonly limits: Limits;
  readonly status: Status;
  readonly suspend_reason: SuspendReason | null;
  readonly waits_for: WaitsFor | null;
  readonly run: number;
  readonly nonce: string;
  readonly seq: number;
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly active_ms: number;
  /** Nano-dollars that were billed, and that are held for the request under way. */
  readonly spent: number;
  readonly held: number;
  /** Children that have not ended; nano-dollars of those that have, with everything below them. */
  readonly living: number;
  readonly below: number;
  /** Threads further down that its waits have named and that have not ended: it is told of them. */
  readonly watches: readonly string[];
  /** The channels that it is, or was, in. */
  readonly channels: readonly Membership[];
  /** How it ends as soon as its last child has. */
  readonly stopping: Event<"thread_stopping">["end"] | null;
  readonly recoveries: number;
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Facts outside the fold: who owns it, how its claims ended, where its journal is damaged. */
interface Registration {
  readonly epoch: number;
  readonly owner: string | null;
  /** Wall times at which a claim found a dead owner, since the thread last made progress (R5). */
  readonly strikes: readonly number[];
  readonly corrupt: Damage | null;
  /** Head of the hash chain. */
  readonly hash: string;
}

export interface Damage {
  readonly last_good: number;
  readonly why: string;
}

export type ThreadRow = RowFold & Registration;

/** What a thread's folders are called. */
export type Named = Pick<ThreadRow, "thread_id" | "chain_root_id" | "continuation_of" | "root_id">;

export function newRow(threadId: string): RowFold {
  return {
    thread_id: threadId,
    chain_root_id: threadId,
    root_id: threadId,
    parent_id: null,
    continuation_of: null,
    continuation_thread_id: null,
    directive: "",
    model: "",
    brought: [],
    address: null,
    limits: {},
    status: "created",
    suspend_reason: null,
    waits_for: null,
    run: 0,
    nonce: "",
    seq: 0,
    turns: 0,
    input_tokens: 0,
    output_tokens: 0,
    active_ms: 0,
    spent: 0,
    held: 0,
    living: 0,
    below: 0,
    watches: [],
    channels: [],
    stopping: null,
    recoveries: 0,
    error: null,
    created_at: "",
    updated_at: "",
  };
}

export function reduceRow<R extends RowFold>(row: R, event: Event): R {
  const base = { ...row, seq: event.seq, updated_at: event.ts };
  switch (event.type) {
    case "thread_created":
      return created(base, event);
    case "thread_started":
      return moved(base, "running");
    case "cognition_out": {
      const { usage } = event;
      const input = usage.input + usage.cache_read + usage.cache_write;
      return {
        ...billed(base, event.bill),
        turns: base.turns + 1,
        input_tokens: base.input_tokens + input,
        output_tokens: base.output_tokens + usage.output,
      };
    }
    case "step_start":
      return { ...base, held: event.hold?.amount ?? base.held };
    case "error_classified":
      return billed(base, event.bill);
    case "step_finish":
      return { ...base, active_ms: base.active_ms + event.duration_ms };
    case "auto_retry_start":
      return { ...base, waits_for: { kind: "timer", what: "retry", until: event.wakeAt } };
    case "auto_retry_end":
      return { ...base, waits_for: null };
    case "message_answered":
    case "message_stopped":
    case "stop_requested":
    case "cognition_in":
    case "message_received":
      return spoken(base, event);
    case "budget_changed":
      return { ...base, limits: { ...base.limits, ...event.limits } };
    case "charge_corrected":
      return event.refused === undefined ? { ...base, spent: base.spent + event.amount - event.was } : base;
    case "thread_suspended":
      if (base.status === "suspended") return { ...base, waits_for: event.waits_for };
      return moved(base, "suspended", {
        suspend_reason: event.reason,
        waits_for: event.waits_for,
        error: brief(event.message),
      });
    case "thread_resumed":
      return moved(base, "running", { run: event.run, nonce: event.nonce, error: null });
    case "thread_completed":
      return moved(charged(base), "completed");
    case "thread_failed":
      return moved(charged(base), "error", { error: brief(event.message) });
    case "thread_cancelled":
      return moved(charged(base), "cancelled");
    case "thread_continued":
      return moved(base, "continued", { continuation_thread_id: event.to });
    case "crash_recovered":
      return { ...billed(base, event.bill), recoveries: base.recoveries + 1 };
    default:
      return aboutChildren(base, event);
  }
}

type Spoken = "message_answered" | "message_stopped" | "stop_requested" | "cognition_in" | "message_received";

/** What is said to it, and what came of that. */
function spoken<R extends RowFold>(row: R, event: Event<Spoken>): R {
  switch (event.type) {
    case "message_answered":
      return { ...row, waits_for: WAITS_FOR_MESSAGE };
    case "message_stopped":
      return event.unread ? row : { ...row, waits_for: WAITS_FOR_MESSAGE };
    case "stop_requested":
      return event.hits === "work" ? { ...moved(row, "running", { error: null }), waits_for: null } : row;
    case "cognition_in":
      return heeded(row);
    case "message_received":
      return event.after ? row : heeded(row);
  }
}

/** Whoever waited for a message has one. */
function heeded<R extends RowFold>(row: R): R {
  return row.waits_for?.kind === "message" ? { ...row, waits_for: null } : row;
}

/** What happens to its children. */
function aboutChildren<R extends RowFold>(row: R, event: Event): R {
  switch (event.type) {
    case "child_thread_started":
      return { ...row, living: row.living + 1, ...(event.for ? { waits_for: waitsForChildren(event) } : {}) };
    case "context_compaction_end":
      return { ...row, waits_for: null };
    case "child_thread_completed":
    case "child_thread_failed":
      return { ...row, living: Math.max(0, row.living - 1), below: plus(row.below, event.cost.spent) };
    case "child_thread_resumed":
      if (!event.again) return row;
      return { ...row, living: row.living + 1, below: Math.max(0, row.below - event.again.spent) };
    case "wait_started":
      return { ...row, waits_for: waitsForChildren(event), watches: watched(row.watches, event) };
    case "descendant_reported": {
      const { descendant_id: id, status } = event;
      const isOver = isTerminal(status) && row.watches.includes(id);
      return isOver ? { ...row, watches: row.watches.filter((each) => each !== id) } : row;
    }
    case "wait_finished":
      return { ...row, waits_for: null };
    case "thread_stopping":
      return { ...row, waits_for: waitsForChildren(event), stopping: event.end };
    case "channel_joined":
    case "channel_posted":
    case "channel_left":
      return { ...row, channels: reduceMemberships(row.channels, event) };
    default:
      return row;
  }
}

function watched(before: readonly string[], { further = [] }: Event<"wait_started">): readonly string[] {
  const fresh = further.map(({ id }) => id).filter((id) => !before.includes(id));
  return fresh.length > 0 ? [...before, ...fresh] : before;
}

function created<R extends RowFold>(row: R, event: Event<"thread_created">): R {
  const { chain_root_id, root_id, parent_id, directive, model, limits, run, nonce, ts } = event;
  const said = { chain_root_id, root_id, parent_id, directive, model, limits, run, nonce };
  const continuation_of = event.continuation_of ?? null;
  const { brought = [], address = null } = event;
  return { ...row, ...said, brought, address, continuation_of, created_at: ts, ...rowTakenOver(event) };
}

function billed<R extends RowFold>(row: R, bill: { readonly amount: number } | undefined): R {
  return bill ? { ...row, spent: plus(row.spent, bill.amount), held: 0 } : row;
}

/** What is still held when a thread ends is charged: nobody will say what it was. */
function charged<R extends RowFold>(row: R): R {
  return { ...row, spent: row.spent + row.held, held: 0 };
}

/** Durable wake-ups follow from the events too: what one event sets or clears. */
export function timerChange(event: Event): { readonly due: string | null } | undefined {
  switch (event.type) {
    case "auto_retry_start":
      return { due: event.wakeAt };
    case "thread_suspended":
      return { due: event.waits_for.kind === "person" ? (event.waits_for.until ?? null) : null };
    case "wait_started":
      return { due: event.until ?? null };
    case "stop_requested":
      return event.hits === "work" ? { due: null } : undefined;
    case "auto_retry_end":
    case "wait_finished":
    case "thread_stopping":
    case "thread_resumed":
    case "thread_completed":
    case "thread_failed":
    case "thread_cancelled":
      return { due: null };
    default:
      return undefined;
  }
}

/** The questions of a chain follow from the events: asked, decided, or void once the thread goes on or ends. */
export function approvalChange(event: Event): ApprovalChange | undefined {
  switch (event.type) {
    case "approval_requested": {
      const { v: _v, seq: _seq, ts, thread_id: _id, type: _type, ...approval } = event;
      return { type: "open", approval, asked_at: ts };
    }
    case "approval_decided": {
      const { approval_id, approved, by, via, message, ts: at } = event;
      return { type: "decided", decision: { approval_id, approved, by, via, at, message } };
    }
    case "stop_requested":
      return event.hits === "work" ? { type: "void" } : undefined;
    case "thread_resumed":
    case "thread_completed":
    case "thread_failed":
    case "thread_cancelled":
      return { type: "void" };
    default:
      return undefined;
  }
}

/** Events that recovery writes, or that say nothing about the thread getting on, do not clear its strikes (R5). */
export function isProgress(event: Event): boolean {
  switch (event.type) {
    case "crash_detected":
    case "crash_recovered":
    case "cancel_requested":
    case "stop_requested":
    case "rights_revoked":
    case "child_thread_completed":
    case "child_thread_failed":
    case "child_thread_suspended":
    case "child_thread_resumed":
    case "channel_heard":
    case "descendant_reported":
    case "message_received":
    case "delivery_noted":
    case "system_changed":
    case "auto_retry_set":
    case "budget_changed":
    case "charge_corrected":
    case "process_stopped":
    // Money is held anew for a request that is made again after a death: that is no step forward.
    case "step_start":
      return false;
    case "error_classified":
      return event.category !== "cancelled";
    case "tool_call_result":
      return event.source === "run";
    default:
      return true;
  }
}

function moved<R extends RowFold>(row: R, to: Status, more: Partial<RowFold> = {}): R {
  if (!canMove(row.status, to)) return row;
  return { ...row, suspend_reason: null, waits_for: null, ...more, status: to };
}

/** By code point: half a surrogate pair would not come back from the store as it went in. */
function brief(message: string): string {
  const points = [...message.slice(0, 400)];
  return points.length > 200 || message.length > 400 ? `${points.slice(0, 199).join("")}…` : message;
}
