/** `selvage run`: starts a thread and hosts it until it ends or waits for a person; or follows who hosts it. */
import { Command } from "commander";
import type { Directive } from "../../../core/directive.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { createThread, newThreadId, postInbox } from "../../../runtime/index.ts";
import { projectHost } from "../../host/project-host.ts";
import type { Answer } from "../answer.ts";
import { dryRun } from "../dry-run.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import type { OpenProject } from "../house.ts";
import { parsePairs, readInputs, requireTools } from "../inputs.ts";
import { another, limitsSet } from "../limits-given.ts";
import { counted } from "../moment.ts";
import { parseSeconds } from "../number.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { threadAnswer } from "../result.ts";
import { requireModelHere } from "../served-model.ts";
import type { Session } from "../session.ts";
import { detachedAnswer, hostInBackground, requireNoTimeout, startThread } from "../starting.ts";
import { type Sighting, surveyLive } from "../survey.ts";

interface RunOptions {
  readonly set?: readonly string[];
  readonly timeout?: number;
  readonly input?: string;
  readonly model?: string;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

export function runCommand(play: Play): Command {
  return new Command("run")
    .description("start a thread and run it here")
    .argument("<directive>", "name of a file under .ai/directives/, without .md")
    .argument("[inputs...]", "its inputs, as name=value")
    .option("--input <file>", "inputs from a JSON file; name=value wins over it")
    .option("--set <limit=value>", "a limit over the directive's, such as turns=40 (again for more)", another)
    .option("--model <model>", "another model than the directive's: provider/model, or a tier")
    .option("--dry-run", "check everything and show what it could spend at most; start nothing")
    .option(
      "--timeout <seconds>",
      "stop hosting after this time; the thread stays recoverable (exit 8)",
      parseSeconds,
    )
    .option("-d, --detach", "in the background: a host is started if there is none")
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
  requireNoTimeout("run", options);
  const limits = limitsSet(options.set);
  const given = { ...readInputs(options.input), ...parsePairs(pairs) };
  const project = session.openTrusted();
  project.seekSandbox();
  const { world } = project;
  const directive = project.directive(name, options.model);
  const inputs = project.checkInputs(directive, given);
  warnOfSecrets(session, project, inputs);
  await requireModelHere(project, directive.model);
  warnOfFallbacks(session, project);
  await world.ready?.();
  const { tools } = project;
  requireTools(directive, project);
  await warnOfNoRights(session, project, directive);
  // Hooks that cannot be read would only suspend it at once.
  await project.directiveHooks(directive.name);
  if (options.dryRun) return dryRun(project, { directive, inputs, limits });
  const system = project.systemPrompt(directive);
  await postInbox(world, await world.store.candidates("*"));
  const abandoned = await tellAbandoned(session, project);
  const id = newThreadId(world, directive.name);
  const create = async () => {
    await createThread(world, id, { directive, system, inputs, tools, limits, by: person() });
  };
  if (options.detach) {
    await hostInBackground(session, project);
    await create();
    return detachedAnswer(world, id);
  }
  const recovered = new Set(abandoned.map((row) => row.thread_id));
  const others = [...new Set(abandoned.map((row) => row.root_id))];
  const mayRecover = (row: ThreadRow) => recovered.has(row.thread_id);
  const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
  const end = await startThread(session, world, { id, create, timeoutMs, others, mayRecover });
  return threadAnswer(project, id, end);
}

/** Without a right there is no tool; who means it so writes an empty list, and lint has nothing to say. */
async function warnOfNoRights(session: Session, project: OpenProject, directive: Directive): Promise<void> {
  if (directive.permissions.length + directive.ask.length > 0) return;
  const { path, problems } = await project.inspect(directive.name);
  const found = problems.find(({ code }) => code === "W_NO_RIGHTS");
  if (found) session.warn(`${path} grants no rights, so its model has no tools: ${found.fix}`);
}

/** A thread lives from what is stored of it, so it never gets to see what is not stored. */
function warnOfSecrets(
  session: Session,
  { world }: OpenProject,
  inputs: Readonly<Record<string, unknown>>,
): void {
  const names = Object.keys(inputs).filter((name) => world.redact?.(inputs[name]) !== inputs[name]);
  if (!world.redact || names.length === 0) return;
  const [inputsHold, they] = names.length === 1 ? ["input holds", "it"] : ["inputs hold", "them"];
  session.warn(
    `The ${inputsHold} a secret: ${names.join(", ")}. The thread gets a mark in its place, since ${they} would be stored. Let a tool read it from its environment (env: in its file).`,
  );
}

/** Says which threads were left behind; returns those that are to be taken up as well (R3). */
async function tellAbandoned(session: Session, project: OpenProject): Promise<readonly ThreadRow[]> {
  const { world } = project;
  const abandoned = (await surveyLive(world)).filter(({ isAbandoned }) => isAbandoned);
  // Where somebody hosts everything, it is theirs to say.
  const isAuto = world.settings.recover === "auto" && !(await projectHost(world));
  for (const text of abandonedTexts(abandoned))
    session.warn(isAuto ? `${text}: taken up as well (recover: auto).` : `${text}: selvage recover`);
  return isAuto ? abandoned.map(({ row }) => row) : [];
}

/** Nobody died where an answer came while nobody hosted the thread. */
function abandonedTexts(abandoned: readonly Sighting[]): string[] {
  const left = abandoned.filter(({ owner }) => owner === "dead").length;
  const others = abandoned.length - left;
  const text = (count: number, one: string, more: string) =>
    count === 0 ? [] : [`${counted(count, "thread")} ${count === 1 ? one : more}`];
  return [
    ...text(left, "was left by a process that is gone", "were left by a process that is gone"),
    ...text(others, "could go on and nobody hosts it", "could go on and nobody hosts them"),
  ];
}
