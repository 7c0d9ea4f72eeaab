/** A thread that asked a question gets an answer to it first: the commands that give one. */
import { type NextStep, Problem } from "../../core/problem.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import { oneLine } from "../../core/text.ts";

/** The question that a suspended thread waits for; null when it waits for none. An answer that is stored is one. */
export function openQuestion(
  { waits_for, status }: Pick<ThreadRow, "waits_for" | "status">,
  requests: readonly Request[] = [],
): string | null {
  if (status !== "suspended" || waits_for?.kind !== "person") return null;
  const { approval_id: id = null } = waits_for;
  const isAnswered = requests.some((request) => request.kind === "decide" && request.approval_id === id);
  return isAnswered ? null : id;
}

export function answerSteps(approvalId: string, yes = "lets it go on"): NextStep[] {
  return [
    { cmd: `selvage approvals ${approvalId}`, why: "the whole question" },
    { cmd: `selvage approve ${approvalId}`, why: yes },
    { cmd: `selvage deny ${approvalId}`, why: "says no; its work is kept" },
  ];
}

export function requireNoQuestion(row: ThreadRow): void {
  const approvalId = openQuestion(row);
  if (approvalId === null) return;
  throw new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} waits for your answer to ${approvalId}.`,
    why: `It is suspended (${row.suspend_reason}): ${oneLine(row.error ?? "", 200)} Nothing was written.`,
    next: answerSteps(approvalId),
    threadId: row.thread_id,
  });
}
