/** Which question a person means: its id, a unique beginning of it, or the thread that asks it. */
import type { ApprovalRow } from "../../core/approval.ts";
import { closest } from "../../core/closest.ts";
import { Problem } from "../../core/problem.ts";
import type { Store } from "../../core/store.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { approvalState, asksText, decidedText } from "./approval-object.ts";
import { alreadyDecided, sinceThen } from "./given-answer.ts";
import { resolveThread } from "./resolve.ts";

const LIST = { cmd: "selvage approvals -a", why: "lists the questions" };
/** What every id of a question begins with. */
const MARK = "ap_";

export async function resolveApproval(world: World, text: string): Promise<ApprovalRow> {
  const { store } = world;
  const [exact] = await store.approvals({ approvalId: text });
  if (exact) return exact;
  const beginning = text.startsWith(MARK) ? await store.approvals({ prefix: text }) : [];
  const [only] = beginning;
  if (only && beginning.length === 1) return only;
  if (only) throw ambiguous(text, beginning);
  return questionOrUnknown(world, text);
}

/** A directive may be called like a question, so a thread is looked for as well; but a question was asked for. */
async function questionOrUnknown(world: World, text: string): Promise<ApprovalRow> {
  try {
    return await questionOf(world, text);
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined;
    if (code === "E_THREAD_NOT_FOUND" || (code === "E_BAD_ID" && text.startsWith(MARK)))
      throw await unknown(world.store, text);
    throw error;
  }
}

async function questionOf(world: World, text: string): Promise<ApprovalRow> {
  const { store } = world;
  const { thread_id: threadId, status } = await resolveThread(store, text);
  const asked = await store.approvals({ threadId });
  const [open, ...others] = asked.filter((question) => approvalState(question) === "open");
  if (open && others.length > 0) throw ambiguous(text, [open, ...others]);
  if (open) return open;
  const last = asked.findLast(({ decision }) => decision)?.decision;
  const { why, next } = await sinceThen(world, threadId);
  const said = last ? `Its last question was ${decidedText(last)}. ${why}` : "";
  throw new Problem("E_WRONG_STATE", {
    what: `${threadId} has no open question.`,
    why: `It is ${status}. ${said}Nothing was written.`,
    next: [last ? next : { cmd: `selvage show ${threadId}`, why: "its state, and what fits it" }],
    threadId,
  });
}

/** Throws when it cannot be answered any more: the first answer counts, and a thread that went on asks no longer. */
export async function requireOpen(world: World, question: ApprovalRow): Promise<void> {
  const { approval, decision, thread_id: threadId } = question;
  if (decision) throw await alreadyDecided(world, question, decision);
  if (question.state === "open") return;
  throw new Problem("E_WRONG_STATE", {
    what: `${approval.approval_id} cannot be answered any more: it is void.`,
    why: "Its thread went on or ended without an answer. Nothing was written.",
    next: [{ cmd: `selvage show ${threadId}`, why: "what became of it" }],
    threadId,
  });
}

function ambiguous(text: string, questions: readonly ApprovalRow[]): Problem {
  const shown = questions
    .slice(0, 8)
    .map((question) => `${question.approval.approval_id}  ${approvalState(question)}  ${asksText(question)}`);
  return new Problem("E_AMBIGUOUS_ID", {
    what: `${questions.length} questions begin with ${oneLine(text, 60)}.`,
    why: shown.join("\n"),
    next: [LIST],
  });
}

async function unknown(store: Store, text: string): Promise<Problem> {
  const open = await store.approvals({ states: ["open"] });
  const near = closest(
    text.slice(0, 60),
    open.flatMap(({ approval, thread_id }) => [approval.approval_id, thread_id]),
  );
  return new Problem("E_APPROVAL_NOT_FOUND", {
    what: `There is no question ${oneLine(text, 60)} in this project.`,
    why:
      near.length > 0
        ? `Close to it: ${near.join(", ")}.`
        : "No question has this id or begins with it, and no thread that asks one.",
    next: [LIST],
  });
}
