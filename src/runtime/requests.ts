/** An open request is answered before anything else happens in a thread (T1, §12). */
import { answerToSettle } from "../core/charge.ts";
import { closing, outcomeOf } from "../core/closing.ts";
import { pressureOf } from "../core/context.ts";
import { ahead, glide, type Moment } from "../core/decide.ts";
import { effectless } from "../core/effectless.ts";
import type { NewEvent } from "../core/event.ts";
import { light } from "../core/last-said.ts";
import { answerToBudget } from "../core/limit-change.ts";
import { last } from "../core/log.ts";
import type { CallResult } from "../core/message.ts";
import { nextAfterFailure, stoppedByFailure } from "../core/past-failure.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import { isTerminal } from "../core/status.ts";
import { answerToStop } from "../core/stop.ts";
import type { Thread } from "../core/thread.ts";
import { type Active, momentOf, record } from "./active.ts";
import { answerToDecision, answerToResume, answerToRetry } from "./answers.ts";
import { uninterrupt } from "./interrupting.ts";

/** Cancels come first; the rest in the order they were posted. What was said to one that lasts is taken down before its end. */
export async function consume(active: Active, how: "glide" | "alone" = "glide"): Promise<void> {
  const now = active.world.clock.now();
  const { lasting } = active.thread;
  const isEnding = active.open.some(({ kind }) => kind === "cancel");
  const ordered = isEnding
    ? [...active.open].sort((left, right) => rank(left, lasting) - rank(right, lasting))
    : active.open;
  const consumed: string[] = [];
  const events: NewEvent[] = [];
  let thread = light(active.thread);
  for (const request of ordered) {
    // What comes after the end is not answered: the commit voids it.
    if (isTerminal(thread.status)) break;
    const answer = answerTo(active, thread, request);
    events.push(...answer);
    consumed.push(request.request_id);
    thread = answer.reduce((fold, event) => ahead(fold, event, new Date(now).toISOString()), thread);
  }
  // Without its hooks nothing may follow: they would be passed over. None stands before the end of one that stops.
  const isAlone = how === "alone" && !active.thread.stopping;
  const moment = { ...momentOf(active), timerFired: false };
  const glided = isAlone
    ? { events: [...events, ...comingNext(thread, moment)] }
    : glide(active.thread, events, moment);
  await record(active, { ...glided, consumes: consumed });
  for (const id of consumed) active.taken.add(id);
  uninterrupt(active);
}

/** What was said to one that stopped over a failure is no request any more: that it goes on is said now, or nothing would wake it. */
function comingNext(thread: Thread, moment: Moment): readonly NewEvent[] {
  const said = nextAfterFailure(thread);
  return (said && effectless({ type: "follow_up", said }, thread, moment)?.events) ?? [];
}

function rank({ kind }: Request, lasting: boolean): number {
  if (lasting && kind === "message") return 0;
  return kind === "cancel" ? 1 : 2;
}

function answerTo(active: Active, thread: Thread, request: Request): NewEvent[] {
  const { request_id, by } = request;
  switch (request.kind) {
    case "cancel":
      return cancelled(thread, request);
    case "mark_error":
      return [...closing(thread), { type: "thread_failed", code: "E_MARKED", message: request.reason }];
    case "start":
      return thread.status === "created" ? [{ type: "thread_started", run: thread.run }] : [];
    case "message":
      return [messageReceived(thread.halting !== undefined || stoppedByFailure(thread), request)];
    case "stop":
      return answerToStop(thread, request);
    case "delivery":
      return [deliveryNoted(request)];
    case "auto_retry":
      return request.enabled === thread.autoRetry
        ? []
        : [{ type: "auto_retry_set", request_id, by, enabled: request.enabled }];
    case "resume":
      return answerToResume(active.world, thread, request);
    case "decide":
      return answerToDecision(active.world, thread, request);
    case "revoke":
      return [revoked(request)];
    case "outcome":
      return [request.outcome];
    case "retry":
      return answerToRetry(active.world, thread, request);
    case "budget":
      return answerToBudget(thread, request);
    case "settle":
      return answerToSettle(thread, request);
    case "compact":
      return answerToCompact(active, thread, request);
  }
}

/** What is said while it is being stopped is no part of what is stopped, nor of what has failed: it comes next. */
function messageReceived(
  comesNext: boolean,
  { request_id, by, text, after, replaces }: Request & { kind: "message" },
): NewEvent {
  const when = after || comesNext ? { after: "end" as const } : {};
  const instead = replaces === undefined ? {} : { replaces };
  return { type: "message_received", request_id, by, text, ...when, ...instead };
}

function deliveryNoted(request: Request & { kind: "delivery" }): NewEvent {
  const { request_id, by, for: about, what, state, message_id } = request;
  const where = message_id === undefined ? {} : { message_id };
  return { type: "delivery_noted", request_id, by, for: about, what, state, ...where };
}

