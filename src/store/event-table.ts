/**
 * The journals: events in the order in which they came, and the place of each in the journal of its thread. Large bodies
 * live in the content-addressed blob table (F9).
 */
import type { Event } from "../core/event.ts";
import { checkChain, eventsInLines, type Head, type StoredEvent, toEvent } from "../core/journal.ts";
import { ENDS } from "../core/status.ts";
import type { Loaded, Store } from "../core/store.ts";
import type { Connection } from "./connection.ts";
import type { Row, Value } from "./driver.ts";
import type { NumberedRow } from "./thread-table.ts";

const BLOB_BYTES = 65_536;
/** Events of one commit go in together: each call of the database costs as much as the row itself. */
const INSERTED = 8;
const INSERTS = Array.from({ length: INSERTED + 1 }, (_, rows) => {
  const places = Array.from({ length: rows }, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ");
  return `INSERT INTO events (thread, seq, type, ts, body, blob, hash) VALUES ${places}`;
});
/** A journal in its order: of a join that is written so, the first is gone through and the second looked up. */
export const JOURNAL = "places CROSS JOIN events USING (cursor)";
const ENDED = ENDS.map((type) => `'${type}'`).join(", ");

export function insertEvents(
  connection: Connection,
  threadNo: number,
  events: readonly StoredEvent[],
  sha256: (text: string) => string,
): void {
  for (let at = 0; at < events.length; at += INSERTED) {
    const values: Value[] = [];
    const some = events.slice(at, at + INSERTED);
    for (const { seq, type, ts, body, hash } of some) {
      // Characters are a safe stand-in for bytes here: a text of n characters has at least n bytes.
      const blob = body.length > BLOB_BYTES || Buffer.byteLength(body) > BLOB_BYTES ? sha256(body) : null;
      if (blob)
        connection.statement("INSERT OR IGNORE INTO blobs (sha256, content) VALUES (?, ?)").run(blob, body);
      values.push(threadNo, seq, type, ts, blob ? null : body, blob, hash);
    }
    const { lastInsertRowid } = connection.statement(INSERTS[some.length] ?? "").run(...values);
    connection
      .statement(
        "INSERT INTO places (place, cursor) SELECT (thread << 32) + seq, cursor FROM events WHERE cursor > ?",
      )
      .run(lastInsertRowid - some.length);
  }
}

/**
 * The place of an event. As whole numbers: with fractions in between, the numbers of threads would reach only half as far
 * as SQLite can count.
 */
export function placeOf(threadNo: string, seq: string): string {
  return `(${threadNo} << 32) + CAST(${seq} AS INTEGER)`;
}

/** No event has a number outside of these, not even a damaged one: there the next thread begins. */
const LEAST = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** Where all that a thread has is found, whatever its number is called. */
export function placesOf(threadNo: string): string {
  return `place BETWEEN ${placeOf(threadNo, String(LEAST))} AND ${placeOf(threadNo, String(MOST))}`;
}

/** Events that come at once. To be handed their values one by one takes three times as long, or more. */
const PAGE = 128;

/** All of it, if it holds together. Undefined when there is any doubt: then it is looked at event by event. */
function wholeJournal(
  connection: Connection,
  { no, row }: NumberedRow,
  sha256: (text: string) => string,
): readonly Event[] | undefined {
  // Numbers come in their order, as the index has them; if they did not, the chain would not fit.
  const pages = connection.statement(
    `SELECT concat(?1, group_concat(
        concat(char(10), seq, char(10), type, char(10), ts, char(10), body, char(10), hash), '')) AS lines
     FROM ${JOURNAL} WHERE place > ${placeOf("?2", "?3")} AND place <= ${placeOf("?2", "?4")}`,
  );
  const bodyOf = (seq: number) => largeBody(connection, no, seq);
  const events: Event[] = [];
  let head: Head = { seq: 0, hash: "" };
  // Also what stands before the first of them, or behind the last, is damage.
  for (let after = LEAST, isMore = true; isMore; after = head.seq) {
    const found = pages.get(head.hash, no, after, head.seq + PAGE);
    const page = eventsInLines(row.thread_id, head, String(found?.["lines"]), { sha256, bodyOf });
    if (!page) return undefined;
    for (const event of page.events) events.push(event);
    head = page.head;
    isMore = page.events.length === PAGE;
  }
  return head.seq === row.seq && head.hash === row.hash ? events : undefined;
}

/** As text, "null" when it is gone: then its event does not match its hash. */
function largeBody(connection: Connection, no: number, seq: number): string {
  const found = connection
    .statement(
      `SELECT content FROM ${JOURNAL} JOIN blobs ON sha256 = blob WHERE place = ${placeOf("?", "?")}`,
    )
    .get(no, seq);
  return String(found?.["content"] ?? null);
}

/** JSON writes no such sign as it is: a body that has it is damaged, and what comes after damage is not looked at. */
const BETWEEN = "\u001e";

function readEvents(connection: Connection, threadNo: number): StoredEvent[] {
  const pages = connection.statement(
    `SELECT json_group_array(json_array(seq, type, ts, hash, blob)) AS heads,
      group_concat(coalesce(body, ''), char(30)) AS bodies
     FROM (SELECT seq, type, ts, body, blob, hash FROM ${JOURNAL}
       WHERE place > ${placeOf("?1", "?2")} AND place <= ${placeOf("?1", String(MOST))} ORDER BY place LIMIT ${PAGE})`,
  );
  const events: StoredEvent[] = [];
  for (let after = LEAST; ; after = events.at(-1)?.seq ?? after) {
    const { heads, bodies } = pages.get(threadNo, after) ?? {};
    const page: readonly Place[] = JSON.parse(String(heads));
    const texts = page.length === 0 ? [] : String(bodies).split(BETWEEN);
    page.forEach(([seq, type, ts, hash, blob], at) => {
      events.push({
        seq,
        type,
        ts,
        body: blob === null ? (texts[at] ?? "") : blobOf(connection, blob),
        hash,
      });
    });
    if (page.length < PAGE) return events;
  }
}

type Place = readonly [seq: number, type: string, ts: number, hash: string, blob: string | null];

/** As text, "null" when it is gone: then its event does not match its hash. */
function blobOf(connection: Connection, blob: string): string {
  return String(
    connection.statement("SELECT content FROM blobs WHERE sha256 = ?").get(blob)?.["content"] ?? null,
  );
}

/** Of whatever is there; 0 where there is nothing. */
export function lastSeq(connection: Connection, threadNo: number): number {
  const found = connection
    .statement(`SELECT max(seq) AS seq FROM ${JOURNAL} WHERE ${placesOf("?1")}`)
    .get(threadNo);
  return Number(found?.["seq"] ?? 0);
}

/** The event with which a thread ended: among the last that it has. */
export function readEnd(connection: Connection, threadId: string): Event | undefined {
  const found = connection
    .statement(
      `SELECT e.seq AS seq, type, ts, coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)) AS body,
        e.hash AS hash
       FROM threads CROSS JOIN places CROSS JOIN events e USING (cursor)
       WHERE thread_id = ? AND ${placesOf("no")} AND type IN (${ENDED}) ORDER BY place DESC LIMIT 1`,
    )
    .get(threadId);
  return found && toEvent(threadId, toStored(found));
}

/** The journal of a thread as far as it holds together, and what is wrong with the rest. */
export function loadEvents(
  connection: Connection,
  found: NumberedRow,
  sha256: (text: string) => string,
): Loaded {
  const whole = wholeJournal(connection, found, sha256);
  if (whole) return { events: whole };
  const { no, row } = found;
  const stored = readEvents(connection, no);
  const damage = checkChain(stored, row, sha256);
  const good = damage ? stored.filter((event) => event.seq <= damage.lastGood) : stored;
  const events = good.map((event) => toEvent(row.thread_id, event));
  return damage ? { events, damage: { last_good: damage.lastGood, why: damage.why } } : { events };
}

export function readFeed(
  connection: Connection,
  after: number,
  limit: number,
): Awaited<ReturnType<Store["feed"]>> {
  const events = connection
    .statement(
      `SELECT cursor, thread_id, e.seq AS seq, type, ts, e.hash AS hash,
        coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)) AS body
       FROM events e JOIN threads ON no = thread WHERE cursor > ? ORDER BY cursor LIMIT ?`,
    )
    .all(after, limit)
    .map((found) => ({
      cursor: Number(found["cursor"]),
      event: toEvent(String(found["thread_id"]), toStored(found)),
    }));
  return { events, cursor: events.at(-1)?.cursor ?? after };
}

function toStored(found: Row): StoredEvent {
  return {
    seq: Number(found["seq"]),
    type: String(found["type"]),
    ts: Number(found["ts"]),
    body: String(found["body"]),
    hash: String(found["hash"]),
  };
}
