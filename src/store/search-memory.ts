/** A search in memory: everything that is left, in one piece. */
import type { StoredEvent } from "../core/journal.ts";
import type { ThreadRow } from "../core/row.ts";
import { type Scope, type SearchAsk, type SearchPage, searchStored } from "../core/search.ts";
import type { Hit } from "../core/search-hit.ts";
import { searchedTypes } from "../core/searchable.ts";

interface Searched {
  readonly rows: ReadonlyMap<string, ThreadRow>;
  readonly journal: readonly { readonly threadId: string; readonly stored: StoredEvent }[];
}

export function searchMemory({ rows, journal }: Searched, ask: SearchAsk): SearchPage {
  const types = new Set<string>(searchedTypes(ask.about));
  const looked = { threads: 0, events: 0, unread: 0 };
  const hits: Hit[] = [];
  let isReached = ask.before === undefined;
  for (const row of [...rows.values()].reverse()) {
    const { thread_id } = row;
    const isHere = ask.before?.thread_id === thread_id;
    isReached ||= isHere;
    if (!isReached || !isMeant(row, ask.scope)) continue;
    if (!isHere) looked.threads += 1;
    for (const { threadId, stored } of journal.toReversed()) {
      const isLater = isHere && stored.seq >= (ask.before?.seq ?? 0);
      if (threadId !== thread_id || isLater) continue;
      looked.events += 1;
      if (!types.has(stored.type) || stored.ts < (ask.since ?? 0)) continue;
      if (!ask.matcher.mayBeIn(stored.body)) continue;
      const hit = searchStored(threadId, stored, ask);
      if (hit === "unread") looked.unread += 1;
      else if (hit) hits.push(hit);
      if (hits.length === ask.limit) return { hits, ...looked, next: { thread_id, seq: stored.seq } };
    }
  }
  return { hits, ...looked, next: null };
}

function isMeant(row: ThreadRow, { threadIds, chainRootId, rootId }: Scope): boolean {
  return (
    (threadIds === undefined || threadIds.includes(row.thread_id)) &&
    (chainRootId === undefined || row.chain_root_id === chainRootId) &&
    (rootId === undefined || row.root_id === rootId)
  );
}
