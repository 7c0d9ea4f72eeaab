/** `selvage search`: where in the journals something was said, the newest thread first. */
import { Command } from "commander";
import { chainPositions } from "../../../core/chain-links.ts";
import { closest } from "../../../core/closest.ts";
import { EVENTS } from "../../../core/event.ts";
import { loadPatterns } from "../../../core/like.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { type Place, type Scope, type SearchResult, search } from "../../../core/search.ts";
import { compileQuery, type Matcher, type Query } from "../../../core/search-query.ts";
import { KINDS, SEARCHED_TYPES } from "../../../core/searchable.ts";
import type { Store } from "../../../core/store.ts";
import { grouped, oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { another } from "../limits-given.ts";
import { parseCount, parseLines } from "../number.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import { badQuery, searchHint, searchText } from "../search-text.ts";
import type { Session } from "../session.ts";
import { pastTime } from "../when.ts";

interface SearchOptions {
  readonly regex?: boolean;
  readonly chain?: string;
  readonly root?: string;
  readonly type?: readonly string[];
  readonly context?: number;
  readonly limit?: number;
  readonly since?: string;
  readonly before?: string;
  readonly exitStatus?: boolean;
}

const LIMIT = 50;
const TELL_AFTER_MS = 1_000;

export function searchCommand(play: Play): Command {
  return new Command("search")
    .description(
      "where something was said: prompts, answers, calls, results, errors; the newest thread first",
    )
    .argument("<query>", "a text; upper and lower case are the same")
    .option("--regex", "the query is a regular expression of RE2; (?i) ignores case")
    .option("--chain <id>", "only this thread and its continuations")
    .option("--root <id>", "only the tree that this thread is in")
    .option("--type <types>", `only ${KINDS.join(", ")}, or types of events (with commas)`, another)
    .option("--context <lines>", "lines before and after", parseLines)
    .option("--limit <count>", `at most so many hits (${LIMIT})`, parseCount)
    .option("--since <time>", "only what is not older: 2h, 7d, 2026-11-16")
    .option("--before <id:seq>", "go on where another search stopped")
    .option("--exit-status", "exit 1 if nothing is found")
    .action((query: string, options: SearchOptions) =>
      play((session) => searching(session, { text: query, how: options.regex ? "regex" : "text" }, options)),
    );
}

async function searching(session: Session, query: Query, options: SearchOptions): Promise<Answer> {
  const matcher = await compiled(query);
  const about = (options.type ?? []).flatMap((text) => text.split(","));
  for (const word of about) requireKind(word);
  const { world } = session.open();
  const { store, clock } = world;
  const since = options.since === undefined ? undefined : pastTime(options.since, clock.now(), "search TEXT");
  const ask = {
    ...{ matcher, about, context: options.context ?? 0, limit: options.limit ?? LIMIT },
    scope: await scopeOf(store, options),
    before: options.before === undefined ? undefined : await placeFrom(store, options.before),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
  };
  const startedAt = clock.monotonic();
  const interruption = session.interruption();
  const found = await search(store, ask, {
    signal: AbortSignal.any([interruption.signal, session.terminal.gone]),
    onProgress: progress(session, world, startedAt),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const tookMs = Math.round(clock.monotonic() - startedAt);
  if (found.unread > 0)
    session.warn(
      `${found.unread} events could not be searched: damaged (selvage verify), or too long for this pattern`,
    );
  const exit = interruption.exit ?? (options.exitStatus && found.hits.length === 0 ? EXIT.failed : EXIT.ok);
  return {
    ...{ kind: "search", exit, data: dataOf(found, await positionsOf(store, found), tookMs) },
    text: searchText(found.hits, clock.now(), session.terminal.out),
    hint: searchHint(found),
  };
}

function positionsOf(store: Store, { hits }: SearchResult): Promise<ReadonlyMap<string, number>> {
  return chainPositions(
    store,
    hits.map(({ thread_id }) => thread_id),
  );
}

function dataOf(
  { hits, threads, events, unread, next, stopped }: SearchResult,
  positions: ReadonlyMap<string, number>,
  took_ms: number,
) {
  return {
    hits: hits.map(({ thread_id, ...hit }) => ({
      ...{ thread_id, chain_position: positions.get(thread_id) ?? null },
      ...hit,
    })),
    searched: { threads, events, unread },
    more: next !== null,
    next: next && `${next.thread_id}:${next.seq}`,
    complete: !stopped && next === null,
    took_ms,
  };
}

async function compiled(query: Query): Promise<Matcher> {
  if (query.how === "regex") await loadPatterns();
  const matcher = compileQuery(query);
  if ("why" in matcher) throw badQuery(query, matcher);
  return matcher;
}

async function scopeOf(store: Store, { chain, root }: SearchOptions): Promise<Scope> {
  const ofChain = chain === undefined ? undefined : await resolveThread(store, chain);
  const ofRoot = root === undefined ? undefined : await resolveThread(store, root);
  return {
    ...(ofChain ? { chainRootId: ofChain.chain_root_id } : {}),
    ...(ofRoot ? { rootId: ofRoot.root_id } : {}),
  };
}

async function placeFrom(store: Store, text: string): Promise<Place> {
  const [, id, seq] = /^(.+):(\d{1,15})$/.exec(text) ?? [];
  if (id !== undefined) return { thread_id: (await resolveThread(store, id)).thread_id, seq: Number(seq) };
  throw new Problem("E_USAGE", {
    what: `--before ${oneLine(text, 60)} is no place in a search.`,
    why: "It is a thread and the number of an event, as a search names it when there is more.",
    next: [{ cmd: "selvage search --help", why: "its arguments and flags" }],
  });
}

function requireKind(word: string): void {
  const known: readonly string[] = [...KINDS, ...SEARCHED_TYPES];
  if (known.includes(word)) return;
  const [meant] = closest(word.slice(0, 60), known);
  const isOther = Object.hasOwn(EVENTS, word);
  throw new Problem("E_USAGE", {
    what: isOther ? `${word} has no text to search.` : `"${oneLine(word, 60)}" is nothing to search in.`,
    why: meant && !isOther ? `Did you mean ${meant}?` : `There are ${known.join(", ")}.`,
    next: [
      { cmd: `selvage search TEXT --type ${isOther ? "tool" : (meant ?? "text")}`, why: "one there is" },
    ],
  });
}

/** Who waits is told for what; a short search says nothing. */
function progress(
  { terminal, flags }: Session,
  { clock }: World,
  startedAt: number,
): (soFar: { threads: number; events: number }) => void {
  let toldAt = startedAt;
  return ({ threads, events }) => {
    if (flags.quiet || clock.monotonic() - toldAt < TELL_AFTER_MS) return;
    toldAt = clock.monotonic();
    const looked = `${grouped(events)} events of ${grouped(threads)} threads`;
    terminal.say(terminal.err.dim(`searched ${looked} …`));
  };
}
