/** Files that ask something of a thread become requests; a file goes only after its request is stored (F4). */
import type { Candidate } from "../core/claim.ts";
import type { Request } from "../core/request.ts";
import type { InboxFile, World } from "../core/world.ts";

export async function postInbox(world: World, candidates: readonly Candidate[]): Promise<void> {
  const nonces = new Map(candidates.map(({ row }) => [row.thread_id, row.nonce]));
  for (const file of world.inbox.take([...nonces.keys()])) {
    if (file.type === "answer" && file.problem !== undefined) {
      refuse(world, file, file.problem);
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
