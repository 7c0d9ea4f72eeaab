/** A question as programs get it (UX a.6), and what of it fits into a few words. What is absent is null. */
import { type ApprovalRow, type Decision, reminders } from "../../core/approval.ts";
import type { ThreadRow } from "../../core/row.ts";
import { oneLine } from "../../core/text.ts";
import { limitKey, limitText } from "./limit-text.ts";

/** An answer counts from the moment it is stored, whether or not the thread has taken it yet. */
export function approvalState({ state, decision }: ApprovalRow): ApprovalRow["state"] {
  return state === "open" && decision ? "decided" : state;
}

export function approvalObject(question: ApprovalRow, thread: ThreadRow | undefined, now: number) {
  const { approval, thread_id, asked_at, decision } = question;
  const state = approvalState(question);
  const until = decision ? Date.parse(decision.at) : now;
  const isVoid = state === "void" && !decision;
  return {
    approval_id: approval.approval_id as string | null,
    thread_id,
    directive: thread?.directive ?? null,
    reason: approval.reason as string,
    limit_code: approval.limit_code ?? null,
    current: approval.current ?? null,
    current_max: approval.current_max ?? null,
    proposed_max: approval.proposed_max ?? null,
    prompt: approval.prompt as string | null,
    asked_at,
    waits_seconds: isVoid ? null : Math.max(0, Math.round((until - Date.parse(asked_at)) / 1000)),
    reminders: isVoid ? null : reminders(question, until),
    resumes_at: state === "open" ? resumesAt(thread) : null,
    on_deny: approval.on_deny as string | null,
    call: approval.call ?? null,
    digest: approval.digest as string | null,
    state: state as string,
    decided: decision ? decidedObject(decision) : null,
    command: state === "open" ? `selvage approve ${approval.approval_id}` : null,
  };
}

export type ApprovalObject = ReturnType<typeof approvalObject>;

function decidedObject({ approved, by, via, at, limits, message }: Decision) {
  return { approved, by, via, at, new_limits: limits ?? null, message: message ?? null };
}

/** When a suspended thread goes on by itself; null when only somebody can let it. */
export function resumesAt(thread: Pick<ThreadRow, "waits_for"> | undefined): string | null {
  const waits = thread?.waits_for;
  return waits?.kind === "person" && waits.follows === "resume" ? (waits.until ?? null) : null;
}

/** What is asked for, in one line. */
export function asksText({ approval }: Pick<ApprovalRow, "approval">): string {
  const { limit_code, current_max, proposed_max, call, prompt } = approval;
  if (limit_code !== undefined) {
    const key = limitKey(limit_code);
    return oneLine(`${key} ${limitText(key, current_max)} → ${limitText(key, proposed_max)}`, 80);
  }
  if (call) return oneLine(`${call.tool} ${JSON.stringify(call.input)}`, 80);
  const [first = ""] = prompt.split("\n").filter((line) => line.trim() !== "");
  return oneLine(first, 80);
}

export function decidedText({ approved, by, via, at, message }: Decision): string {
  const said = message === undefined ? "" : `: ${oneLine(message, 200)}`;
  return `${approved ? "approved" : "denied"} by ${oneLine(by, 60)} (${oneLine(via, 20)}) at ${oneLine(at, 30)}${said}`;
}
