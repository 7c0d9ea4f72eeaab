/** Files that ask something of a thread become requests; a file goes only after its request is stored (F4). */
import type { Candidate } from "../core/claim.ts";
import type { Request } from "../core/request.ts";
import type { World } from "../core/world.ts";

export async function postInbox(world: World, candidates: readonly Candidate[]): Promise<void> {
  const files = world.inbox.take(candidates.map(({ row }) => row.thread_id));
  if (files.length === 0) return;
  const requests = files.map(
    ({ threadId, requestId, nonce, reason }): Request => ({
      kind: "cancel",
      request_id: requestId,
      thread_id: threadId,
      by: "file",
      nonce,
      reason,
    }),
  );
  await world.store.post(requests);
  const nonces = new Map(candidates.map(({ row }) => [row.thread_id, row.nonce]));
  for (const file of files) {
    world.inbox.done(file, file.nonce === nonces.get(file.threadId) ? "removed" : "archived");
  }
}
