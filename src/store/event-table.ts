/** The journal table. Large bodies live in the content-addressed blob table (F9). */
import type { Event } from "../core/event.ts";
import { checkChain, type StoredEvent, toEvent } from "../core/journal.ts";
import { ENDS } from "../core/status.ts";
import type { Loaded, Store } from "../core/store.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import type { NumberedRow } from "./thread-table.ts";

const BLOB_BYTES = 65_536;
const ENDED = ENDS.map((type) => `'${type}'`).join(", ");

export function insertEvents(
  connection: Connection,
  threadNo: number,
  events: readonly StoredEvent[],
  sha256: (text: string) => string,
): void {
  const insert = connection.statement(
    "INSERT INTO events (thread_no, seq, type, ts, body, blob, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const { seq, type, ts, body, hash } of events) {
    // Characters are a safe stand-in for bytes here: a text of n characters has at least n bytes.
    const blob = body.length > BLOB_BYTES || Buffer.byteLength(body) > BLOB_BYTES ? sha256(body) : null;
    if (blob)
      connection.statement("INSERT OR IGNORE INTO blobs (sha256, content) VALUES (?, ?)").run(blob, body);
    insert.run(threadNo, seq, type, ts, blob ? null : body, blob, hash);
  }
}

function readEvents(connection: Connection, threadNo: number): StoredEvent[] {
  return connection
    .statement(
      `SELECT seq, type, ts, coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)) AS body, hash
       FROM events WHERE thread_no = ? ORDER BY seq`,
    )
    .all(threadNo)
    .map(toStored);
}

/** The event with which a thread ended: among the last that it has. */
export function readEnd(connection: Connection, threadId: string): Event | undefined {
  const found = connection
    .statement(
      `SELECT e.seq AS seq, type, ts, coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)) AS body,
        e.hash AS hash
       FROM events e JOIN threads ON no = thread_no WHERE thread_id = ? AND type IN (${ENDED}) ORDER BY e.seq DESC LIMIT 1`,
    )
    .get(threadId);
  return found && toEvent(threadId, toStored(found));
}

/** The journal of a thread as far as it holds together, and what is wrong with the rest. */
export function loadEvents(
  connection: Connection,
  { no, row }: NumberedRow,
  sha256: (text: string) => string,
): Loaded {
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
       FROM events e JOIN threads ON no = thread_no WHERE cursor > ? ORDER BY cursor LIMIT ?`,
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
