/** What the next request of a thread may cost at most, before it is sent (B2). */

import { outputCap } from "../core/limit.ts";
import { toArray } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import { orchestrationTool } from "../core/orchestration.ts";
import { mayReachNetwork } from "../core/rights.ts";
import type { RequestCost } from "../core/spending.ts";
import type { Target, Thread } from "../core/thread.ts";
import type { ToolSpec } from "../core/tool.ts";
import type { World } from "../core/world.ts";

/** Bytes a token stands for at least, in any script that people write. */
const BYTES_PER_TOKEN = 3;
/** What a protocol writes around a conversation. */
const OVERHEAD_TOKENS = 256;

export function requestCost(world: World, thread: Thread, target: Target): RequestCost {
  const model = world.model(target.model);
  const { max_output_tokens, min_output_tokens } = world.settings.model;
  const cap = Math.min(max_output_tokens, model?.maxOutput ?? Number.POSITIVE_INFINITY);
  return {
    price: model?.price,
    inputTokens: inputTokens(world, thread),
    maxOutputTokens: outputCap(thread, cap),
    minOutputTokens: min_output_tokens,
  };
}

/** What was sent and answered last time is known; what came since, and the first request, are counted upwards. */
function inputTokens(world: World, thread: Thread): number {
  const { contextTokens, messages, system } = thread;
  const { model_output_chars: longest } = world.settings.tool;
  const all = toArray(messages);
  const from = contextTokens > 0 ? all.findLastIndex(({ role }) => role === "assistant") + 1 : 0;
  let bytes = 0;
  for (let at = from; at < all.length; at += 1) bytes += bytesOf(all[at], longest);
  if (contextTokens === 0) bytes += size(system) + size(JSON.stringify(toolSpecs(world, thread)));
  return contextTokens + Math.ceil(bytes / BYTES_PER_TOKEN) + OVERHEAD_TOKENS;
}

export function toolSpecs(world: World, thread: Pick<Thread, "tools" | "rights" | "outputs">): ToolSpec[] {
  const network = mayReachNetwork(thread);
  return thread.tools.flatMap((tool): ToolSpec[] => {
    const found = orchestrationTool(tool, thread.outputs) ?? world.tool(tool);
    if (!found) return [];
    const { name, input } = found;
    return [{ name, description: found.describe?.(network) ?? found.description, input }];
  });
}

function bytesOf(message: Message | undefined, longest: number): number {
  switch (message?.role) {
    case "user":
      return size(message.text);
    case "assistant":
      return size(JSON.stringify(message.blocks));
    case "tool":
      return message.results.reduce((sum, { output }) => sum + size(output.slice(0, longest)) + 64, 0);
    default:
      return 0;
  }
}

/** Bytes of UTF-8, at most: three for everything that is not plain. */
function size(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) bytes += 2;
  return bytes;
}
