/**
 * The tools with which a thread deals with other threads (D2, O1–O4), with processes that it keeps (§14), and with items
 * and chains, which it only looks at. Of threads, what they do is written down, not done: a child is there because the
 * journal says so. A process is named before it is started. So the runtime performs them itself, and none is ever in
 * doubt after a crash.
 */
import * as z from "zod/mini";
import { RETURN_TOOL } from "./answer.ts";
import { isVerbOffered } from "./call-rights.ts";
import { CHAIN_DESCRIPTIONS, CHAIN_INPUTS } from "./chain-tools.ts";
import { CHANNEL_TOOL, ChannelTalk } from "./channel-input.ts";
import { executeComplaint } from "./execute.ts";
import { checkInput, type InputSchema, zodInput } from "./input.ts";
import { EXECUTE_TOOL, ITEM_DESCRIPTIONS, ITEM_INPUTS } from "./item.ts";
import { anyOf } from "./item-right.ts";
import { PROCESS_TOOL } from "./managed.ts";
import { ManagedInput } from "./managed-input.ts";
import { directiveRight, toolRight } from "./right.ts";
import { leaveFor, type Rights } from "./rights.ts";
import type { Tool } from "./tool.ts";

/** The tool that starts a child. */
export const SPAWN_TOOL = "thread_tool";

const MOST_THREADS = 1_000;
const id = z.string().check(z.minLength(1), z.maxLength(200));
const seconds = z.number().check(z.nonnegative(), z.maximum(86_400 * 30));

const Spawn = () =>
  z.object({
    directive: id.check(z.describe("Name of the directive that the child carries out.")),
    inputs: z.optional(z.record(z.string(), z.unknown())).check(z.describe("Its inputs, by name.")),
    limits: z
      .optional(z.record(z.string(), z.union([z.number(), z.string()])))
      .check(
        z.describe(
          'Limits over its own: turns, tokens, spend (dollars, as text; "shared" draws on yours), spawns, duration, depth; none above your own.',
        ),
      ),
    model: z.optional(z.string()).check(z.describe("Another model than the directive's.")),
    wait: z
      ._default(z.boolean(), false)
      .check(z.describe("True: come back with what it came to. False: at once, with its id.")),
    start: z._default(z.boolean(), true).check(z.describe("False: only register it.")),
  });

const WaitFor = () =>
  z
    .object({
      thread_ids: z
        .array(id)
        .check(z.minLength(1), z.maxLength(MOST_THREADS), z.describe("Threads below this one.")),
      timeout: z
        ._default(seconds, 600)
        .check(z.describe("Seconds after which the rest is reported as timeout; they go on. 0: none.")),
      require_all: z._default(z.boolean(), true).check(z.describe("False: one that completes is enough.")),
      require: z
        .optional(z.int().check(z.minimum(1)))
        .check(z.describe("So many must complete; over require_all.")),
      fail_fast: z._default(z.boolean(), false).check(z.describe("Come back at the first that fails.")),
      cancel_siblings_on_failure: z
        ._default(z.boolean(), false)
        .check(z.describe("With fail_fast: stop the others then.")),
      include_suspended: z
        ._default(z.boolean(), false)
        .check(z.describe("Count one that waits for a person as done with.")),
    })
    .check(
      z.refine(({ require, thread_ids }) => require === undefined || require <= thread_ids.length, {
        path: ["require"],
        error: "there are fewer threads than that",
      }),
      z.refine(({ fail_fast, cancel_siblings_on_failure }) => fail_fast || !cancel_siblings_on_failure, {
        path: ["cancel_siblings_on_failure"],
        error: "it needs fail_fast",
      }),
    );

const Cancel = () =>
  z.object({
    thread_id: id.check(z.describe("A thread below this one.")),
    reason: z.optional(z.string().check(z.maxLength(1_000))),
  });

const Message = () =>
  z.object({
    thread_id: id.check(z.describe("A thread below this one, or the one that started it.")),
    text: z.string().check(z.minLength(1), z.describe("What it reads before its next turn.")),
  });

