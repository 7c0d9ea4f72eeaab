/** `selvage approve` and `selvage deny`: the one answer to a question. */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { type Ending, endingOf, rootEndings } from "../answer-endings.ts";
import { answerText, deniedText } from "../answer-text.ts";
import { chooseTargets, type Given, give, type Refused, type Target, type Verdict } from "../answering.ts";
import { type ApprovalObject, approvalObject } from "../approval-object.ts";
import { carryOn } from "../carry-on.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { keepingTrack } from "../given-answer.ts";
import { hostedAnswer } from "../hosted-answer.ts";
import type { HostingEnd } from "../hosting.ts";
import type { OpenProject } from "../house.ts";
import { another } from "../limits-given.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { worstExit } from "../result.ts";
import type { Session } from "../session.ts";
import { requireSeen, type ThreadObject, threadObject } from "../thread-object.ts";

interface ApproveOptions {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
  readonly message?: string;
  /** False with --no-resume. */
  readonly resume: boolean;
}

const IDS = "questions: an id, a unique beginning of it, or the thread that asks";

export function approveCommand(play: Play): Command {
  return new Command("approve")
    .description("say yes to a question; its thread goes on")
    .argument("<ids...>", IDS)
    .option("--set <limit=value>", "the new limit, instead of the proposed one (again for more)", another)
    .option("--add <limit=value>", "this much more than the limit there is (again for more)", another)
    .option("-m, --message <text>", "told to the thread before it goes on")
    .option("--no-resume", "take the answer down; the thread stays suspended")
    .action((ids: string[], { set = [], add = [], message, resume }: ApproveOptions) =>
      play((session) => answer(session, ids, { approved: true, message, limits: { set, add }, resume })),
    );
}

export function denyCommand(play: Play): Command {
  return new Command("deny")
    .description("say no to a question; the work of its thread is kept")
    .argument("<ids...>", IDS)
    .option("-m, --message <text>", "why")
    .action((ids: string[], { message }: Pick<ApproveOptions, "message">) =>
      play((session) => answer(session, ids, { approved: false, message, limits: {}, resume: true })),
    );
}

async function answer(session: Session, ids: readonly string[], verdict: Verdict): Promise<Answer> {
  requirePerson(verdict.approved ? "approve" : "deny");
  const project = session.openTrusted();
  const targets = await chooseTargets(project, ids, verdict);
  const questions = targets.map(({ question }) => question);
  return keepingTrack(questions, (onStored) => giveAll(session, project, targets, { ...verdict, onStored }));
}

async function giveAll(
  session: Session,
  project: OpenProject,
  targets: readonly Target[],
  verdict: Verdict,
): Promise<Answer> {
  const { world } = project;
  const given: Given[] = [];
  const refused: Refused[] = [];
  for (const target of targets) {
    const outcome = await give(world, target, verdict);
    if ("problem" in outcome) refused.push(outcome);
    else given.push(outcome);
  }
  const [first] = refused;
  if (given.length === 0 && first) throw first.problem;
  for (const { problem } of refused) session.warn(problem.message);
  for (const one of given) session.terminal.print(await lineFor(world, one, verdict));
  const rows = given.filter(({ fate }) => fate.type === "here").map(({ target }) => target.row);
  if (rows.length > 0) warnOfFallbacks(session, project);
  const end = rows.length > 0 ? await carryOn(session, world, rows) : undefined;
  const done = await answerOf(project, { given, refused, end });
  const hosted = rows[0] && done.data.threads.find(({ thread_id }) => thread_id === rows[0]?.thread_id);
  return hosted ? hostedAnswer(session, done, hosted) : done;
}

async function lineFor(world: World, given: Given, verdict: Verdict): Promise<string> {
  if (verdict.approved) return answerText(given, verdict);
  const threadId = given.target.row.thread_id;
  const [row] = await world.store.find({ threadId, limit: 1 });
  return deniedText(given, row?.status);
}

interface Outcome {
  readonly given: readonly Given[];
  readonly refused: readonly Refused[];
  readonly end: HostingEnd | undefined;
}

async function answerOf(project: OpenProject, { given, refused, end }: Outcome) {
  const { world } = project;
  const now = world.clock.now();
  const approvals: ApprovalObject[] = [];
  const threads: ThreadObject[] = [];
  const endings: Ending[] = [];
  for (const { target, fate } of given) {
    const { approval_id: approvalId } = target.question.approval;
    const [question] = await world.store.approvals({ approvalId });
    if (!question) throw new Error(`${approvalId} is gone from the store`);
    const seen = await requireSeen(world, target.row.thread_id);
    const thread = threadObject(seen);
    approvals.push(approvalObject(question, seen.sighting.row, now));
    threads.push(thread);
    if (fate.type === "here" && end) endings.push(await endingOf(project, target.row, thread, end));
  }
  if (end) endings.push(...(await rootEndings(project, given, end)));
  const hosted = end?.type === "stopped" ? end.exit : worstExit(endings.map(({ exit }) => exit));
  return {
    kind: "approval",
    exit: hosted || (refused.length > 0 ? EXIT.wrong_state : EXIT.ok),
    // One question is the usual case: its fields stand at the top as well (UX a.6).
    data: { ...approvals[0], approvals, threads },
    text: endings.flatMap(({ text }) => text || []).join("\n"),
    hint: endings.flatMap(({ hint }) => hint || []).join("\n"),
  };
}
