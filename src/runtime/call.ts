/** One call of an answer on its way: from a closed block, or from the fold, to an outcome. */

import { isHeld } from "../core/decide.ts";
import { callKey } from "../core/id.ts";
import type { LaneCall } from "../core/lane.ts";
import type { CallBlock, RawBlock } from "../core/message.ts";
import { cutMiddle } from "../core/text.ts";
import type { OpenCall } from "../core/thread.ts";
import { type Effect, lanesOf, type Tool, type ToolContext, type ToolOutcome } from "../core/tool.ts";
import { type Active, momentOf } from "./active.ts";

export interface Call {
  readonly at: number;
  readonly block: CallBlock;
  readonly tool: Tool | undefined;
  readonly lanes: readonly string[];
  readonly inputError: string | undefined;
  state: LaneCall["state"];
  /** The intent is durable. */
  intended: boolean;
}

export function callFromFold(active: Active, call: OpenCall): Call {
  const { call_id, at, input } = call;
  const made = make(active, { at, block: { type: "call", call_id, tool: call.tool, input } });
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
  const { input, tool } = raw;
  const place = { chainRootId: active.thread.chainRootId, turn, index, input };
  const call_id = callKey(place, active.world.sha256);
  return make(active, { at, block: { type: "call", call_id, tool, input } }, raw.inputError);
}

function make(active: Active, place: { at: number; block: CallBlock }, rawError?: string): Call {
  const { block } = place;
  const tool = active.thread.tools.includes(block.tool) ? active.world.tool(block.tool) : undefined;
  const inputError = rawError ?? tool?.complaint?.(block.input);
  const lanes = inputError === undefined ? lanesOf(tool, block.input) : [];
  // Hooks that want to see it first are asked when the answer is durable (T3).
  const state = isHeld(active.thread, block, momentOf(active)) ? "deferred" : "waiting";
  return { ...place, tool, lanes, inputError, state, intended: false };
}

/** A call that cannot run has no effect, so it may be answered again after a crash. */
export function effectOf(call: Call): Effect {
  return call.tool && call.inputError === undefined ? call.tool.effect : "pure";
}

/** A tool that throws, does not exist or gets nonsense gives an error result; the loop goes on (D5). */
export async function performCall(active: Active, turn: number, call: Call): Promise<ToolOutcome> {
  const { tools } = active.thread;
  if (!call.tool) {
    const known = tools.length > 0 ? `Tools: ${tools.join(", ")}.` : "This thread has no tools.";
    return { status: "error", output: `There is no tool "${call.block.tool}". ${known}` };
  }
  if (call.inputError !== undefined) return { status: "error", output: call.inputError };
  try {
    return await call.tool.run(call.block.input, toolContext(active, turn, call.block));
  } catch (cause) {
    return {
      status: "error",
      output: `The tool failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    };
  }
}

const PROGRESS_EVERY_MS = 1_000;

export function toolContext(active: Active, turn: number, block: CallBlock): ToolContext {
  const { world, thread } = active;
  let nextProgress = Number.NEGATIVE_INFINITY;
  const progress = (message: string) => {
    const now = world.clock.monotonic();
    if (now < nextProgress) return;
    nextProgress = now + PROGRESS_EVERY_MS;
    const envelope = { v: 1 as const, ts: new Date(world.clock.now()).toISOString(), thread_id: thread.id };
    const { call_id, tool } = block;
    const said = {
      type: "tool_call_progress" as const,
      turn,
      call_id,
      tool,
      message: cutMiddle(message, 500),
    };
    world.notify({ type: "live", event: { ...envelope, ...said } });
  };
  const { id: threadId, chainRootId } = thread;
  return { threadId, chainRootId, turn, callKey: block.call_id, signal: active.effects.signal, progress };
}
