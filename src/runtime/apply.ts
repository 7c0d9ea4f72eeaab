/** Requests that need neither model nor tool are applied by whoever asks, when no live host covers the thread (R2). */
import { needsNoLoad } from "../core/request.ts";
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

/** Between two rounds that moved nothing: somebody alive may be at one of them. */
const PAUSE_MS = 50;
const MOST_IDLE_ROUNDS = 20;
/** A tree needs two for each generation: far more than this is no tree. */
const MOST_ROUNDS = 1_000;

/**
 * The same for a thread and everyone below it, those furthest down first: what becomes of a child is told to its parent,
 * and no thread ends before its last child has (T7). Killed at any place and asked again, it goes on where it was.
 */
export async function applyToTree(world: World, threadId: string, patienceMs: number): Promise<void> {
  for (let round = 0, idle = 0; round < MOST_ROUNDS && idle < MOST_IDLE_ROUNDS; round += 1) {
    const asked = await askedBelow(world, threadId);
    if (asked.length === 0) return;
    let moved = 0;
    for (const id of asked) moved += (await applyRequests(world, id, patienceMs)) ? 1 : 0;
    idle = moved > 0 ? 0 : idle + 1;
    if (moved === 0) await world.clock.sleep(PAUSE_MS);
  }
}

/** Of a thread and everyone below it: those of whom something is asked that may end them, deepest first. */
async function askedBelow({ store }: World, threadId: string): Promise<string[]> {
  const [top] = await store.find({ threadId, limit: 1 });
  const live = top ? await store.candidates(top.root_id) : [];
  const parents = new Map(live.map(({ row }) => [row.chain_root_id, row.parent_id]));
  const depthBelow = (id: string): number => {
    if (id === top?.chain_root_id) return 0;
    const above = parents.get(id) ?? null;
    return above === null ? Number.NaN : depthBelow(above) + 1;
  };
  return live
    .filter(({ requests }) => requests.some(({ kind }) => kind === "outcome" || needsNoLoad(kind)))
    .map(({ row }) => ({ id: row.thread_id, depth: depthBelow(row.chain_root_id) }))
    .filter(({ depth }) => !Number.isNaN(depth))
    .sort((left, right) => right.depth - left.depth)
    .map(({ id }) => id);
}
