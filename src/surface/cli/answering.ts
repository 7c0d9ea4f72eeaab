/**
 * Answers to questions (L4, R2): all of them are looked at before the first is posted; then a live host does the
 * rest, or it is done here. A yes hosts the tree in the foreground, a no needs neither model nor tool.
 */
import type { ApprovalRow } from "../../core/approval.ts";
import type { Limits } from "../../core/limit.ts";
import { Problem } from "../../core/problem.ts";
import { toolRight } from "../../core/right.ts";
import { leaveFor } from "../../core/rights.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { Posted } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { applyRequests, newRequestId, postInbox, postRequest } from "../../runtime/index.ts";
import { requireOpen, resolveApproval } from "./approval-resolve.ts";
import { requireFitting } from "./cap-check.ts";
import { alreadyDecided } from "./given-answer.ts";
import { PATIENCE_MS } from "./hosting.ts";
import type { OpenProject } from "./house.ts";
import { limitKey } from "./limit-text.ts";
import { type LimitOptions, limitsOver, stillBreached } from "./limits-given.ts";
import { person } from "./person.ts";
import { rightsNow } from "./rights-now.ts";
import { surveyOne } from "./survey.ts";
import { seeThread } from "./thread-object.ts";

export interface Verdict {
  readonly approved: boolean;
  readonly message?: string | undefined;
  readonly limits: LimitOptions;
  /** False: the yes is taken down, and the thread stays where it is. */
  readonly resume: boolean;
  /** Told of each answer before anything follows from it. */
  readonly onStored?: (question: ApprovalRow) => void;
}

export interface Target {
  readonly question: ApprovalRow;
  readonly row: ThreadRow;
  /** The new limits that go with the yes; those that were proposed when nobody said others. */
  readonly limits: Limits | undefined;
  /** The right to the call that is asked about was taken away: a yes does not run it. */
  readonly isMoot?: boolean;
}

/** `elsewhere`: a live host does the rest. `here`: it is to be hosted now. `applied`: nothing has to run for it. */
export type Fate =
  | { readonly type: "elsewhere"; readonly owner: string }
  | { readonly type: "here" }
  | { readonly type: "applied"; readonly isDone: boolean };

export interface Given {
  readonly target: Target;
  readonly fate: Fate;
}

export interface Refused {
  readonly target: Target;
  readonly problem: Problem;
}

/** Everything that speaks against an answer is said here, before anything is written. */
export async function chooseTargets(
  project: OpenProject,
  texts: readonly string[],
  verdict: Verdict,
): Promise<Target[]> {
  const { world } = project;
  await postInbox(world, await world.store.candidates("*"));
  const questions = new Map<string, ApprovalRow>();
  for (const text of texts) {
    const question = await resolveApproval(world, text);
    questions.set(question.approval.approval_id, question);
  }
  const targets: Target[] = [];
  for (const question of questions.values()) {
    await requireOpen(world, question);
    targets.push(await targetOf(project, question, verdict));
  }
  return targets;
}

async function targetOf(project: OpenProject, question: ApprovalRow, verdict: Verdict): Promise<Target> {
  const { world } = project;
  const { thread_id: threadId } = question;
  const [row] = await world.store.find({ threadId, limit: 1 });
  if (!row) throw new Error(`${threadId} is gone from the store`);
  if (!verdict.approved) return { question, row, limits: undefined };
  const sighting = await surveyOne(world, row);
  // A thread whose model cannot be reached would only fail: better said before the answer than after it.
  // What only its program has is nobody else's to look for: the answer waits for that.
  const isPrograms = row.brought.includes(row.model);
  if (verdict.resume && !sighting.host && !isPrograms) project.requireModel(row.model);
  const seen = await seeThread(world, sighting);
  const { thread } = seen;
  const limits = limitsOver(thread.limits, verdict.limits);
  const isGiven = Object.keys(limits).length > 0;
  const asked = question.approval.limit_code;
  const { call } = question.approval;
  const isMoot = call !== undefined && leaveFor(rightsNow(seen), toolRight(call.tool)) === "denied";
  if (!isGiven)
    return { question, row, limits: asked === undefined ? undefined : proposed(question), isMoot };
  const key = asked === undefined ? undefined : limitKey(asked);
  const breach = stillBreached(thread, limits, key);
  if (breach) throw tooLow(question, breach);
  await requireFitting(world, row, limits);
  return { question, row, limits, isMoot };
}

function proposed({ approval: { limit_code, proposed_max } }: ApprovalRow): Limits | undefined {
  return limit_code === undefined || proposed_max === undefined
    ? undefined
    : { [limitKey(limit_code)]: proposed_max };
}

function tooLow(
  { approval, thread_id: threadId }: ApprovalRow,
  { key, current, max }: { key: string; current: number; max: number },
): Problem {
  const { approval_id, proposed_max } = approval;
  const used =
    current >= max ? `${current} are used` : `${current} are used, and the next turn needs more than is left`;
  return new Problem("E_USAGE", {
    what: `A ${key} limit of ${max} would stop ${threadId} again at once.`,
    why: `Of its ${key}, ${used}. Nothing was written.`,
    next: [
      ...(proposed_max === undefined
        ? []
        : [{ cmd: `selvage approve ${approval_id}`, why: `takes what was proposed: ${proposed_max}` }]),
      { cmd: `selvage approve ${approval_id} --add ${key}=…`, why: "adds to the limit there is" },
    ],
    threadId,
  });
}

/** Posts one answer. The first one of all counts: who comes later is told who decided. */
export async function give(world: World, target: Target, verdict: Verdict): Promise<Given | Refused> {
  const { question, row, limits } = target;
  const { approved, message, resume } = verdict;
  const posted = await postRequest(world, {
    kind: "decide",
    request_id: newRequestId(world),
    thread_id: row.thread_id,
    by: person(),
    approval_id: question.approval.approval_id,
    approved,
    via: "cli",
    message,
    limits,
    resume,
  });
  if (!posted.accepted) return { target, problem: await refusal(world, question, posted) };
  verdict.onStored?.(question);
  if (posted.host) return { target, fate: { type: "elsewhere", owner: posted.host.owner } };
  if (approved && resume) return { target, fate: { type: "here" } };
  const isDone = await applyRequests(world, row.thread_id, PATIENCE_MS);
  return { target, fate: { type: "applied", isDone } };
}

async function refusal(
  world: World,
  question: ApprovalRow,
  { why, decided }: Posted & { accepted: false },
): Promise<Problem> {
  if (decided) return alreadyDecided(world, question, decided);
  const { approval, thread_id: threadId } = question;
  return new Problem("E_WRONG_STATE", {
    what: `${approval.approval_id} cannot be answered: ${why}.`,
    why: "Nothing was written.",
    next: [{ cmd: `selvage show ${threadId}`, why: "the state of its thread" }],
    threadId,
  });
}