const Resume = () =>
  z.object({
    thread_id: id.check(z.describe("A child of this thread.")),
    action: z
      ._default(z.enum(["resume", "bump_and_resume", "cancel"]), "resume")
      .check(z.describe("bump_and_resume: with higher limits, out of this thread's money.")),
    new_limits: z
      .optional(z.record(z.string(), z.union([z.number(), z.string()])))
      .check(
        z.describe(
          "With bump_and_resume: turns, tokens, spend, spawns, duration, depth; none above your own.",
        ),
      ),
    message: z.optional(z.string()).check(z.describe("What it reads before it goes on.")),
  });

const INPUTS = {
  thread_tool: zodInput(Spawn),
  wait_threads: zodInput(WaitFor),
  cancel_thread: zodInput(Cancel),
  send_message: zodInput(Message),
  resume_thread: zodInput(Resume),
  managed_subprocess: zodInput(ManagedInput),
  ...CHAIN_INPUTS,
  ...ITEM_INPUTS,
  channel: zodInput(ChannelTalk),
};

export type SpawnInput = z.output<ReturnType<typeof Spawn>>;
export type ResumeInput = z.output<ReturnType<typeof Resume>>;
export type WaitInput = z.output<ReturnType<typeof WaitFor>>;
export type ProcessInput = z.output<ReturnType<typeof ManagedInput>>;
type Named = keyof typeof INPUTS;

const DESCRIPTIONS: Readonly<Record<Named, string>> = {
  thread_tool:
    "Starts a child thread that carries out a directive of the project, with money and rights out of this thread's. It works beside this thread; wait_threads brings its result.",
  wait_threads:
    "Waits for threads below this one, children or further down, and reports what each came to. Waiting costs nothing. One that ended before is reported as well.",
  cancel_thread: "Stops a thread below this one, with everything below it. What it did so far is kept.",
  resume_thread:
    "Lets a child go on that stopped at a limit, for money or at an error, starts one that was only registered, or ends it.",
  send_message: "Says something to a thread below this one, or to the one that started it.",
  channel:
    "Talks with other threads of the same tree: join a channel by name, post to everybody else in it, read what they posted, leave. Waiting costs nothing.",
  managed_subprocess:
    "Keeps a process, such as a development server, that outlives its call: start it, look at it, read its output, stop it. It goes on until its first process ends, until it is stopped, or until this thread ends.",
  ...CHAIN_DESCRIPTIONS,
  ...ITEM_DESCRIPTIONS,
};

const NAMES = Object.keys(INPUTS) as Named[];

/** They change nothing. */
const LOOKS = { ...CHAIN_INPUTS, ...ITEM_INPUTS };

/** All of them: names that no file of a project can take. */
export const RUNTIME_TOOLS: readonly string[] = [...NAMES, RETURN_TOOL];

/** What a call asks for, checked; as every tool's input it is complained about by field. */
export function parseOrchestration<N extends Named>(
  name: N,
  input: unknown,
): ReturnType<(typeof INPUTS)[N]["check"]> {
  return checkInput(INPUTS[name] as InputSchema<never>, input) as never;
}

/** The tool as the model sees it, and as its calls are checked. Nobody runs it but the runtime. */
export function orchestrationTool(
  name: string,
  outputs: Readonly<Record<string, { type: string }>>,
): Tool | undefined {
  if (name === RETURN_TOOL) return returnTool(outputs);
  const known = NAMES.find((each) => each === name);
  if (!known) return undefined;
  return {
    name,
    description: DESCRIPTIONS[known],
    input: INPUTS[known].json,
    effect: Object.hasOwn(LOOKS, known) ? "pure" : "keyed",
    ...(known === PROCESS_TOOL ? { describe: processDescription } : {}),
    lanes: (input) => (known === PROCESS_TOOL ? processLanes(input) : []),
    complaint: (input) =>
      known === EXECUTE_TOOL
        ? executeComplaint(input)
        : checkInput(INPUTS[known] as InputSchema<unknown>, input).complaint,
    run: unreachable,
  };
}

