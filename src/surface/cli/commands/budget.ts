/** `selvage budget`: limits against use, changing them ahead of time, and saying what a request really cost. */
import { Command } from "commander";
import { changedLimits } from "../../../core/limit-change.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { isTerminal } from "../../../core/status.ts";
import type { World } from "../../../core/world.ts";
import { postInbox } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { askForMoney, notNow, type Outcome } from "../budget-ask.ts";
import { type BudgetSeen, budgetObject, seeBudget } from "../budget-object.ts";
import { budgetText, changeLine, goOnHint, historyText, settledLine, waitingText } from "../budget-text.ts";
import { requireFitting } from "../cap-check.ts";
import { chargeMeant } from "../charge-given.ts";
import { damagedThread } from "../damaged-thread.ts";
import { another, limitsSet } from "../limits-given.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";

interface BudgetOptions {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
  readonly settle?: string;
  readonly history?: boolean;
}

export function budgetCommand(play: Play): Command {
  return new Command("budget")
    .description("limits of a thread against use; change them ahead of time")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("--set <limit=value>", "a new limit, such as turns=40 (again for more)", another)
    .option("--add <limit=value>", "this much more than the limit there is (again for more)", another)
    .option("--settle <hold=amount>", "what a request really cost that was charged for want of a bill")
    .option("--history", "who changed limits, and when")
    .action((id: string, options: BudgetOptions) => play((session) => budget(session, id, options)));
}

async function budget(session: Session, id: string, options: BudgetOptions): Promise<Answer> {
  const { set = [], add = [], settle, history = false } = options;
  const isChange = set.length + add.length > 0;
  if ((isChange && settle !== undefined) || (history && (isChange || settle !== undefined)))
    throw tooMuch(id);
  if (isChange) return changeLimits(session, id, { set, add });
  if (settle !== undefined) return settleCharge(session, id, settle);
  const { world } = session.open();
  const { thread_id: threadId } = await resolveHead(world.store, id);
  const seen = await seeBudget(world, threadId);
  if (seen.damage) session.warn(`The journal of ${threadId} is damaged: selvage verify`);
  const text = history ? historyText(seen) : budgetText(seen, session);
  return { kind: "budget", exit: EXIT.ok, data: budgetObject(seen), ...text };
}

function tooMuch(id: string): Problem {
  return new Problem("E_USAGE", {
    what: "That is more than one thing at a time.",
    why: "Limits are changed (--set, --add), or a charge is corrected (--settle), or the history is shown. Nothing was done.",
    next: [{ cmd: `selvage budget ${id} --add spend=0.50`, why: "changes a limit" }],
  });
}

/** Opened for writing, by a person; only a thread that lives and can be read. */
async function openToChange(session: Session, id: string): Promise<{ world: World; seen: BudgetSeen }> {
  requirePerson("budget");
  const { world } = session.openTrusted();
  await postInbox(world, await world.store.candidates("*"));
  const { thread_id: threadId } = await resolveHead(world.store, id);
  const seen = await seeBudget(world, threadId);
  if (isTerminal(seen.row.status)) throw notNow(threadId, `it is ${seen.row.status}`);
  if (seen.damage) throw damagedThread(threadId, seen.damage);
  return { world, seen };
}

async function changeLimits(
  session: Session,
  id: string,
  given: { set: readonly string[]; add: readonly string[] },
): Promise<Answer> {
  const set = limitsSet(given.set);
  const add = limitsSet(given.add, "--add");
  const { world, seen } = await openToChange(session, id);
  const { row } = seen;
  const wanted = changedLimits(row.limits, { set, add });
  if ("problem" in wanted) throw unusable(row.thread_id, wanted.problem);
  const isSame = Object.keys(wanted.limits).length === 0;
  if (!isSame) await requireFitting(world, row, wanted.limits);
  const outcome = isSame ? SAME : await askForMoney(world, row, { kind: "budget", set, add });
  const after = await seeBudget(world, row.thread_id);
  const text =
    outcome.type === "waiting"
      ? waitingText(after, "its limits")
      : changeLine(after, outcome, { ...set, ...add });
  return answerOf(after, outcome, text);
}

const SAME: Outcome = { type: "same" };

async function settleCharge(session: Session, id: string, given: string): Promise<Answer> {
  const { world, seen } = await openToChange(session, id);
  const { hold, amount, was } = chargeMeant(seen, given);
  const outcome =
    amount === was ? SAME : await askForMoney(world, seen.row, { kind: "settle", hold, amount });
  const after = await seeBudget(world, seen.row.thread_id);
  const text =
    outcome.type === "waiting"
      ? waitingText(after, "what it was charged")
      : settledLine(after, outcome, hold);
  return answerOf(after, outcome, text);
}

function answerOf(after: BudgetSeen, outcome: Outcome, text: string): Answer {
  const data = { ...budgetObject(after), outcome: outcome.type };
  return { kind: "budget", exit: EXIT.ok, data, text, ...goOnHint(after) };
}

function unusable(threadId: string, problem: string): Problem {
  return new Problem("E_USAGE", {
    what: `The limits of ${threadId} cannot be changed like this.`,
    why: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Nothing was written.`,
    next: [{ cmd: `selvage budget ${threadId}`, why: "the limits there are" }],
    threadId,
  });
}
