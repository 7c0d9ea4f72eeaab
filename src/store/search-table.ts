/**
 * A search in the journal table, without an index (decision 20): the bytes of many bodies at once are looked through for
 * what every match contains, and only where that is found events are read. A piece is bounded in events looked at and
 * in bodies taken into memory.
 */
import type { StoredEvent } from "../core/journal.ts";
import { type Scope, type SearchAsk, type SearchPage, searchStored } from "../core/search.ts";
import type { Hit } from "../core/search-hit.ts";
import type { Matcher } from "../core/search-query.ts";
import { searchedTypes } from "../core/searchable.ts";
import { isBeside } from "./beside.ts";
import { byteFinder } from "./byte-finder.ts";
import type { Connection } from "./connection.ts";
import type { Row, Value } from "./driver.ts";
import { JOURNAL, placeOf } from "./event-table.ts";

const EVENTS_A_PIECE = 512;
const BODIES_A_PIECE = 16;
/** Bodies whose bytes are looked through at once: those above 64 KiB stand elsewhere, and come one by one. */
const EVENTS_AT_ONCE = 64;

/** Where the search is: below event `seq` of the thread with this number. */
interface Standing {
  readonly no: number;
  readonly threadId: string;
  readonly seq: number;
}

export function searchTable(connection: Connection, ask: SearchAsk): SearchPage {
  const look = looker(connection, ask);
  const hits: Hit[] = [];
  const looked = { threads: 0, events: 0, unread: 0 };
  let standing = standingAt(connection, ask);
  if (ask.before && !standing) return { hits, ...looked, next: null };
  while (looked.events < EVENTS_A_PIECE) {
    if (!standing || standing.seq <= 1) {
      standing = nextThread(connection, ask, standing?.no);
      if (!standing) return { hits, ...looked, next: null };
      looked.threads += 1;
    }
    const { no, threadId, seq } = standing;
    const from = Math.max(1, seq - Math.min(EVENTS_AT_ONCE, EVENTS_A_PIECE - looked.events));
    const found = look(no, from, seq);
    for (const stored of found) {
      const hit = searchStored(threadId, stored, ask);
      if (hit === "unread") looked.unread += 1;
      else if (hit) hits.push(hit);
      if (hits.length === ask.limit) {
        const { seq: at } = stored;
        return pageOf(hits, looked, { no, threadId, seq: at }, seq - at);
      }
    }
    const isWhole = found.length < BODIES_A_PIECE;
    const at = isWhole ? from : (found.at(-1)?.seq ?? from);
    standing = { no, threadId, seq: at };
    looked.events += seq - at;
    if (!isWhole) break;
  }
  return pageOf(hits, looked, standing, 0);
}

type Found = Omit<StoredEvent, "hash">;
type Looked = Omit<SearchPage, "hits" | "next">;

function pageOf(
  hits: readonly Hit[],
  looked: Looked,
  standing: Standing | undefined,
  events: number,
): SearchPage {
  const next = standing ? { thread_id: standing.threadId, seq: standing.seq } : null;
  return { hits, ...looked, events: looked.events + events, next };
}

/** Undefined when there is no such thread. In one that is not meant, there is nothing left to look at. */
function standingAt(connection: Connection, { before, scope }: SearchAsk): Standing | undefined {
  if (!before) return undefined;
  const { sql, values } = scopeFilter(scope);
  const found = connection
    .statement(`SELECT no, (1 = 1 ${sql}) AS meant FROM threads WHERE thread_id = ?`)
    .get(...values, before.thread_id);
  const { thread_id: threadId, seq } = before;
  return found && { no: Number(found["no"]), threadId, seq: found["meant"] ? seq : 1 };
}

/** The next older thread of the scope, from its end. */
function nextThread(
  connection: Connection,
  { scope }: SearchAsk,
  below: number | undefined,
): Standing | undefined {
  const { sql, values } = scopeFilter(scope);
  const found = connection
    .statement(`SELECT no, thread_id, seq FROM threads WHERE no < ? ${sql} ORDER BY no DESC LIMIT 1`)
    .get(below ?? Number.MAX_SAFE_INTEGER, ...values);
  if (!found) return undefined;
  return { no: Number(found["no"]), threadId: String(found["thread_id"]), seq: Number(found["seq"]) + 1 };
}

