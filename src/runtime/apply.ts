/** Requests that need neither model nor tool are applied by whoever asks, when no live host covers the thread (R2). */
import type { World } from "../core/world.ts";
import { activate } from "./activation.ts";
import { walkKey } from "./scope.ts";

/** False: somebody alive owns the thread, or took it a moment ago; what was asked is stored, and is theirs to answer. */
export async function applyRequests(world: World, threadId: string, patienceMs: number): Promise<boolean> {
  const { store, machine } = world;
  const [row] = await store.find({ threadId, limit: 1 });
  if (!row || (row.owner !== null && machine.ownerState(row.owner) !== "dead")) return false;
  const key = walkKey(threadId, row.epoch + 1);
  machine.walking.add(key);
  try {
    const claimed = await store.claim({ threadId, owner: machine.owner, seenEpoch: row.epoch });
    if ("refused" in claimed) return false;
    await activate(world, claimed, { timerFired: false, patienceMs, onlyRequests: true });
    return true;
  } finally {
    machine.walking.delete(key);
  }
}
