/** The public way to write a tool in JavaScript or TypeScript (D3). */
import type * as z from "zod/mini";
import { type InputSchema, type JsonSchema, zodInput } from "../core/input.ts";
import type { ScriptCall } from "../core/script.ts";
import type { Effect, ProbeAnswer, Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { jsonSchemaInput } from "./json-schema.ts";
import { supervised } from "./supervise.ts";

export interface ToolDefinition<Schema, Input> {
  readonly name: string;
  readonly description: string;
  /** A schema of zod 4 (classic or mini), or a JSON Schema. */
  readonly input: Schema;
  /** What may be done with a call that was cut off. Default: `manual`, never repeated by the machine. */
  readonly effect?: Effect;
  /** What a call touches: calls that share a name run in order. */
  readonly lanes?: (input: Input) => readonly string[];
  readonly probe?: (input: Input, context: ToolContext) => Promise<ProbeAnswer> | ProbeAnswer;
  /** Shorter than the setting `tool.timeout_seconds`, which holds in any case. */
  readonly timeoutSeconds?: number;
  /** Names of environment variables that `run` reads. A tool of a project sees no others but the usual ones. */
  readonly env?: readonly string[];
  /** Returns text, or any JSON value; throws to report a failure to the model. */
  readonly run: (input: Input, context: ToolContext) => unknown;
}

/** A tool, and a way to write down a call of it: `scripted([weather({ city: "Oslo" })])`. */
export type CallableTool<Input> = Tool & ((input: Input) => ScriptCall);

export const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function nameProblem(name: string): string {
  return `"${name}" is no tool name: use letters, digits, _ and -, at most 64.`;
}

export function defineTool<Schema extends z.core.$ZodType>(
  definition: ToolDefinition<Schema, z.output<Schema>>,
): CallableTool<z.input<Schema>>;
export function defineTool<Input = Record<string, unknown>>(
  definition: ToolDefinition<JsonSchema, Input>,
): CallableTool<Input>;
export function defineTool(
  definition: ToolDefinition<JsonSchema | z.core.$ZodType, never>,
): CallableTool<never> {
  const { name, description, effect = "manual", lanes, probe, run, timeoutSeconds = 0, env } = definition;
  if (typeof name !== "string" || !NAME.test(name)) throw new TypeError(nameProblem(name));
  requireParts(definition);
  if (effect === "probe" && !probe)
    throw new TypeError(`The tool ${name} has effect "probe" but no probe().`);
  const tool = toolFrom<never>({
    name,
    description,
    effect,
    lanes,
    input: inputSchema(name, definition.input),
    probe: probe && (async (input, context) => await probe(input, context)),
    run: async (input, context) => outcomeOf(await run(input, context)),
  });
  const facts = { ...(timeoutSeconds > 0 && { timeoutSeconds }), ...(env && { env }) };
  // Without a time of its own it is watched by whoever runs it, and once is enough.
  return callable(timeoutSeconds > 0 ? supervised(tool, { timeoutSeconds }) : tool, facts);
}

/** Its own name is what a function has by itself, and cannot be assigned. */
function callable(tool: Tool, facts: Partial<Tool>): CallableTool<never> {
  const call = (input: unknown): ScriptCall => ({ tool: tool.name, input });
  const parts = { ...Object.getOwnPropertyDescriptors(tool), ...Object.getOwnPropertyDescriptors(facts) };
  return Object.defineProperties(call, parts) as unknown as CallableTool<never>;
}

const EFFECTS: readonly unknown[] = ["pure", "keyed", "probe", "manual"] satisfies Effect[];

/** For those who write without a compiler, as most tools of a project are. */
function requireParts(definition: Partial<ToolDefinition<unknown, never>>): void {
  const { name, description, input, run, effect = "manual" } = definition;
  const lacking = (what: string) => new TypeError(`The tool ${name} has no ${what}.`);
  if (typeof description !== "string") throw lacking("description");
  if (typeof input !== "object" || input === null)
    throw lacking("input: a schema of zod 4, or a JSON Schema");
  if (typeof run !== "function") throw lacking("run()");
  if (!EFFECTS.includes(effect))
    throw new TypeError(`The effect of the tool ${name} must be one of ${EFFECTS.join(", ")}.`);
}

function inputSchema(name: string, schema: JsonSchema | z.core.$ZodType): InputSchema<never> {
  if (isZod(schema)) return zodInput(schema) as InputSchema<never>;
  if ("_def" in schema)
    throw new TypeError(`The input of the tool ${name} is a schema of zod 3; zod 4 is needed.`);
  return jsonSchemaInput(schema);
}

function isZod(schema: object): schema is z.core.$ZodType {
  return "_zod" in schema;
}

function outcomeOf(value: unknown): ToolOutcome {
  if (typeof value === "string") return { status: "ok", output: value };
  return { status: "ok", output: JSON.stringify(value) ?? "" }; // undefined and functions have no JSON
}
