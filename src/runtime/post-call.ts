/** Calls that ask something of another thread of the same tree: stored once, answered by its owner. */
import { headOf } from "../core/chain-links.ts";
import type { NewEvent } from "../core/event.ts";
import type { Child } from "../core/family.ts";
import { handedLimits } from "../core/handed-limits.ts";
import type { CallId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import { parseOrchestration, type ResumeInput } from "../core/orchestration.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import { hasEnded } from "../core/status.ts";
import { mayLetGoOn } from "../core/suspension.ts";
import { foldThread, type Thread } from "../core/thread.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Active } from "./active.ts";
import { shortOfMoney } from "./perform.ts";
import { continueThread, postRequest } from "./start.ts";

export function isPost(tool: string): boolean {
  return tool === "cancel_thread" || tool === "send_message" || tool === "resume_thread";
}

/** `cancel_thread`, `send_message`: asked for once, by the key of the call. */
export async function performPost(
  active: Active,
  callId: CallId,
  tool: string,
  input: unknown,
): Promise<ToolOutcome> {
  const { thread } = active;
  if (tool === "resume_thread") return resumeChild(active, callId, input);
  const { value } = parseOrchestration(tool as "cancel_thread", input) as { value: PostInput };
  const row = await relative(active, value.thread_id, tool === "send_message");
  if (!row) return failure(`${value.thread_id} is no thread below this one`);
  const common = { request_id: requestId(active, callId), thread_id: row.thread_id, by: thread.id };
  if (tool === "cancel_thread") {
    const { reason = `asked for by ${thread.id}` } = value;
    return posted(active, { ...common, kind: "cancel", reason, nonce: row.nonce }, "cancel_requested");
  }
  return posted(active, { ...common, kind: "message", text: value.text ?? "" }, "sent");
}

interface PostInput {
  readonly thread_id: string;
  readonly reason?: string;
  readonly text?: string;
}

/** A thread below this one, at any depth; or, where that may be asked, the one that started it. */
export async function relative(
  { world, thread }: Active,
  id: string,
  orParent: boolean,
): Promise<ThreadRow | undefined> {
  const [found] = await world.store.find({ threadId: id, limit: 1 });
  if (!found || found.root_id !== thread.rootId) return undefined;
  const row = await headOf(world.store, found);
  if (orParent && row.chain_root_id === thread.parentId) return row;
  for (let above = row.parent_id; above !== null; ) {
    if (above === thread.chainRootId) return row;
    const [next] = await world.store.find({ threadId: above, limit: 1 });
    above = next?.parent_id ?? null;
  }
  return undefined;
}

async function resumeChild(active: Active, callId: CallId, input: unknown): Promise<ToolOutcome> {
  const { value } = parseOrchestration("resume_thread", input) as { value: ResumeInput };
  const { thread_id, action, new_limits: asked = {}, message } = value;
  const { children } = active.thread;
  const child = Object.hasOwn(children, thread_id) ? children[thread_id] : undefined;
  const [found] = child ? await active.world.store.find({ threadId: thread_id, limit: 1 }) : [];
  if (!child || !found) return failure(`${thread_id} is no child of this thread`);
  const row = await headOf(active.world.store, found);
  const common = { request_id: requestId(active, callId), thread_id, by: active.thread.id };
  if (action === "cancel") {
    const reason = `asked for by ${active.thread.id}`;
    return posted(active, { ...common, kind: "cancel", reason, nonce: row.nonce }, "cancel_requested");
  }
  if (child.status === "created") return startChild(active, child, row, { ...common, kind: "start" });
  if (hasEnded(row.status)) return goOnWithChild(active, row, common.request_id, value);
  // Said again after a crash it is the same request, whatever became of the child meanwhile.
  if (row.status !== "suspended") {
    return posted(active, { ...common, kind: "resume", nonce: row.nonce }, "resumed");
  }
  if (!mayLetGoOn(row.suspend_reason)) {
    return failure(`${thread_id} waits for a person (${row.suspend_reason}); only a person can let it go on`);
  }
  if (action === "resume" && row.suspend_reason === "limit") {
    return failure(`${thread_id} stopped at a limit: use bump_and_resume with new_limits`);
  }
  const raise = action === "bump_and_resume" ? raised(active.thread, row, asked) : { limits: undefined };
  if ("problem" in raise) return failure(raise.problem);
  const said = { nonce: row.nonce, message, limits: raise.limits };
  return posted(active, { ...common, kind: "resume", ...said }, "resumed");
}

/** More to do for a child that did its work, or failed at it: a successor with all that was said (L6, X4). */
async function goOnWithChild(
  active: Active,
  row: ThreadRow,
  requestId: string,
  { thread_id, message, new_limits: asked = {} }: ResumeInput,
): Promise<ToolOutcome> {
  const { world, thread } = active;
  const { by, ...said } = { by: thread.id, thread_id, nonce: row.nonce };
  // Said again after a crash: what it led to may have ended by now.
  const before = await postRequest(world, { ...said, by, request_id: requestId, kind: "resume" });
  if (before.accepted)
    return { status: "ok", output: JSON.stringify({ success: true, thread_id, status: "resumed" }) };
  if (row.status === "cancelled")
    return failure(`${thread_id} was cancelled; only a person can let it go on`);
  if (message === undefined)
    return failure(`${thread_id} is ${row.status}: it needs a message to go on with`);
  const handed = handedLimits(thread.limits, asked, "new_limits");
  if ("problem" in handed) return failure(handed.problem);
  const { events } = await world.store.load(row.thread_id);
  const child = foldThread(row.thread_id, events);
  const made = await continueThread(world, child, {
    ...{ message, by, requestId, limits: handed.limits, system: child.system },
  });
  if ("refused" in made) return failure(`${thread_id} changed a moment ago; look at it again`);
  if ("unpaid" in made) {
    const { at, asked: needs = 0, free = 0 } = made.unpaid;
    return shortOfMoney({ at, asked: needs, free });
  }
  active.look?.();
  return { status: "ok", output: JSON.stringify({ success: true, thread_id, status: "resumed" }) };
}

/** Asked again after a crash, it may have begun by now, or be over: whoever started it, it is no longer only registered. */
async function startChild(
  active: Active,
  { id, directive }: Child,
  { status }: ThreadRow,
  request: Request,
): Promise<ToolOutcome> {
  const told: NewEvent = { type: "child_thread_resumed", child_id: id, directive };
  if (status === "created") return posted(active, request, "running", [told]);
  const output = JSON.stringify({ success: true, thread_id: id, status });
  return { status: "ok", output, facts: [told] };
}

/** Higher than what it has, and no higher than what the parent may hand on. */
function raised(
  { limits: own }: Thread,
  { limits: has }: ThreadRow,
  asked: Readonly<Record<string, unknown>>,
): { readonly limits: Limits } | { readonly problem: string } {
  const handed = handedLimits(own, asked, "new_limits");
  if ("problem" in handed) return handed;
  const raised = Object.entries(handed.limits);
  if (raised.length === 0) return { problem: "new_limits: it names no limit" };
  const same = raised.find(([key, value]) => Number(value) <= Number(has[key] ?? 0));
  return same ? { problem: `new_limits: ${same[0]} is ${has[same[0]]} already` } : handed;
}

async function posted(
  active: Active,
  request: Request,
  status: string,
  facts: readonly NewEvent[] = [],
): Promise<ToolOutcome> {
  const answer = await postRequest(active.world, request);
  const { thread_id } = request;
  if (!answer.accepted) return failure(`${thread_id}: ${answer.why}`);
  active.look?.();
  const output = JSON.stringify({ success: true, thread_id, status });
  return { status: "ok", output, ...(facts.length > 0 ? { facts } : {}) };
}

function requestId({ thread }: Active, callId: CallId): string {
  return `call_${thread.chainRootId}_${callId}`;
}

function failure(output: string): ToolOutcome {
  return { status: "error", output };
}
