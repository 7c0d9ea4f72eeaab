/** What a tool is told beside its input (D7), and how it says how far it is. */
import type { CallBlock } from "../core/message.ts";
import { paced, toldBy } from "../core/progress.ts";
import { mayReachNetwork } from "../core/rights.ts";
import { cutMiddle } from "../core/text.ts";
import type { ToolContext } from "../core/tool.ts";
import type { Active } from "./active.ts";

const PROGRESS_EVERY_MS = 1_000;

export function toolContext(active: Active, turn: number, block: CallBlock): ToolContext {
  const { world, thread } = active;
  const isTime = paced(PROGRESS_EVERY_MS);
  const progress: ToolContext["progress"] = (...words) => {
    const { message, ...part } = toldBy(words);
    if (!isTime(world.clock.monotonic(), part.progress)) return;
    const envelope = { v: 1 as const, ts: new Date(world.clock.now()).toISOString(), thread_id: thread.id };
    const { call_id, tool } = block;
    const said = {
      type: "tool_call_progress" as const,
      turn,
      call_id,
      tool,
      message: cutMiddle(world.redact?.(message) ?? message, 500),
      ...part,
    };
    world.notify({ type: "live", event: { ...envelope, ...said } });
  };
  const { id: threadId, chainRootId } = thread;
  const { signal } = active.tools;
  const network = mayReachNetwork(thread);
  return { threadId, chainRootId, turn, callKey: block.call_id, signal, network, progress };
}
