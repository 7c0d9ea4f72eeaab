/** The threads of a chain, by their links (X3). A link that leads nowhere, or in a circle, is damage. */
import type { ThreadRow } from "./row.ts";
import type { Store } from "./store.ts";

type Finder = Pick<Store, "find">;

/** The one that the chain goes on in now: the thread itself, unless it was continued. */
export async function headOf(store: Finder, row: ThreadRow): Promise<ThreadRow> {
  const after = await linked(store, row, "continuation_thread_id");
  return after.at(-1) ?? row;
}

/** All of them, from the first to the last. */
export async function chainOf(store: Finder, row: ThreadRow): Promise<readonly ThreadRow[]> {
  const before = await linked(store, row, "continuation_of");
  const after = await linked(store, row, "continuation_thread_id");
  return [...before.reverse(), row, ...after];
}

/** Where threads stand in their chains, counted from 1; one whose links are damaged has no place. */
export async function chainPositions(
  store: Finder,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const positions = new Map<string, number>();
  for (const threadId of threadIds) {
    if (positions.has(threadId)) continue;
    const [row] = await store.find({ threadId, limit: 1 });
    const chain = row ? await chainOf(store, row).catch(noneIfBroken) : [];
    for (const [at, { thread_id }] of chain.entries()) positions.set(thread_id, at + 1);
  }
  return positions;
}

function noneIfBroken(error: unknown): readonly ThreadRow[] {
  if (error instanceof BrokenChain) return [];
  throw error;
}

async function linked(
  store: Finder,
  from: ThreadRow,
  link: "continuation_of" | "continuation_thread_id",
): Promise<ThreadRow[]> {
  const found: ThreadRow[] = [];
  const seen = new Set([from.thread_id]);
  for (let next = from[link]; next !== null; ) {
    if (seen.has(next)) throw new BrokenChain(`${from.thread_id}: its chain leads in a circle, at ${next}`);
    seen.add(next);
    const [row] = await store.find({ threadId: next, limit: 1 });
    if (!row)
      throw new BrokenChain(`${from.thread_id}: its chain leads to ${next}, and there is no such thread`);
    found.push(row);
    next = row[link];
  }
  return found;
}

export class BrokenChain extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokenChain";
  }
}
