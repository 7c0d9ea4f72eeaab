/** Calls of `channel`: each is one commit with everything that follows from it, so a crash finds all of it or nothing. */
import type { ChannelInput } from "../core/channel-input.ts";
import { planChannel } from "../core/channel-plan.ts";
import { channelState } from "../core/channel-registry.ts";
import type { NewEvent } from "../core/event.ts";
import { parseOrchestration } from "../core/orchestration.ts";
import type { OpenCall } from "../core/thread.ts";
import type { ToolOutcome } from "../core/tool.ts";
import { type Active, record } from "./active.ts";

/**
 * What is planned here is checked once more inside the commit. Somebody else in the channel may have been first: then
 * nothing of it lands, and the next look at the thread comes here again.
 */
export async function performChannel(
  active: Active,
  open: OpenCall,
  given: unknown,
  facts: { readonly start: NewEvent; readonly resultOf: (outcome: ToolOutcome) => NewEvent },
): Promise<void> {
  const { world, thread } = active;
  const { value: ask } = parseOrchestration("channel", given) as { value: ChannelInput };
  // A read tells what the thread was told: it needs nobody else's line.
  const rows = ask.action === "read" ? [] : await world.store.find({ rootId: thread.rootId });
  const asked = { callId: open.call_id, ask, now: world.clock.now() };
  const { events, outcome } = planChannel(thread, asked, channelState(rows, ask.channel));
  const result = outcome ? [facts.resultOf(outcome)] : [];
  await record(active, { events: [], tail: [facts.start, ...events, ...result] });
}