/** Done before its next turn; asked for twice, it is done once. */
function answerToCompact(
  active: Active,
  thread: Thread,
  { request_id, by, instructions }: Request & { kind: "compact" },
): NewEvent[] {
  if (thread.compaction) return [];
  const { tokens, window } = pressureOf(thread, momentOf(active).windowOf?.(thread)) ?? {
    tokens: 0,
    window: 0,
  };
  const said = instructions === undefined ? {} : { instructions };
  return [{ type: "context_compaction_start", why: "person", tokens, window, by, request_id, ...said }];
}

function revoked(request: Request & { kind: "revoke" }): NewEvent {
  const { request_id, by, rights, from = request.thread_id } = request;
  return { type: "rights_revoked", request_id, revoked: rights.map((right) => ({ right, by, from })) };
}

const WRONG_NONCE = "it was meant for another run: its nonce does not match";
const OUTCOMES = {
  ok: "finished",
  error: "finished",
  stopped: "stopped",
  unknown: "outcome unknown",
} as const;

/** A cancel is bound to one run by its nonce: a left-over never hits a later run. */
function cancelled(thread: Thread, request: Request & { kind: "cancel" }): NewEvent[] {
  const { request_id, by, reason, after_tool } = request;
  const accepted = request.nonce === thread.nonce;
  const how = after_tool ? { after_tool } : {};
  const asked: NewEvent = { type: "cancel_requested", request_id, by, accepted, reason, ...how };
  if (!accepted) return [{ ...asked, reason: WRONG_NONCE }];
  const report = reportOf(thread);
  return [asked, ...closing(thread), { type: "thread_cancelled", reason, by, report }];
}

/** What became of every call that was under way: those of the open step, or of one that was closed by the stop itself. */
function reportOf({ step, wait, status, messages }: Thread): NewEvent<"thread_cancelled">["report"] {
  if (step) {
    return step.calls.map((call) => {
      const { call_id, tool, result } = call;
      const open = call_id === wait?.callId ? OUTCOMES.stopped : outcomeOf(call).report;
      return { call_id, tool, outcome: result ? told(result) : open };
    });
  }
  const latest = last(messages);
  if (status !== "running" || latest?.role !== "tool") return [];
  return latest.results.map((result) => {
    const { call_id, tool } = result;
    return { call_id, tool, outcome: told(result) };
  });
}

function told({ status, killed }: Pick<CallResult, "status" | "killed">): string {
  return killed && status === "stopped" ? "killed" : OUTCOMES[status];
}

export interface BlindAnswer {
  readonly events: readonly NewEvent[];
  readonly consumes: readonly string[];
}

/** What can be answered from the registry alone, when the journal cannot or should not be loaded: the ends. */
export function answerBlind(row: ThreadRow, open: readonly Request[]): BlindAnswer | undefined {
  const ending = open.find(
    (request) => (request.kind === "cancel" && request.nonce === row.nonce) || request.kind === "mark_error",
  );
  if (ending?.kind !== "cancel" && ending?.kind !== "mark_error") return undefined;
  const { request_id, by, reason } = ending;
  const consumes = [request_id];
  // A thread that never ran cannot fail: it is cancelled.
  if (ending.kind === "mark_error" && row.status !== "created") {
    return { events: [{ type: "thread_failed", code: "E_MARKED", message: reason }], consumes };
  }
  const asked: NewEvent = { type: "cancel_requested", request_id, by, accepted: true, reason };
  return { events: [asked, { type: "thread_cancelled", reason, by, report: [] }], consumes };
}

/** Requests that a thread set aside takes note of without being loaded. */
export function noteBlind(row: ThreadRow, open: readonly Request[]): BlindAnswer {
  const events: NewEvent[] = row.status === "created" ? [{ type: "thread_started", run: row.run }] : [];
  const consumes: string[] = [];
  for (const request of open) {
    const { request_id, by } = request;
    consumes.push(request_id);
    if (request.kind === "message") events.push(messageReceived(false, request));
    if (request.kind === "delivery") events.push(deliveryNoted(request));
    if (request.kind === "resume" && request.message !== undefined)
      events.push({ type: "message_received", request_id, by, text: request.message });
    if (request.kind === "auto_retry")
      events.push({ type: "auto_retry_set", request_id, by, enabled: request.enabled });
    if (request.kind === "cancel") {
      events.push({ type: "cancel_requested", request_id, by, accepted: false, reason: WRONG_NONCE });
    }
    // What it is at stands in the journal, which is not read here.
    if (request.kind === "stop") events.push({ type: "stop_requested", request_id, by, hits: "nothing" });
    if (request.kind === "revoke") events.push(revoked(request));
    if (request.kind === "outcome") events.push(request.outcome);
    if (request.kind === "budget") events.push(...answerToBudget(row, request));
    if (request.kind === "settle") {
      // What it counts with stands in the journal, which is not read here.
      const { hold } = request;
      const refused = "its owners died too often; say it again once it goes on";
      events.push({ type: "charge_corrected", request_id, by, hold, amount: 0, was: 0, refused });
    }
    if (request.kind === "decide") {
      const { approval_id, approved, via, message } = request;
      const said = message === undefined ? {} : { message };
      events.push({ type: "approval_decided", approval_id, approved, by, via, ...said });
    }
  }
  return { events, consumes };
}
