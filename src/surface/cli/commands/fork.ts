/** `selvage fork`: a new thread goes on from where another was after one of its turns. */
import { Command } from "commander";
import type { ThreadId } from "../../../core/id.ts";
import { EXIT } from "../../../core/problem.ts";
import type { World } from "../../../core/world.ts";
import { createFork, newThreadId, postInbox } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { chooseForkPoint, forkLimits } from "../fork-point.ts";
import { another, limitsSet } from "../limits-given.ts";
import { parseCursor, parseSeconds } from "../number.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import { threadAnswer } from "../result.ts";
import { requireModelHere } from "../served-model.ts";
import type { Session } from "../session.ts";
import { startThread } from "../starting.ts";
import { requireSeen, threadObject } from "../thread-object.ts";

interface ForkOptions {
  readonly turn?: number;
  readonly set?: readonly string[];
  readonly message?: string;
  readonly timeout?: number;
  readonly start: boolean;
}

export function forkCommand(play: Play): Command {
  return new Command("fork")
    .description("start a new thread from where another was after a turn")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option(
      "--turn <n>",
      "after this turn; 0 is the beginning. Otherwise after its last finished turn",
      parseCursor,
    )
    .option("-m, --message <text>", "told to the new thread before it goes on")
    .option("--set <limit=value>", "a limit over the original's, such as turns=40 (again for more)", another)
    .option("--no-start", "only make it; selvage recover runs it")
    .option(
      "--timeout <seconds>",
      "stop hosting after this time; the thread stays recoverable (exit 8)",
      parseSeconds,
    )
    .action((id: string, options: ForkOptions) => play((session) => fork(session, id, options)));
}

async function fork(session: Session, id: string, options: ForkOptions): Promise<Answer> {
  requirePerson("fork");
  const given = limitsSet(options.set);
  const project = session.openTrusted();
  const { world } = project;
  await postInbox(world, await world.store.candidates("*"));
  const row = await resolveThread(world.store, id);
  const { message, timeout } = options;
  const point = await chooseForkPoint(world, row, options);
  const limits = forkLimits(point, given, world.settings.limits.defaults);
  const forkId = newThreadId(world, point.thread.directive);
  const create = () => createFork(world, forkId, point, { limits, message, by: person() });
  if (!options.start) {
    await create();
    return made(world, forkId, { from: point.thread.id, turn: point.turn });
  }
  await requireModelHere(project, point.thread.model);
  warnOfFallbacks(session, project);
  await world.ready?.();
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  return threadAnswer(project, forkId, await startThread(session, world, { id: forkId, create, timeoutMs }));
}

async function made(world: World, id: ThreadId, of: { from: string; turn: number }): Promise<Answer> {
  const data = threadObject(await requireSeen(world, id));
  const text = `○ ${id} is forked from ${of.from} after turn ${of.turn}.`;
  const hint = `Nobody runs it yet.\n  next  selvage recover ${id}`;
  return { kind: "thread.result", exit: EXIT.ok, data, text, hint };
}
