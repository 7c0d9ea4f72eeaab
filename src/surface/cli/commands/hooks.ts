/** `selvage hooks ls|test`: which hooks there are, and which would run at an event. Neither runs any. */
import type { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { threadFacts } from "../../../core/facts.ts";
import { type Facts, HOOK_EVENTS, type Hook, type HookEvent } from "../../../core/hook.ts";
import { completeFacts, momentOf } from "../../../core/hook-facts.ts";
import { hookInputs } from "../../../core/hook-inputs.ts";
import { hooksFor } from "../../../core/hook-match.ts";
import { Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { type Asked, hooksTable, plainHook, runText, testText } from "../hook-text.ts";
import type { OpenProject } from "../house.ts";
import { type ObjectFile, readObject } from "../json-file.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyOne } from "../survey.ts";
import { seeThread } from "../thread-object.ts";
import { verbFamily } from "../verb-family.ts";

const FACTS: ObjectFile = {
  holds: "facts",
  example: { cmd: "selvage hooks test EVENT --data FILE", why: 'a JSON object, such as {"turns": 3}' },
};

interface TestOptions {
  readonly data?: string;
  readonly thread?: string;
}

export function hooksCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "hooks",
    description: "which hooks there are, and which would run",
    usage: "ls | test EVENT",
    about: "hooks",
  });
  family
    .command("ls")
    .description("all hooks, and where they stand")
    .action(() => play(list));
  family
    .command("test")
    .description("which hooks would run at an event, and what follows; none is run")
    .argument("<event>", HOOK_EVENTS.join(", "))
    .option("--data <file>", "what is known at the event, as JSON; - reads it from stdin")
    .option("--thread <id>", "take from this thread what the data does not say")
    .action((event: string, options: TestOptions) => play((session) => tryOut(session, event, options)));
  return family;
}

async function list(session: Session): Promise<Answer> {
  const project = session.open();
  const hooks = [...(await hooksOfDirectives(session, project)), ...(await project.hooks())];
  const inOrder = HOOK_EVENTS.flatMap((event) => hooksFor(hooks, event));
  const data = { hooks: inOrder.map(asListed) };
  const kind = "hooks.list";
  const { flags, terminal } = session;
  if (flags.quiet) return { kind, exit: 0, data, text: inOrder.map(({ id }) => id).join("\n") };
  if (flags.plain) return { kind, exit: 0, data, text: inOrder.map(plainHook).join("\n") };
  if (inOrder.length === 0)
    return { kind, exit: 0, data, hint: "No hooks: they stand in .ai/config/hooks.yaml" };
  return { kind, exit: 0, data, text: hooksTable(inOrder, terminal), hint: counted(inOrder.length, "hook") };
}

function asListed(hook: Hook) {
  const { id, event, when, layer, where, timeoutSeconds } = hook;
  return {
    ...{ id, event, when: when?.source ?? null, layer, path: where },
    action: runText(hook),
    timeout_seconds: timeoutSeconds,
  };
}

/** Of a project that is not trusted nothing would run; of a directive that does not validate, neither. */
async function hooksOfDirectives(session: Session, project: OpenProject): Promise<readonly Hook[]> {
  if (!mayLook(session, project)) return [];
  const found = await Promise.all(
    project.directives().map((name) =>
      project.directiveHooks(name).catch((cause: unknown) => {
        // A list goes on without the one; `directive lint` says what is wrong with it.
        if (!(cause instanceof Problem)) throw cause;
        session.warn(`The directive ${name} does not validate: its hooks are left out`);
        return [];
      }),
    ),
  );
  return found.flat();
}

function mayLook(session: Session, { trusted }: OpenProject): boolean {
  if (!trusted) session.warn("This project is not trusted: its hooks are left out");
  return trusted;
}

async function tryOut(session: Session, name: string, { data, thread }: TestOptions): Promise<Answer> {
  const event = requireEvent(name);
  const project = session.open();
  const given = data === undefined ? {} : readObject(data, FACTS);
  const facts = factsFor(event, thread === undefined ? {} : await factsOfThread(project, thread), given);
  const hooks = hooksFor([...(await ownHooks(session, project, facts)), ...(await project.hooks())], event);
  const asked = hooks.map((hook): Asked => ({ hook, answer: hook.when?.test(facts) ?? true }));
  const then = momentOf(event).follows;
  return {
    kind: "hooks.test",
    exit: 0,
    data: { event, hooks: asked.map((each) => asAsked(each, facts)), then },
    text: testText({ event, asked, then }, session.terminal),
  };
}

function asAsked({ hook, answer }: Asked, facts: Facts) {
  const isTold = typeof answer === "boolean";
  return {
    ...{ id: hook.id, layer: hook.layer, path: hook.where, when: hook.when?.source ?? null },
    matched: isTold ? answer : false,
    error: isTold ? null : answer.error,
    action: runText(hook),
    inputs: hookInputs(hook, facts),
  };
}

function requireEvent(name: string): HookEvent {
  const event = HOOK_EVENTS.find((known) => known === name);
  if (event) return event;
  const [near] = closest(name.slice(0, 40), HOOK_EVENTS);
  throw new Problem("E_USAGE", {
    what: `There is no event "${oneLine(name, 40)}".`,
    why: near ? `Did you mean ${near}?` : `There are: ${HOOK_EVENTS.join(", ")}.`,
    next: [{ cmd: `selvage hooks test ${near ?? "limit"}`, why: near ? "the closest" : "an example" }],
  });
}

async function factsOfThread({ world }: OpenProject, id: string): Promise<Facts> {
  const row = await resolveThread(world.store, id);
  const { thread } = await seeThread(world, await surveyOne(world, row));
  return threadFacts(thread);
}

function factsFor(event: HookEvent, thread: Facts, given: Facts): Facts {
  const complete = completeFacts(event, thread, given);
  if ("facts" in complete) return complete.facts;
  const { problem } = complete;
  throw new Problem("E_USAGE", {
    what: `The facts do not fit the event ${event}.`,
    why: `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}${/[.?]$/.test(problem) ? "" : "."}`,
    next: [
      { cmd: `selvage hooks test ${event} --thread @last`, why: "takes from a thread what is not said" },
    ],
  });
}

/** Of the directive that the facts name, if it is one of this project. */
async function ownHooks(session: Session, project: OpenProject, facts: Facts): Promise<readonly Hook[]> {
  const name = String(facts["directive"]);
  if (!mayLook(session, project) || !project.directives().includes(name)) return [];
  return project.directiveHooks(name);
}
