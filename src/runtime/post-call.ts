/** Calls that ask something of another thread of the same tree: stored once, answered by its owner. */
import type { CallId } from "../core/id.ts";
import { parseOrchestration } from "../core/orchestration.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Active } from "./active.ts";
import { postRequest } from "./start.ts";

export function isPost(tool: string): boolean {
  return tool === "cancel_thread" || tool === "send_message";
}

/** `cancel_thread`, `send_message`: asked for once, by the key of the call. */
export async function performPost(
  active: Active,
  callId: CallId,
  tool: string,
  input: unknown,
): Promise<ToolOutcome> {
  const { world, thread } = active;
  const { value } = parseOrchestration(tool as "cancel_thread", input) as { value: PostInput };
  const row = await relative(active, value.thread_id, tool === "send_message");
  if (!row) return { status: "error", output: `${value.thread_id} is no thread below this one` };
  const common = {
    request_id: `call_${thread.chainRootId}_${callId}`,
    thread_id: row.thread_id,
    by: thread.id,
  };
  const request: Request =
    tool === "cancel_thread"
      ? { ...common, kind: "cancel", reason: value.reason ?? `asked for by ${thread.id}`, nonce: row.nonce }
      : { ...common, kind: "message", text: value.text ?? "" };
  const posted = await postRequest(world, request);
  if (!posted.accepted) {
    const what = tool === "cancel_thread" ? "not cancelled" : "not sent";
    return { status: "error", output: `${row.thread_id} was ${what}: ${posted.why}` };
  }
  active.look?.();
  const done = tool === "cancel_thread" ? { status: "cancel_requested" } : { status: "sent" };
  return { status: "ok", output: JSON.stringify({ success: true, thread_id: row.thread_id, ...done }) };
}

interface PostInput {
  readonly thread_id: string;
  readonly reason?: string;
  readonly text?: string;
}

/** A thread below this one, at any depth; or, where that may be asked, the one that started it. */
async function relative(
  { world, thread }: Active,
  id: string,
  orParent: boolean,
): Promise<ThreadRow | undefined> {
  const [row] = await world.store.find({ threadId: id, limit: 1 });
  if (!row || row.root_id !== thread.rootId) return undefined;
  if (orParent && row.chain_root_id === thread.parentId) return row;
  for (let above = row.parent_id; above !== null; ) {
    if (above === thread.chainRootId) return row;
    const [next] = await world.store.find({ threadId: above, limit: 1 });
    above = next?.parent_id ?? null;
  }
  return undefined;
}
