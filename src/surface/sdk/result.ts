/** How a thread came out, as a value (UX e.2): failures of an agent are answers, never exceptions. */
import { headOf } from "../../core/chain-links.ts";
import { needsNoLoad } from "../../core/request.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { type ApprovalObject, approvalObject } from "../cli/approval-object.ts";
import { standstill } from "../cli/needs-you.ts";
import { requireHeadSeen, type Seen, type ThreadObject, threadObject } from "../cli/thread-object.ts";
import { lackingHere, notBrought } from "./left-behind.ts";

export interface ThreadRef {
  readonly thread_id: string;
  readonly root_id: string;
  readonly directive: string;
}

/** What it took; `spend` in dollars, null when nobody knows what its tokens cost. */
export type Cost = ThreadObject["cost"];

interface Outcome {
  readonly cost: Cost;
  readonly thread: ThreadRef;
}

export type Result =
  | (Outcome & {
      readonly status: "completed";
      readonly text: string;
      /** What it handed back with `directive_return`; null when its directive declares no outputs. */
      readonly data: Readonly<Record<string, unknown>> | null;
    })
  | (Outcome & {
      readonly status: "suspended";
      readonly reason: string;
      readonly message: string;
      /** The question that has to be answered, of this thread or of one below it. */
      readonly approval: ApprovalObject | null;
      /** When it goes on by itself. */
      readonly resumes_at: string | null;
      readonly partial: string;
    })
  | (Outcome & { readonly status: "cancelled"; readonly reason: string; readonly partial: string })
  | (Outcome & {
      readonly status: "error";
      readonly error: { readonly code: string | null; readonly message: string };
      readonly partial: string;
    });

/** Throws when nobody here can go on with it: to wait for it would be to wait for ever. */
export async function requireRunnable(world: World, threadId: string): Promise<void> {
  const [found] = await world.store.find({ threadId, limit: 1 });
  const row = found && (await headOf(world.store, found));
  // It may have ended since it was looked at.
  if (!row || isTerminal(row.status)) return;
  const { owner } = row;
  const isNobodys = owner === null || world.machine.ownerState(owner) === "dead";
  const lacks = isNobodys ? lackingHere(row, world) : undefined;
  if (!lacks) return;
  // An end that was asked for needs none of it, and is on its way.
  const open = await world.store.openRequests(row.chain_root_id);
  if (!open.some(({ kind }) => needsNoLoad(kind))) throw notBrought(lacks);
}

/** Undefined: it is under way, or somebody will go on with it without being asked. */
export async function resultOf(world: World, threadId: string): Promise<Result | undefined> {
  if (await isUnderWay(world, threadId)) return undefined;
  const seen = await requireHeadSeen(world, threadId);
  const thread = threadObject(seen);
  const outcome = { cost: thread.cost, thread: refOf(thread) };
  switch (thread.status) {
    case "completed": {
      const data = seen.thread.returned ?? null;
      return { ...outcome, status: "completed", text: thread.result?.text ?? "", data };
    }
    case "cancelled":
      return { ...outcome, ...partOf(seen), status: "cancelled", reason: await cancelReason(world, thread) };
    case "error":
      return { ...outcome, ...partOf(seen), status: "error", error: errorOf(thread) };
    case "suspended":
      // It was answered, and its owner has not taken that yet.
      if (seen.sighting.requests.length > 0) return undefined;
      return { ...outcome, ...(await suspension(world, seen)) };
    default: {
      const [asking] = await standstill(world, seen.sighting.row);
      if (!asking || asking.isAbandoned) return undefined;
      const below = await requireHeadSeen(world, asking.row.thread_id);
      return { ...outcome, ...(await suspension(world, below)), ...partOf(seen) };
    }
  }
}

/** Told from its row alone: most threads are, most of the time. */
async function isUnderWay({ store }: World, threadId: string): Promise<boolean> {
  const [found] = await store.find({ threadId, limit: 1 });
  const row = found && (await headOf(store, found));
  return row?.status === "running" && row.corrupt === null && row.waits_for?.kind !== "children";
}

function refOf({ thread_id, root_id, directive }: ThreadObject): ThreadRef {
  return { thread_id, root_id, directive };
}

function partOf({ thread }: Seen): { readonly partial: string } {
  return { partial: thread.result ?? "" };
}

function errorOf({ error, now }: ThreadObject) {
  return { code: error?.code ?? null, message: error?.message ?? now.doing };
}

async function suspension(world: World, seen: Seen) {
  const thread = threadObject(seen);
  const [question] = await world.store.approvals({ threadId: thread.thread_id, states: ["open"] });
  const approval = question ? approvalObject(question, seen.sighting.row, world.clock.now()) : null;
  return {
    status: "suspended" as const,
    reason: thread.suspend_reason ?? "error",
    message: thread.error?.message ?? thread.now.doing,
    approval,
    resumes_at: thread.resumes_at,
    ...partOf(seen),
  };
}

async function cancelReason(world: World, { thread_id }: ThreadObject): Promise<string> {
  const { events } = await world.store.load(thread_id);
  const end = events.findLast((event) => event.type === "thread_cancelled");
  return end?.type === "thread_cancelled" ? end.reason : "";
}
