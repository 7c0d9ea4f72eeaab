/**
 * One question in full. What it says comes from models and repositories: it is shown as data, every line of it
 * behind a bar that nothing inside can draw, so that no text can pass for ours (E6).
 */
import type { Approval, ApprovalRow } from "../../core/approval.ts";
import { oneLine, spelledOut, stripControls } from "../../core/text.ts";
import { type ApprovalObject, asksText, decidedText } from "./approval-object.ts";
import { age, counted, shortTime } from "./moment.ts";

export function questionText(question: ApprovalRow, object: ApprovalObject, now: number): string {
  const { approval, decision } = question;
  const line = (label: string, text: string) => `  ${label.padEnd(9)} ${text}`;
  const reminded = object.reminders ? ` · reminded ${counted(object.reminders, "time")}` : "";
  return [
    `${approval.approval_id}  ${object.state}`,
    line("thread", `${question.thread_id} · ${oneLine(object.directive ?? "", 60)}`),
    line("asks", asksText(question)),
    line("reason", `${approval.reason} · asked ${age(now - Date.parse(question.asked_at))} ago${reminded}`),
    ...(object.resumes_at ? [line("resumes", `by itself at ${shortTime(object.resumes_at, now)}`)] : []),
    "",
    ...barred(stripControls(approval.prompt)),
    "",
    ...(approval.call ? [...callText(approval.call), ""] : []),
    ...(decision ? [line("decided", decidedText(decision))] : []),
    ...(object.state === "open" ? choices(approval) : []),
    line("digest", `${approval.digest} over exactly what is shown here`),
  ].join("\n");
}

function choices({ approval_id, on_deny }: Approval): string[] {
  const no =
    on_deny === "refuse_call" ? "refuses the call; the thread goes on" : "ends the thread; its work is kept";
  return [`  yes       selvage approve ${approval_id}`, `  no        selvage deny ${approval_id}      ${no}`];
}

/** The whole call, with what is hidden spelled out: what is not seen cannot be agreed to. */
export function callText(call: NonNullable<Approval["call"]>): string[] {
  const input = spelledOut(JSON.stringify(call.input, null, 2) ?? "null");
  return [`  call      ${oneLine(call.tool, 100)}`, ...barred(input)];
}

function barred(text: string): string[] {
  return text.split("\n").map((line) => `  │ ${line}`.trimEnd());
}
