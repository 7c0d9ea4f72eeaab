/** What an answer came to, in one line, with what exactly was agreed to. */
import { isTerminal, type Status } from "../../core/status.ts";
import { oneLine } from "../../core/text.ts";
import type { Fate, Given, Verdict } from "./answering.ts";
import { callText } from "./approval-text.ts";
import { changeText } from "./limit-text.ts";
import { ownerName } from "./owner.ts";
import { person } from "./person.ts";

export function answerText({ target, fate }: Given, { resume }: Verdict): string {
  const { question, row, limits, isMoot } = target;
  const { approval_id, call } = question.approval;
  const agreed = isMoot
    ? "is not run all the same, since the right to it was taken away"
    : "may run exactly this";
  const what = [
    ...(limits ? [changeText(row.limits, limits)] : []),
    ...(call ? [`${oneLine(call.tool, 60)} ${agreed}`] : []),
  ];
  const said = what.length > 0 ? `: ${what.join("; ")}` : "";
  const head = `✓ ${approval_id} approved by ${person()}${said}. ${goesOn(row.thread_id, fate, resume)}`;
  return [head, ...(call ? callText(call) : [])].join("\n");
}

function goesOn(threadId: string, fate: Fate, resume: boolean): string {
  if (!resume) return `${threadId} stays suspended: selvage resume ${threadId}`;
  if (fate.type === "elsewhere") return `${threadId} goes on in ${ownerName(fate.owner)}, which hosts it.`;
  return `${threadId} is running again.`;
}

export function deniedText({ target, fate }: Given, status: Status | undefined): string {
  const { question, row } = target;
  const { approval_id, call } = question.approval;
  const { thread_id } = row;
  const said = call ? `: ${oneLine(call.tool, 60)} is refused` : "";
  return `⊘ ${approval_id} denied by ${person()}${said}. ${afterNo(thread_id, fate, status)}`;
}

function afterNo(threadId: string, fate: Fate, status: Status | undefined): string {
  if (fate.type === "elsewhere") return `${threadId} is told by ${ownerName(fate.owner)}, which hosts it.`;
  if (fate.type === "applied" && !fate.isDone)
    return `The answer is stored; the owner of ${threadId} takes it.`;
  if (status === "cancelled") return `${threadId} is cancelled; its work is kept: selvage show ${threadId}`;
  if (status && isTerminal(status)) return `${threadId} is ${status}.`;
  return `${threadId} goes on with that when somebody hosts it: selvage recover ${threadId}`;
}
