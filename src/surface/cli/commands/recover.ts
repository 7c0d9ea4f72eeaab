/** `selvage recover`: shows what was left behind and takes it up again. Asking twice does no harm. */
import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import { postInbox } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { type LeftToProgram, leftLines, sortOut } from "../left-to-program.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import { chooseThreads } from "../recovery-choice.ts";
import {
  type OpenQuestion,
  openQuestions,
  type Planned,
  planData,
  planFor,
  planText,
  questionLines,
} from "../recovery-plan.ts";
import { type Recovered, takeUp } from "../recovery-run.ts";
import { worstExit } from "../result.ts";
import { requireModelHere } from "../served-model.ts";
import type { Session } from "../session.ts";
import { surveyLive } from "../survey.ts";

interface RecoverOptions {
  readonly all?: boolean;
  readonly scan?: boolean;
  readonly take?: string;
  readonly markError?: boolean;
  readonly markCancelled?: boolean;
}

export function recoverCommand(play: Play): Command {
  return new Command("recover")
    .description("take up threads that a dead process left, or that wait for you")
    .argument("[ids...]", "threads; without any, all that were left behind")
    .option("--all", "all of them, without a question")
    .option("--scan", "only show the plan")
    .option("--take <id>", "take a thread from an owner that is alive but stuck")
    .option("--mark-error", "end them as failed instead; work is kept")
    .option("--mark-cancelled", "end them as cancelled instead; work is kept")
    .action((ids: string[], options: RecoverOptions) => play((session) => recover(session, ids, options)));
}

async function recover(session: Session, ids: readonly string[], options: RecoverOptions): Promise<Answer> {
  requireSense(options);
  const project = session.openTrusted();
  if (!options.scan) project.seekSandbox();
  const { world } = project;
  await postInbox(world, await world.store.candidates("*"));
  const scanned = (await surveyLive(world)).length;
  const chosen = await chooseThreads(world, ids, options);
  const isEnding = options.markError === true || options.markCancelled === true;
  // To end a thread needs nothing that its program has.
  const { here: sightings, left } = isEnding ? { here: chosen, left: [] } : await sortOut(world, chosen);
  const plan = await planFor(world, sightings);
  const isNamed = ids.length > 0 || options.take !== undefined;
  if (plan.length === 0) return nothing(scanned, left, isNamed);
  const questions = await openQuestions(world, plan);
  const lines = [...planText(plan).split("\n"), ...questionLines(questions), ...leftLines(left)];
  session.terminal.print([title(plan), ...lines].join("\n"));
  const whole = { scanned, plan, questions, left };
  if (!(await agreed(session, plan, { isNamed, options }))) return untouched(whole);
  // A thread whose model cannot be reached would only fail: it is left as it is, and the reason is told.
  if (!isEnding) {
    for (const { sighting } of plan)
      if (!sighting.damage) await requireModelHere(project, sighting.row.model);
    warnOfFallbacks(session, project);
  }
  return answerOf(whole, await takeUp(session, project, plan, options));
}

function requireSense({ markError, markCancelled }: RecoverOptions): void {
  if (!markError || !markCancelled) return;
  throw new Problem("E_USAGE", {
    what: "A thread ends in one way only.",
    why: "--mark-error and --mark-cancelled were both given.",
    next: [{ cmd: "selvage recover --help", why: "what they mean" }],
  });
}

function title(plan: readonly Planned[]): string {
  const left = plan.filter(({ sighting }) => sighting.owner === "dead").length;
  if (left === plan.length) return `${counted(left, "thread")} left behind`;
  return `${counted(plan.length, "thread")} to take up`;
}

/** A thread that was named was asked for; all others need a yes (R3). */
async function agreed(
  session: Session,
  plan: readonly Planned[],
  { isNamed, options }: { isNamed: boolean; options: RecoverOptions },
): Promise<boolean> {
  if (options.scan) return false;
  if (isNamed || options.all || session.flags.yes) return true;
  if (session.terminal.isMachine || !session.mayAsk) return false;
  return session.terminal.confirm(`Recover ${plan.length === 1 ? "it" : `all ${plan.length}`}?`, "yes");
}

function nothing(scanned: number, left: readonly LeftToProgram[], isNamed: boolean): Answer {
  const data = {
    ...{ scanned, orphans: [], approvals: [], recovered: [], processes_cleaned: 0, threads: [] },
    left_to_program: left,
  };
  if (left.length > 0)
    return { kind: "recovery", exit: EXIT.needs_you, data, text: leftLines(left).join("\n") };
  const text = isNamed
    ? "Nothing to do: it has ended already."
    : "Nothing to recover: no thread was left behind.";
  return { kind: "recovery", exit: EXIT.ok, data, text };
}

function untouched({ scanned, plan, questions: approvals, left }: Plan): Answer {
  const orphans = plan.map(planData);
  const data = {
    ...{ scanned, orphans, approvals, recovered: [], processes_cleaned: 0, threads: [] },
    left_to_program: left,
  };
  const hint = "Nothing was changed.\n  next  selvage recover --all";
  return { kind: "recovery", exit: EXIT.needs_you, data, hint };
}

interface Plan {
  readonly scanned: number;
  readonly plan: readonly Planned[];
  readonly questions: readonly OpenQuestion[];
  readonly left: readonly LeftToProgram[];
}

function answerOf({ scanned, plan, questions, left }: Plan, recovered: readonly Recovered[]): Answer {
  const data = {
    scanned,
    orphans: plan.map(planData),
    approvals: questions,
    recovered: recovered.filter(({ isOurs }) => isOurs).map(({ thread }) => thread.thread_id),
    processes_cleaned: plan.flatMap(({ line }) => line.processes).filter(isGone).length,
    threads: recovered.map(({ thread }) => thread),
    left_to_program: left,
  };
  const exits = [...recovered.map((one) => one.exit), ...(left.length > 0 ? [EXIT.needs_you] : [])];
  const exit = recovered.find(({ signal }) => signal !== undefined)?.signal ?? worstExit(exits);
  const text = recovered.map(({ text }) => text).join("\n");
  return { kind: "recovery", exit, data, text };
}

function isGone({ decision }: Planned["line"]["processes"][number]): boolean {
  return decision === "gone";
}
