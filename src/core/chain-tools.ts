/** `get_chain` and `chain_search` (X3): what a thread may ask about its own chain and those below it. */
import * as z from "zod/mini";
import { zodInput } from "./input.ts";
import type { ThreadRow } from "./row.ts";
import type { SearchResult } from "./search.ts";

const MOST_HITS = 50;

const threadId = z
  .optional(z.string().check(z.minLength(1), z.maxLength(200)))
  .check(z.describe("A thread below this one, or of this one's chain. Without it: this thread."));

const GetChain = () => z.object({ thread_id: threadId });

const ChainSearch = () =>
  z.object({
    thread_id: threadId,
    query: z.string().check(z.minLength(1), z.maxLength(1_000), z.describe("What to look for.")),
    search_type: z
      ._default(z.enum(["text", "regex"]), "text")
      .check(z.describe("text: case is ignored. regex: an expression of RE2; (?i) ignores case.")),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(MOST_HITS)), 20),
  });

export type ChainSearchInput = z.output<ReturnType<typeof ChainSearch>>;

export const CHAIN_INPUTS = { get_chain: zodInput(GetChain), chain_search: zodInput(ChainSearch) };

export const CHAIN_DESCRIPTIONS: Readonly<Record<keyof typeof CHAIN_INPUTS, string>> = {
  get_chain:
    "Tells the threads of a chain, from the first to the one it goes on in: a conversation that became too full was handed on from one to the next.",
  chain_search:
    "Finds where something was said, called or returned in all threads of a chain, also what is no longer in this conversation; the newest first.",
};

/** A chain as the model reads it. */
export function chainTold(chain: readonly ThreadRow[]): unknown {
  const [first] = chain;
  return {
    chain_root_id: first?.chain_root_id,
    current: chain.at(-1)?.thread_id,
    threads: chain.map(({ thread_id, directive, status, created_at }) => ({
      ...{ thread_id, directive, status, created_at },
    })),
  };
}

/** Looked for beyond the limit: some of the hits are searches themselves, and are taken out. */
export const SPARE_HITS = 30;

/** What was found, without what only a screen needs, and without earlier searches: each would find itself first. */
export function hitsTold({ hits, next, stopped, events, unread }: SearchResult, limit: number): unknown {
  const others = hits.filter(({ tool }) => tool !== "chain_search");
  const isMore = next !== null || others.length > limit;
  return {
    hits: others.slice(0, limit).map(({ thread_id, seq, ts, type, turn, tool, field, snippet, matches }) => ({
      ...{ thread_id, seq, ts, type, ...(turn === undefined ? {} : { turn }), ...(tool ? { tool } : {}) },
      ...{ field, snippet, matches },
    })),
    searched_events: events,
    ...(unread > 0 ? { not_searched: unread } : {}),
    ...(isMore ? { more: "there are more: ask for something narrower, or for a higher limit" } : {}),
    ...(stopped ? { stopped: "not everything was looked at: it took too long" } : {}),
  };
}
