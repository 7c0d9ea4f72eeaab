/** Makes a core `Tool` of its parts, so that every tool keeps the same promises: checked input, no throw, sound text. */

import { checkInput, type InputSchema, messageOf } from "../core/input.ts";
import { wellFormed } from "../core/text.ts";
import type { Effect, ProbeAnswer, Tool, ToolContext, ToolOutcome } from "../core/tool.ts";

export interface ToolParts<Value> {
  readonly name: string;
  readonly description: string;
  readonly describe?: Tool["describe"];
  readonly input: InputSchema<Value>;
  readonly effect: Effect;
  readonly lanes?: ((value: Value) => readonly string[]) | undefined;
  readonly probe?: ((value: Value, context: ToolContext) => Promise<ProbeAnswer>) | undefined;
  readonly run: (value: Value, context: ToolContext) => Promise<ToolOutcome>;
}

export function toolFrom<Value>(parts: ToolParts<Value>): Tool {
  const { lanes, probe } = parts;
  return {
    name: parts.name,
    get description() {
      return parts.description;
    },
    ...(parts.describe && { describe: parts.describe }),
    get input() {
      return parts.input.json;
    },
    effect: parts.effect,
    complaint: (input) => checkInput(parts.input, input).complaint,
    run: (input, context) => attempt(parts, input, context),
    ...(lanes && { lanes: (input: unknown) => lanesFor(parts, lanes, input) }),
    ...(probe && {
      probe: (input: unknown, context: ToolContext) => ask(parts.input, probe, input, context),
    }),
  };
}

/** The edge at which a tool's failures become outcomes. */
async function attempt<Value>(
  parts: ToolParts<Value>,
  input: unknown,
  context: ToolContext,
): Promise<ToolOutcome> {
  const checked = checkInput(parts.input, input);
  if (checked.complaint !== undefined) return { status: "error", output: checked.complaint };
  if (context.signal.aborted) return { status: "stopped", output: "Stopped before it began." };
  try {
    const outcome = await parts.run(checked.value, context);
    return { ...outcome, output: wellFormed(outcome.output) };
  } catch (cause) {
    const status = context.signal.aborted ? "stopped" : "error";
    return { status, output: wellFormed(messageOf(cause)) };
  }
}

/** When a tool cannot say what it touches, its calls run one after the other. */
function lanesFor<Value>(
  parts: ToolParts<Value>,
  lanes: (value: Value) => readonly string[],
  input: unknown,
): readonly string[] {
  try {
    const checked = checkInput(parts.input, input);
    return checked.complaint === undefined ? lanes(checked.value) : []; // it will not run: it touches nothing
  } catch {
    return [`tool:${parts.name}`];
  }
}

/** A probe that fails has told nothing. */
async function ask<Value>(
  schema: InputSchema<Value>,
  probe: (value: Value, context: ToolContext) => Promise<ProbeAnswer>,
  input: unknown,
  context: ToolContext,
): Promise<ProbeAnswer> {
  const checked = checkInput(schema, input);
  if (checked.complaint !== undefined) return { type: "cannot_tell" };
  try {
    return await probe(checked.value, context);
  } catch {
    return { type: "cannot_tell" };
  }
}
