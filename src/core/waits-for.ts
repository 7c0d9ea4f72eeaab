/** What the registry says of a thread that waits for others. */
import type { Event } from "./event.ts";
import type { WaitsFor } from "./suspension.ts";

/** Of a lasting thread that has answered. */
export const WAITS_FOR_MESSAGE: WaitsFor = { kind: "message", what: "the next message" };

export function waitsForChildren(
  event: Event<"wait_started" | "thread_stopping" | "child_thread_started">,
): WaitsFor {
  if (event.type === "child_thread_started")
    return { kind: "children", what: "notes on its conversation", ids: [event.child_id] };
  if (event.type === "thread_stopping") return { kind: "children", what: "its children to stop", ids: [] };
  const { thread_ids: ids, until } = event;
  return { kind: "children", what: whomFor(event), ids, ...(until === undefined ? {} : { until }) };
}

function whomFor({ hook, call_id, thread_ids: ids, channel }: Event<"wait_started">): string {
  if (channel !== undefined) return `the channel ${channel}`;
  if (hook !== undefined) return `the answer of the hook ${hook}`;
  if (call_id === null) return "its children, to end";
  // By name: one further down is nobody's child here.
  return ids.length === 1 ? String(ids[0]) : `${ids.length} threads`;
}
