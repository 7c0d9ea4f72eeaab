/** One call of an answer on its way: from a closed block, or from the fold, to an outcome. */

import { denialOfCall } from "../core/call-rights.ts";
import { closest } from "../core/closest.ts";
import { isHeld } from "../core/decide.ts";
import { deniedCall } from "../core/denial.ts";
import { takenCall } from "../core/execute.ts";
import { callKey } from "../core/id.ts";
import { EXECUTE_TOOL } from "../core/item.ts";
import type { LaneCall } from "../core/lane.ts";
import { PROCESS_TOOL } from "../core/managed.ts";
import type { CallBlock, RawBlock } from "../core/message.ts";
import { orchestrationTool } from "../core/orchestration.ts";
import { holdsMark } from "../core/redact.ts";
import type { OpenCall, Thread } from "../core/thread.ts";
import { type Effect, lanesOf, type Tool, type ToolOutcome } from "../core/tool.ts";
import type { Notes } from "../core/world.ts";
import { type Active, momentOf } from "./active.ts";
import { isLook, performLook } from "./look-call.ts";
import { isPost, performPost } from "./post-call.ts";
import { performProcess } from "./process-call.ts";
import { toolContext } from "./tool-context.ts";

export interface Call {
  readonly at: number;
  /** As it is kept and shown. */
  readonly block: CallBlock;
  /** The input as the model gave it, for the tool alone. */
  readonly given: unknown;
  readonly tool: Tool | undefined;
  readonly lanes: readonly string[];
  readonly inputError: string | undefined;
  state: LaneCall["state"];
  /** The intent is durable. */
  intended: boolean;
}

export function callFromFold(active: Active, call: OpenCall): Call {
  const { call_id, at, tool, input, executes } = call;
  const given = active.given.get(call_id) ?? input;
  const block: CallBlock = { type: "call", call_id, tool, input, ...(executes ? { executes } : {}) };
  const made = make(active, { at, block, given });
  const intended = call.effect !== undefined;
  if (call.result) return { ...made, state: "done", intended };
  return intended ? { ...made, state: "waiting", intended } : made;
}

export function callFromStream(
  active: Active,
  turn: number,
  closed: { raw: RawBlock & { type: "call" }; at: number; index: number },
): Call {
  const { raw, at, index } = closed;
  const { tool, input: given, executes } = meant(active, raw);
  const input = active.world.redact?.(given) ?? given;
  const place = { chainRootId: active.thread.chainRootId, turn, index, input };
  const call_id = callKey(place, active.world.sha256);
  if (input !== given) active.given.set(call_id, given);
  const block: CallBlock = { type: "call", call_id, tool, input, ...(executes ? { executes } : {}) };
  return make(active, { at, block, given }, raw.inputError);
}

/** What a model says with `execute` is from here on the call that it means, as if it had been made itself (X1). */
function meant({ thread }: Active, raw: RawBlock & { type: "call" }): ReturnType<typeof takenCall> {
  const isVerb = raw.inputError === undefined && thread.tools.includes(EXECUTE_TOOL);
  return isVerb ? takenCall(raw) : { tool: raw.tool, input: raw.input };
}

/** A mark is what was put in the place of a secret: written to a file, it would destroy what it stands for. */
const MARKED =
  "Not run: its input holds [secret …], a mark in the place of a value that is not kept. " +
  "Leave that part of a file as it is, or let a command read the value where it lies.";

function make(active: Active, place: Pick<Call, "at" | "block" | "given">, rawError?: string): Call {
  const { block, given } = place;
  const { thread, world } = active;
  const known = orchestrationTool(block.tool, thread.outputs) ?? world.tool(block.tool);
  const refusal = known && refusalOf(thread, block);
  const tool = refusal !== undefined || thread.tools.includes(block.tool) ? known : undefined;
  const marked = world.redact && holdsMark(given) ? MARKED : undefined;
  const inputError = refusal ?? rawError ?? marked ?? tool?.complaint?.(given);
  const lanes = inputError === undefined ? lanesOf(tool, given) : [];
  // Hooks that want to see it first are asked when the answer is durable (T3).
  const state = isHeld(thread, block, momentOf(active)) ? "deferred" : "waiting";
  return { ...place, tool, lanes, inputError, state, intended: false };
}

/** Every call is held against the rights of its thread, whether or not the model was offered the tool (K1). */
function refusalOf(thread: Thread, call: CallBlock): string | undefined {
  const denial = denialOfCall(thread, call);
  return denial && deniedCall(call.tool, denial);
}

/**
 * A call that cannot run has no effect, so it may be answered again after a crash. One whose input is not kept as it
 * was given cannot be run again from the journal, whatever its tool says.
 */
export function effectOf(call: Call): Effect {
  if (!call.tool || call.inputError !== undefined) return "pure";
  return call.block.input === call.given ? call.tool.effect : "manual";
}

/** A tool that throws, does not exist or gets nonsense gives an error result; the loop goes on (D5). */
export async function performCall(
  active: Active,
  turn: number,
  call: Call,
  notes: Notes,
): Promise<ToolOutcome> {
  const { tools } = active.thread;
  if (!call.tool) {
    return { status: "error", output: noTool(call.block.tool, tools) };
  }
  if (call.inputError !== undefined) return { status: "error", output: call.inputError };
  const { tool, call_id } = call.block;
  if (active.world.answered) return active.world.answered(call_id, notes);
  if (isPost(tool)) return performPost(active, call_id, tool, call.given);
  if (isLook(tool)) return performLook(active, tool, call.given);
  if (tool === PROCESS_TOOL) return performProcess(active, call_id, call.given, notes);
  try {
    return await call.tool.run(call.given, toolContext(active, turn, call.block));
  } catch (cause) {
    return {
      status: "error",
      output: `The tool failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    };
  }
}

function noTool(name: string, tools: readonly string[]): string {
  const [meant] = closest(name.slice(0, 64), tools);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const known = tools.length > 0 ? `Tools: ${tools.join(", ")}.` : "This thread has no tools.";
  return `There is no tool "${name}".${hint} ${known}`;
}
