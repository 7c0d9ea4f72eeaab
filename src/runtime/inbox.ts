/** Files that ask something of a thread become requests; a file goes only after its request is stored (F4). */
import { BrokenChain, headOf } from "../core/chain-links.ts";
import type { Candidate } from "../core/claim.ts";
import { findBreach } from "../core/limit.ts";
import type { Request } from "../core/request.ts";
import type { Named } from "../core/row.ts";
import { foldThread } from "../core/thread.ts";
import type { InboxFile, World } from "../core/world.ts";

export async function postInbox(world: World, candidates: readonly Candidate[]): Promise<boolean> {
  return postFiles(world, new Set(candidates.flatMap(({ row }) => namesOf(row))));
}

/** What lies in the folders of these names; true when something did. */
export async function postFiles(world: World, names: ReadonlySet<string>): Promise<boolean> {
  if (names.size === 0) return false;
  const files = world.inbox.take([...names]);
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
      world.inbox.done(file, file.nonce === (await nonceOf(world, file.threadId)) ? "removed" : "archived");
    } else if (posted?.accepted === false) {
      refuse(world, file, posted.why);
    } else {
      world.inbox.done(file, "removed");
    }
  }
  return files.length > 0;
}

/** Of the thread that its chain goes on in now: the one that is meant. */
async function nonceOf({ store }: World, threadId: string): Promise<string | undefined> {
  const [row] = await store.find({ threadId, limit: 1 });
  if (!row) return undefined;
  const head = await headOf(store, row).catch((error: unknown) => {
    if (error instanceof BrokenChain) return row;
    throw error;
  });
  return head.nonce;
}

/** Folders in which something may lie for a thread: whoever knew the chain by another name asks it all the same. */
export function namesOf({ thread_id, chain_root_id, continuation_of }: Named): string[] {
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
