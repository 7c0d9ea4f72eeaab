/** `selvage run`: starts a thread and hosts it until it ends or waits for a person. */
import { Command } from "commander";
import type { ThreadRow } from "../../../core/row.ts";
import { createThread, newThreadId, postInbox } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { hostRoots } from "../hosting.ts";
import type { OpenProject } from "../house.ts";
import { parsePairs, readInputs, requireTools } from "../inputs.ts";
import { another, limitsSet } from "../limits-given.ts";
import { counted } from "../moment.ts";
import { Narrator } from "../narrator.ts";
import { parseSeconds } from "../number.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { threadAnswer } from "../result.ts";
import type { Session } from "../session.ts";
import { surveyLive } from "../survey.ts";
import { forcedEnd } from "../thread-end.ts";

interface RunOptions {
  readonly set?: readonly string[];
  readonly timeout?: number;
  readonly input?: string;
}

export function runCommand(play: Play): Command {
  return new Command("run")
    .description("start a thread and run it here")
    .argument("<directive>", "name of a file under .ai/directives/, without .md")
    .argument("[inputs...]", "its inputs, as name=value")
    .option("--input <file>", "inputs from a JSON file; name=value wins over it")
    .option("--set <limit=value>", "a limit over the directive's, such as turns=40 (again for more)", another)
    .option(
      "--timeout <seconds>",
      "stop hosting after this time; the thread stays recoverable (exit 8)",
      parseSeconds,
    )
    .action((directive: string, pairs: string[], options: RunOptions) =>
      play((session) => run(session, directive, pairs, options)),
    );
}

async function run(
  session: Session,
  name: string,
  pairs: readonly string[],
  options: RunOptions,
): Promise<Answer> {
  const limits = limitsSet(options.set);
  const given = { ...readInputs(options.input), ...parsePairs(pairs) };
  const project = session.openTrusted();
  const { world } = project;
  const directive = project.directive(name);
  const inputs = project.checkInputs(directive, given);
  project.requireModel(directive.model);
  await world.ready?.();
  const tools = directive.tools ?? project.tools;
  requireTools(directive, project);
  // Hooks that cannot be read would only suspend it at once.
  await project.directiveHooks(directive.name);
  const system = project.systemPrompt(directive);
  await postInbox(world, await world.store.candidates("*"));
  const abandoned = await tellAbandoned(session, project);
  const id = newThreadId(world, directive.name);
  const narrator = new Narrator(session, world, [id, ...abandoned.map((row) => row.thread_id)]);
  session.interruption().onForced((exit) => forcedEnd(session, id, exit));
  try {
    const create = async () => {
      await createThread(world, id, { directive, system, inputs, tools, limits, by: person() });
      await narrator.catchUp(id);
    };
    const recovered = new Set(abandoned.map((row) => row.thread_id));
    const end = await hostRoots(session, world, {
      roots: [id, ...new Set(abandoned.map((row) => row.root_id))],
      mayRecover: (row) => recovered.has(row.thread_id),
      prepare: (root) => (root === id ? create() : Promise.resolve()),
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
    });
    return await threadAnswer(world, id, end);
  } finally {
    narrator.end();
  }
}

/** Says which threads were left behind; returns those that are to be taken up as well (R3). */
async function tellAbandoned(session: Session, project: OpenProject): Promise<readonly ThreadRow[]> {
  const { world } = project;
  const abandoned = (await surveyLive(world)).filter(({ isAbandoned }) => isAbandoned);
  if (abandoned.length === 0) return [];
  const one = abandoned.length === 1;
  const left = `${counted(abandoned.length, "thread")} ${one ? "was" : "were"} left by a process that is gone`;
  if (world.settings.recover === "auto") {
    session.warn(`${left}: taken up as well (recover: auto).`);
    return abandoned.map(({ row }) => row);
  }
  session.warn(`${left}: selvage recover`);
  return [];
}
