/** Journals of a whole chain: what was asked, answered and paid before a hand-off stands in the thread before. */
import { chainOf } from "../../core/chain-links.ts";
import type { Event } from "../../core/event.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { Store } from "../../core/store.ts";

/** Of the threads that share the account of this one, up to and including it. */
async function earlierOf(store: Store, row: ThreadRow): Promise<readonly ThreadRow[]> {
  if (row.continuation_of === null) return [];
  const chain = await chainOf(store, row);
  const before = chain.slice(
    0,
    chain.findIndex(({ thread_id }) => thread_id === row.thread_id),
  );
  return before.filter(({ chain_root_id }) => chain_root_id === row.chain_root_id);
}

/** Events of those before it, and `own`, in order. */
export async function withEarlier(
  store: Store,
  row: ThreadRow,
  own: readonly Event[],
): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (const { thread_id } of await earlierOf(store, row))
    events.push(...(await store.load(thread_id)).events);
  return [...events, ...own];
}