/** In a sandbox without a network it is alone with itself: better known beforehand. */
function processDescription(network: boolean): string {
  const said = DESCRIPTIONS[PROCESS_TOOL];
  return network
    ? said
    : `${said} In a sandbox nothing reaches its ports; ready_port needs a right to the network.`;
}

/** What is asked of one process is done in the order in which it is asked. */
function processLanes(input: unknown): string[] {
  const { handle_id } = input as { handle_id?: unknown };
  return typeof handle_id === "string" ? [`process:${handle_id}`] : [];
}

/** Those that a thread can do something with: without a directive it may start, it has nobody to deal with. */
export function orchestrationNames(rights: Rights, outputs: Readonly<Record<string, unknown>>): string[] {
  const mayStart = anyOf(rights, directiveRight("*"));
  const isNamed = (name: Named) => [...rights.permissions, ...rights.ask].includes(toolRight(name));
  // A chain is mostly asked about for those below: who has nobody below names the tool, and pays for its words.
  const isAlone = (name: Named) =>
    name === PROCESS_TOOL || (Object.hasOwn(CHAIN_INPUTS, name) && isNamed(name));
  const isOffered = (name: Named) => {
    if (Object.hasOwn(ITEM_INPUTS, name)) return isVerbOffered(rights, name);
    if (leaveFor(rights, toolRight(name)) === "denied") return false;
    const isForChildren = (name === "send_message" || name === CHANNEL_TOOL) && rights.above.length > 0;
    return mayStart || isAlone(name) || isForChildren;
  };
  const names = NAMES.filter(isOffered);
  return Object.keys(outputs).length > 0 ? [...names, RETURN_TOOL] : names;
}

/** Calls that park or end the thread: they come last, one by one, when the answer is durable (T3). */
export function comesLast({ tool, input }: { readonly tool: string; readonly input: unknown }): boolean {
  if (tool === "wait_threads" || tool === RETURN_TOOL || tool === CHANNEL_TOOL) return true;
  return tool === "thread_tool" && (input as { wait?: unknown } | null)?.wait === true;
}

const JSON_TYPES = ["string", "number", "boolean", "object", "array"];

function returnTool(
  outputs: Readonly<Record<string, { type: string; description?: string | undefined }>>,
): Tool {
  const entries = Object.entries(outputs);
  const properties = Object.fromEntries(
    entries.map(([name, { type, description }]) => [
      name,
      { ...(JSON_TYPES.includes(type) ? { type } : {}), ...(description ? { description } : {}) },
    ]),
  );
  return {
    name: RETURN_TOOL,
    description:
      "Hands back what this directive is asked for, and ends the thread. Call it once, at the end.",
    input: {
      type: "object",
      properties,
      required: entries.map(([name]) => name),
      additionalProperties: false,
    },
    effect: "pure",
    lanes: () => [],
    complaint: (input) => returnComplaint(outputs, input),
    run: unreachable,
  };
}

/** Exactly what the directive declares, each of its type. */
function returnComplaint(
  outputs: Readonly<Record<string, { type: string }>>,
  input: unknown,
): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return "The arguments must be an object.";
  const given = input as Record<string, unknown>;
  const missing = Object.keys(outputs).find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return `${missing}: it is missing`;
  const strange = Object.keys(given).find((name) => !Object.hasOwn(outputs, name));
  if (strange !== undefined)
    return `${strange}: the directive asks for no such output; it asks for ${Object.keys(outputs).join(", ")}`;
  const wrong = Object.entries(outputs).find(([name, { type }]) => typeOf(given[name]) !== type);
  return wrong && `${wrong[0]}: expected ${wrong[1].type}, not ${typeOf(given[wrong[0]])}`;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

function unreachable(): never {
  throw new Error("the runtime performs this itself");
}
