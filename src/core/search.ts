/**
 * Searching journals.
 *   S1. The threads of a scope are looked at one after the other, the newest first, and each from its last event back.
 *   S2. A store looks at a bounded piece and says where it stopped: nobody is held up, and whoever asks can stop.
 *   S3. A search writes nothing.
 */
import { type StoredEvent, toEvent } from "./journal.ts";
import { type Hit, hitIn, type Wanted } from "./search-hit.ts";
import { TooLong } from "./search-query.ts";

/** Everything before this event, in the order of a search. */
export interface Place {
  readonly thread_id: string;
  readonly seq: number;
}

/** Which threads; with several of these, those that all of them mean. */
export interface Scope {
  readonly threadIds?: readonly string[];
  readonly chainRootId?: string;
  readonly rootId?: string;
}

export interface SearchAsk extends Wanted {
  readonly scope: Scope;
  /** Only events from this time on, in milliseconds. */
  readonly since?: number;
  readonly before?: Place | undefined;
  /** Most hits of this piece. */
  readonly limit: number;
}

export interface SearchPage {
  readonly hits: readonly Hit[];
  /** Where to go on; null when everything was looked at. */
  readonly next: Place | null;
  readonly threads: number;
  readonly events: number;
  /** Events that could not be read, and those too long for the pattern. */
  readonly unread: number;
}

/** What a search reads from; the store is one. */
export interface Searchable {
  search(ask: SearchAsk): Promise<SearchPage>;
}

export interface SearchResult extends Omit<SearchPage, "next"> {
  /** Where to go on when there are more hits; null when these are all. */
  readonly next: Place | null;
  /** It was stopped before everything was looked at. */
  readonly stopped: boolean;
}

export interface SearchHow {
  readonly signal?: AbortSignal;
  /** Most characters of all snippets together. */
  readonly chars?: number;
  /** After every piece: what was looked at so far. */
  readonly onProgress?: (soFar: { readonly threads: number; readonly events: number }) => void;
  /** Awaited between two pieces, so that others come to their turn. */
  readonly pause?: () => Promise<void>;
}

/** Hits up to the limit, and whether there are more. */
export async function search(
  store: Searchable,
  ask: SearchAsk,
  { signal, chars = Number.POSITIVE_INFINITY, onProgress, pause }: SearchHow = {},
): Promise<SearchResult> {
  const hits: Hit[] = [];
  const looked = { threads: 0, events: 0, unread: 0 };
  let before = ask.before;
  let room = chars;
  for (;;) {
    if (signal?.aborted) return { hits, ...looked, next: null, stopped: true };
    // One more than asked for: only who has seen it may say that there are more.
    const page = await store.search({ ...ask, before, limit: ask.limit + 1 - hits.length });
    looked.threads += page.threads;
    looked.events += page.events;
    looked.unread += page.unread;
    for (const hit of page.hits) {
      room -= hit.snippet.length;
      const last = hits.at(-1);
      if (last && (hits.length === ask.limit || room < 0))
        return { hits, ...looked, next: { thread_id: last.thread_id, seq: last.seq }, stopped: false };
      hits.push(hit);
    }
    if (!page.next) return { hits, ...looked, next: null, stopped: false };
    before = page.next;
    onProgress?.(looked);
    await pause?.();
  }
}

const UNREADABLE = [TooLong, SyntaxError, TypeError, RangeError];

/** The hit in a stored event that may be one (`Matcher.mayBeIn`), if it is; `unread` when nobody can say. */
export function searchStored(
  threadId: string,
  stored: Omit<StoredEvent, "hash">,
  ask: SearchAsk,
): Hit | "unread" | undefined {
  try {
    return hitIn(toEvent(threadId, stored), ask);
  } catch (error) {
    // The body is damaged, which `verify` tells more about; or it is too long for the pattern, or too deep.
    if (UNREADABLE.some((kind) => error instanceof kind)) return "unread";
    throw error;
  }
}
