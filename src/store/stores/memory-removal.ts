/** Threads that go for good from a store in memory. */
import { type RemovalRefusal, removalRefusal } from "../../core/removal.ts";
import type { MemoryDisk } from "./memory.ts";
import { GONE } from "./memory-query.ts";
import type { StoreNeeds } from "./needs.ts";

export function removeFromMemory(
  disk: MemoryDisk,
  { ownerState }: StoreNeeds,
  threadIds: readonly string[],
): RemovalRefusal | undefined {
  const rows = [...disk.rows.values()].reverse();
  const hosted = [...disk.hosts.values()]
    .filter(({ owner }) => ownerState(owner) !== "dead")
    .map(({ scope }) => scope);
  const last = disk.journal.findLast(({ threadId }) => threadId !== GONE)?.threadId;
  const refusal = removalRefusal(threadIds, { rows, hosted, last });
  if (refusal) return refusal;
  const gone = new Set(threadIds);
  const chains = new Set(rows.filter((row) => gone.has(row.thread_id)).map((row) => row.chain_root_id));
  for (const id of gone) disk.rows.delete(id);
  for (const [id, { thread_id }] of disk.approvals) if (gone.has(thread_id)) disk.approvals.delete(id);
  for (const [id, { chainRootId }] of disk.requests) if (chains.has(chainRootId)) disk.requests.delete(id);
  for (const [id, { account }] of disk.attempts) if (chains.has(account)) disk.attempts.delete(id);
  for (const chain of chains) {
    disk.timers.delete(chain);
    disk.accounts.delete(chain);
  }
  // Places stay as they are: they are the cursors of the feed.
  for (const [at, { threadId, stored }] of disk.journal.entries()) {
    if (gone.has(threadId)) disk.journal[at] = { threadId: GONE, stored: { ...stored, body: "{}" } };
  }
  disk.version += 1;
  return undefined;
}

export function weighInMemory({ journal }: MemoryDisk, threadIds: readonly string[]): number {
  const wanted = new Set(threadIds);
  return journal
    .filter(({ threadId }) => wanted.has(threadId))
    .reduce((sum, { stored }) => sum + Buffer.byteLength(stored.body), 0);
}
