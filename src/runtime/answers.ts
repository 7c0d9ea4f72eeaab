/** What a thread writes down when a person answers a question, lets it go on, or steps into its retries (L4–L6, E5). */
import { approvalDigest } from "../core/approval.ts";
import { closing } from "../core/closing.ts";
import type { NewEvent } from "../core/event.ts";
import { randomName } from "../core/id.ts";
import { renewed } from "../core/last-said.ts";
import { type Limits, limitKeyOf } from "../core/limit.ts";
import { suspend } from "../core/question.ts";
import type { Request } from "../core/request.ts";
import { retryCancelled } from "../core/retry.ts";
import { mayLetGoOn, type WaitsFor } from "../core/suspension.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { askingNeeds } from "./active.ts";
import { systemOf } from "./fresh-system.ts";

type Asked<K extends Request["kind"]> = Request & { readonly kind: K };

/** Bound to one run by the nonce, as a cancel is: what was meant for an earlier stop does nothing. */
export function answerToResume(world: World, thread: Thread, request: Asked<"resume">): NewEvent[] {
  if (!isAsked(thread) || request.nonce !== thread.nonce) return keptWords(thread, request);
  const { by, limits, at } = request;
  // It may have stopped for something else since its parent looked.
  if (by === thread.parentId && !mayLetGoOn(thread.suspendReason)) return [];
  const said = [...raise(by, limits), ...message(request)];
  if (at !== undefined) return [...said, waitUntil(thread, at)];
  const fresh = renewed(thread, request.request_id, { systemOf: systemOf(world) });
  return [...said, resumed(world, thread, request), ...fresh];
}

/** It went on, or was stopped, meanwhile: people talk to one that lasts, and no word of theirs is lost. */
function keptWords({ lasting }: Thread, request: Asked<"resume">): NewEvent[] {
  return lasting ? message(request).map((said) => ({ ...said, after: "end" as const })) : [];
}

/** Whoever is being stopped does not wait for anybody's word any more. */
function isAsked({ status, stopping }: Thread): boolean {
  return status === "suspended" && !stopping;
}

function waitUntil(thread: Thread, until: string): NewEvent {
  const { suspendReason = "error", waitsFor } = thread;
  const message = `It goes on by itself at ${until}.`;
  return {
    type: "thread_suspended",
    reason: suspendReason,
    message,
    waits_for: { ...person(thread, waitsFor), what: "the time that was named", until, follows: "resume" },
  };
}

function person(thread: Thread, waitsFor: WaitsFor | undefined): WaitsFor & { kind: "person" } {
  if (waitsFor?.kind === "person") return waitsFor;
  return {
    kind: "person",
    what: "a person",
    who: "anyone who may run selvage here",
    how: `selvage resume ${thread.id}`,
  };
}

/** The answer to its open question. One that is void by now changes nothing. */
export function answerToDecision(world: World, thread: Thread, request: Asked<"decide">): NewEvent[] {
  const { approval } = thread;
  if (!isAsked(thread) || approval?.approval_id !== request.approval_id) return [];
  const { approval_id, by, via } = request;
  const approved = request.approved && isWhatWasShown(world, thread);
  const decided: NewEvent = {
    type: "approval_decided",
    approval_id,
    approved,
    by,
    via,
    ...(request.message === undefined ? {} : { message: request.message }),
  };
  if (!approved) return [decided, ...denied(world, thread, request)];
  const said = [decided, ...raise(by, request.limits ?? proposed(thread)), ...message(request)];
  return request.resume ? [...said, resumed(world, thread, request)] : [...said, stays(thread)];
}

/** The digest binds what was shown to what happens: a question that no longer matches its thread is not agreed to. */
function isWhatWasShown(world: World, thread: Thread): boolean {
  const { approval } = thread;
  if (!approval) return false;
  return approvalDigest(thread, approval, world.sha256) === approval.digest;
}

/** An approval without numbers takes the proposed ones. */
function proposed({ approval, limits }: Thread): Limits | undefined {
  const { limit_code: code, proposed_max: max } = approval ?? {};
  const key = code && limitKeyOf(code);
  if (key === undefined || max === undefined) return undefined;
  // Somebody may have raised it since it was asked: a yes never lowers anything.
  return Number(max) > Number(limits[key] ?? 0) ? { [key]: max } : undefined;
}

function denied(world: World, thread: Thread, request: Asked<"decide">): NewEvent[] {
  const { by, message: why } = request;
  const refused = refusedCall(thread, `A person refused this call${why === undefined ? "." : `: ${why}`}`);
  if (refused) return [refused, resumed(world, thread, request)];
  const reason = why === undefined ? "denied" : `denied: ${why}`;
  return [...closing(thread), { type: "thread_cancelled", reason, by, report: [] }];
}

/** A "no" to a question about one call is its result; undefined for every other question. */
export function refusedCall(thread: Thread, output: string): NewEvent | undefined {
  const { approval } = thread;
  if (approval?.on_deny !== "refuse_call" || !approval.call) return undefined;
  const { call_id, tool } = approval.call;
  const turn = thread.step?.turn ?? thread.turns;
  const said = { turn, call_id, tool, status: "error" as const, output };
  return { type: "tool_call_result", ...said, source: "repair", duration_ms: 0 };
}

/** Agreed, and not let go yet: from here on a plain resume does it. */
function stays(thread: Thread): NewEvent {
  const { suspendReason = "approval" } = thread;
  const { approval_id: _, until: __, follows: ___, ...waits } = person(thread, thread.waitsFor);
  const waits_for = { ...waits, what: "somebody to resume it", how: `selvage resume ${thread.id}` };
  return {
    type: "thread_suspended",
    reason: suspendReason,
    message: "Approved; it goes on when somebody resumes it.",
    waits_for,
  };
}

function resumed(world: World, thread: Thread, { request_id, by }: Request): NewEvent {
  const nonce = randomName(world.random(16));
  return { type: "thread_resumed", request_id, by, run: thread.run + 1, nonce };
}

function raise(by: string, limits: Limits | undefined): NewEvent[] {
  return limits && Object.keys(limits).length > 0 ? [{ type: "budget_changed", by, limits }] : [];
}

function message({
  request_id,
  by,
  message: text,
}: Asked<"resume" | "decide">): NewEvent<"message_received">[] {
  return text === undefined ? [] : [{ type: "message_received", request_id, by, text }];
}

/** Only while it sleeps: a request under way is not touched, nor one that hooks are asked about. */
export function answerToRetry(world: World, thread: Thread, request: Asked<"retry">): NewEvent[] {
  const chain = thread.step?.retry;
  if (thread.status !== "running" || !chain || thread.step?.answer || thread.step?.undecided) return [];
  const { by } = request;
  if (request.action === "stop") {
    const question = {
      reason: "error" as const,
      message: `Retry cancelled by ${by}: ${chain.error}`,
      what: "somebody to let it ask again",
    };
    return [...retryCancelled(thread), ...suspend(thread, question, askingNeeds(world))];
  }
  const { attempt, maxAttempts, error: errorMessage } = chain;
  const wakeAt = new Date(world.clock.now()).toISOString();
  return [{ type: "auto_retry_start", attempt, maxAttempts, delayMs: 0, errorMessage, wakeAt, by }];
}