function scopeFilter({ threadIds, chainRootId, rootId }: Scope): { sql: string; values: Value[] } {
  const filters: [string, string][] = [];
  if (threadIds) filters.push(["thread_id IN (SELECT value FROM json_each(?))", JSON.stringify(threadIds)]);
  if (chainRootId !== undefined) filters.push(["chain_root_id = ?", chainRootId]);
  if (rootId !== undefined) filters.push(["root_id = ?", rootId]);
  return {
    sql: filters.map(([condition]) => `AND ${condition}`).join(" "),
    values: filters.map(([, value]) => value),
  };
}

const BODY = "coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob))";

/** Events of a thread that may hold a match, the last first. */
function looker(
  connection: Connection,
  ask: SearchAsk,
): (no: number, from: number, below: number) => Found[] {
  const types = searchedTypes(ask.about);
  const between = `place >= ${placeOf("?1", "?2")} AND place < ${placeOf("?1", "?3")}`;
  const where = `${between} AND ts >= ?4 AND type IN (${types.map(() => "?").join(", ")})`;
  const since = ask.since ?? 0;
  const { needle } = ask.matcher;
  const select = `SELECT seq, type, ts, ${BODY} AS body FROM ${JOURNAL} WHERE ${where}`;
  const last = `ORDER BY place DESC LIMIT ${BODIES_A_PIECE}`;
  if (needle === undefined) {
    const all = connection.statement(`${select} ${last}`);
    return (no, from, below) => all.all(no, from, below, since, ...types).map(toStored);
  }
  const { isInSome, isIn } = findersOf(ask.matcher, needle);
  // One row for all of them: their bytes, and where each of them ends.
  const together = connection.statement(
    `SELECT CAST(group_concat(body, '') AS BLOB) AS bodies, sum(body IS NULL) AS large,
      group_concat(seq || ' ' || ts || ' ' || type || ' ' || coalesce(octet_length(body), ''), ' ') AS places
    FROM ${JOURNAL} WHERE ${where}`,
  );
  const one = connection.statement(
    `SELECT CAST(${BODY} AS BLOB) AS bodies FROM ${JOURNAL} WHERE place = ${placeOf("?", "?")}`,
  );
  return (no, from, below) => {
    const found = together.get(no, from, below, since, ...types);
    const bodies = bytesIn(found);
    const mayBeIn = isInSome(bodies);
    if (!found || !(mayBeIn || found["large"])) return [];
    const having: Found[] = [];
    const words = String(found["places"]).split(" ");
    // From the last one on, and no further than what is taken at once. They come in the order of their numbers.
    let until = bodies.length;
    for (let at = words.length - WORDS; at >= 0 && having.length < BODIES_A_PIECE; at -= WORDS) {
      const [seq, ts, type = "", size] = words.slice(at, at + WORDS);
      const from = until - Number(size);
      const isLarge = size === "";
      if (isLarge || mayBeIn) {
        const bytes = isLarge ? bytesIn(one.get(no, Number(seq))) : bodies.subarray(from, until);
        if (isIn(bytes)) having.push({ seq: Number(seq), ts: Number(ts), type, body: bytes.toString() });
      }
      until = from;
    }
    return having;
  };
}

interface Finders {
  /** In the bytes of several bodies. */
  readonly isInSome: (bytes: Buffer) => boolean;
  /** In those of one, and not beside what is searched. */
  readonly isIn: (bytes: Buffer) => boolean;
}

const finders = new WeakMap<Matcher, Finders>();

/** Made once for a search, whose pieces come one by one. */
function findersOf(matcher: Matcher, needle: string): Finders {
  const known = finders.get(matcher);
  if (known) return known;
  const made = { isInSome: byteFinder(needle), isIn: byteFinder(needle, isBeside) };
  finders.set(matcher, made);
  return made;
}

/** Of a body: number, time and type of its event, and its length; a large one, which stands elsewhere, has none. */
const WORDS = 4;

function bytesIn(found: Row | undefined): Buffer {
  const bodies = found?.["bodies"];
  if (!(bodies instanceof Uint8Array)) return Buffer.alloc(0);
  return Buffer.from(bodies.buffer, bodies.byteOffset, bodies.length);
}

function toStored(found: Row): Found {
  return {
    seq: Number(found["seq"]),
    type: String(found["type"]),
    ts: Number(found["ts"]),
    body: String(found["body"]),
  };
}
