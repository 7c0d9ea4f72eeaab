/** A thread from the conversation of another (X5): what can be read of that is read, and nothing of it is written. */
import { BrokenChain, chainOf } from "../core/chain-links.ts";
import { type ForkPoint, forkOf, forkPoints, type Readable } from "../core/fork.ts";
import type { Revocation } from "../core/grant.ts";
import { randomName, type ThreadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import type { Damage, ThreadRow } from "../core/row.ts";
import type { World } from "../core/world.ts";
import { newRequestId } from "./start.ts";

export interface Forkable {
  readonly points: readonly ForkPoint[];
  /** Where the journal cannot be read any further, if that is so. */
  readonly damage?: { readonly threadId: string; readonly damage: Damage } | undefined;
}

/** Where the chain of a thread can be forked. */
export async function readForkPoints({ store }: World, row: ThreadRow): Promise<Forkable> {
  const chain: Readable[] = [];
  let found: Forkable["damage"];
  for (const { thread_id: threadId, corrupt } of await linksOf(store, row)) {
    const { events, damage = corrupt } = await store.load(threadId);
    if (damage) found = { threadId, damage };
    chain.push({ threadId, events: events.filter(({ seq }) => !damage || seq <= damage.last_good) });
  }
  return { points: forkPoints(chain), damage: found };
}

/** A chain whose links are broken is damaged itself; the thread that was named can be read all the same. */
async function linksOf(store: World["store"], row: ThreadRow): Promise<readonly ThreadRow[]> {
  try {
    return await chainOf(store, row);
  } catch (error) {
    if (error instanceof BrokenChain) return [row];
    throw error;
  }
}

export interface ForkAsk {
  readonly limits: Limits;
  readonly message?: string | undefined;
  readonly by: string;
}

/** The id is known before anything is written, as for every thread that a person starts. */
export async function createFork(
  world: World,
  id: ThreadId,
  point: ForkPoint,
  { limits, message, by }: ForkAsk,
): Promise<void> {
  const revoked = await takenByNow(world, point);
  const made = { id, nonce: randomName(world.random(16)), requestId: newRequestId(world) };
  await world.store.create(forkOf(point, { ...made, by, message, limits, revoked }));
}

/** A revocation that is stored holds, whether or not its thread has come to read it. */
async function takenByNow({ store }: World, { now }: ForkPoint): Promise<Revocation[]> {
  const open = await store.openRequests(now.chainRootId);
  return open.flatMap((request) => {
    if (request.kind !== "revoke") return [];
    const { by, rights, from = request.thread_id } = request;
    return rights.map((right) => ({ right, by, from }));
  });
}
