/** Files that ask something of a thread become requests; a file goes only after its request is stored (F4). */
import type { Candidate } from "../core/claim.ts";
import { findBreach } from "../core/limit.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import { foldThread } from "../core/thread.ts";
import type { InboxFile, World } from "../core/world.ts";

export async function postInbox(world: World, candidates: readonly Candidate[]): Promise<boolean> {
  const nonces = new Map(candidates.flatMap(({ row }) => namesOf(row).map((id) => [id, row.nonce] as const)));
  const files = world.inbox.take([...nonces.keys()]);
  for (const file of files) {
    if (file.type === "answer" && file.problem !== undefined) {
      refuse(world, file, file.problem);
      continue;
    }
    const idle = file.type === "answer" ? await idleAnswer(world, file) : undefined;
    if (idle !== undefined) {
      refuse(world, file, idle);
      continue;
    }
    const [posted] = await world.store.post([requestOf(file)]);
    if (file.type === "cancel") {
      world.inbox.done(file, file.nonce === nonces.get(file.threadId) ? "removed" : "archived");
    } else if (posted?.accepted === false) {
      refuse(world, file, posted.why);
    } else {
      world.inbox.done(file, "removed");
    }
  }
  return files.length > 0;
}

/** Folders in which something may lie for a thread: whoever knew the chain by another name asks it all the same. */
export function namesOf({ thread_id, chain_root_id, continuation_of }: ThreadRow): string[] {
  return [...new Set([thread_id, chain_root_id, ...(continuation_of === null ? [] : [continuation_of])])];
}

/** Why a yes would change nothing: it would use up the one decision, and the thread would stop again at once. */
async function idleAnswer(
  world: World,
  { threadId, approved, limits }: InboxFile & { type: "answer" },
): Promise<string | undefined> {
  if (!approved || !limits) return undefined;
  const { events } = await world.store.load(threadId);
  const thread = foldThread(threadId, events);
  const breach = findBreach({ ...thread, limits: { ...thread.limits, ...limits } });
  if (!breach || breach.code !== thread.approval?.limit_code) return undefined;
  return `its new_limits do not reach: ${breach.key} needs at least ${breach.needs}`;
}

function refuse(world: World, file: InboxFile, message: string): void {
  world.inbox.done(file, "archived");
  world.notify({ type: "answer_refused", threadId: file.threadId, message });
}

function requestOf(file: InboxFile): Request {
  const asked = { request_id: file.requestId, thread_id: file.threadId, by: "file" };
  if (file.type === "cancel") return { ...asked, kind: "cancel", nonce: file.nonce, reason: file.reason };
  const { approvalId: approval_id, approved, message, limits } = file;
  return { ...asked, kind: "decide", approval_id, approved, via: "file", message, limits, resume: true };
}
