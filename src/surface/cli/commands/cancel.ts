/** `selvage cancel`: asks threads to stop, with everyone below them. The request is durable; without a live host it is applied here. */
import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import { postInbox } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { type Stopped, seeStopped, stoppedObject, stoppedText } from "../stopped.ts";
import { applyHere, askToStop, chooseToStop, everyoneMeant, type StopChoice, watchEnd } from "../stopping.ts";

interface CancelOptions extends StopChoice {
  readonly reason: string;
  readonly wait?: boolean;
  readonly afterTool?: boolean;
}

export function cancelCommand(play: Play): Command {
  return new Command("cancel")
    .description("stop threads and everything below them; their work is kept")
    .argument("<ids...>", "threads: an id, a unique beginning of it, or @last")
    .option("--tree", "from the root of its tree")
    .option("--siblings", "not it, but the other children of its parent")
    .option("--reason <text>", "why, for the journal", "cancelled by a person")
    .option("--wait", "until they have ended, however long that takes")
    .option("--after-tool", "let tools that run come to their end; nothing new starts")
    .action((ids: string[], options: CancelOptions) => play((session) => cancel(session, ids, options)));
}

async function cancel(session: Session, ids: readonly string[], options: CancelOptions): Promise<Answer> {
  requireSense(options);
  const { world } = session.openTrusted();
  const targets = await chooseToStop(world, ids, options);
  const meant = await everyoneMeant(world, targets);
  if (!(await agreed(session, targets, meant))) return untouched(targets);
  await postInbox(world, await world.store.candidates("*"));
  const interruption = session.interruption();
  const left: ThreadRow[] = [];
  // All are asked before the first is stopped: one may stand below another.
  for (const row of targets) if (!(await askToStop(world, row, options))) left.push(row);
  for (const row of left) await applyHere(world, row);
  await waitForEnd(session, world, targets, options);
  const stopped = await seeStopped(world, meant);
  return answerOf(targets, stopped, interruption.exit);
}

function requireSense({ tree, siblings }: CancelOptions): void {
  if (!tree || !siblings) return;
  throw new Problem("E_USAGE", {
    what: "--tree and --siblings do not go together.",
    why: "The one means everybody, the other everybody but the thread that is named. Nothing was done.",
    next: [{ cmd: "selvage cancel --help", why: "what they mean" }],
  });
}

/** One thread is stopped without a question; more of them only when a person at a terminal says so. */
async function agreed(
  session: Session,
  targets: readonly ThreadRow[],
  meant: readonly ThreadRow[],
): Promise<boolean> {
  const others = meant.length - targets.length;
  if (others === 0 || session.flags.yes || session.terminal.isMachine || !session.mayAsk) return true;
  const names = targets.map(({ thread_id }) => thread_id).join(", ");
  return session.terminal.confirm(`Stop ${names} and ${counted(others, "thread")} below?`, "no");
}

function untouched(targets: readonly ThreadRow[]): Answer {
  const data = { requested: [], cancelled: [], waiting_on: [], threads: [] };
  const names = targets.map(({ thread_id }) => thread_id).join(", ");
  return { kind: "cancel", exit: EXIT.ok, data, text: `Nothing was stopped: ${names} goes on.` };
}

/** Ctrl-C ends the waiting, not the stopping. */
async function waitForEnd(
  session: Session,
  world: World,
  targets: readonly ThreadRow[],
  { wait = false, afterTool }: CancelOptions,
): Promise<void> {
  const { terminal, flags } = session;
  const signal = AbortSignal.any([session.interruption().signal, terminal.gone]);
  if (afterTool && wait && !flags.quiet)
    terminal.say("Waiting for tools that run; Ctrl-C stops only the waiting.");
  await watchEnd(world, targets, { isPatient: wait, signal });
}

function answerOf(
  targets: readonly ThreadRow[],
  stopped: readonly Stopped[],
  signal: number | undefined,
): Answer {
  const requested = targets.map(({ thread_id }) => thread_id);
  const isOpen = stopped.some(({ isOver }) => !isOver);
  return {
    kind: "cancel",
    exit: isOpen && signal !== undefined ? signal : EXIT.ok,
    data: { requested, ...stoppedObject(stopped) },
    text: stoppedText(stopped),
  };
}
