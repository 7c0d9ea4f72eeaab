/** The journal: events with their number, their time and their place in the thread's hash chain. */
import type { Event, NewEvent } from "./event.ts";
import { isoTime } from "./iso-time.ts";
import { isProgress, reduceRow, type ThreadRow } from "./row.ts";

export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly ts: number;
  /** JSON of the event's own fields. */
  readonly body: string;
  readonly hash: string;
}

/** Gives events their place: number, time, hash; and folds them into the row. */
export function appendEvents(
  start: ThreadRow,
  wanted: readonly NewEvent[],
  facts: { readonly now: number; readonly sha256: (text: string) => string },
): { row: ThreadRow; stored: StoredEvent[]; events: Event[] } {
  const ts = isoTime(facts.now);
  const stored: StoredEvent[] = [];
  const events: Event[] = [];
  let row = start;
  for (const { type, ...fields } of wanted) {
    const seq = row.seq + 1;
    const body = JSON.stringify(fields);
    const hash = chainHash(row.hash, { seq, type, ts: facts.now, body }, facts.sha256);
    const event = { v: 1, seq, ts, thread_id: row.thread_id, type, ...fields } as Event;
    stored.push({ seq, type, ts: facts.now, body, hash });
    events.push(event);
    const strikes = isProgress(event) && row.strikes.length > 0 ? [] : row.strikes;
    // What `reduceRow` returns is always a line of its own, which nobody else has seen yet.
    row = Object.assign(reduceRow(row, event), { hash, strikes });
  }
  return { row, stored, events };
}

/** 128 bits are plenty against damage; the chain is no defence against someone who can write the store. */
function chainHash(
  previous: string,
  event: Omit<StoredEvent, "hash">,
  sha256: (text: string) => string,
): string {
  return sha256(`${previous}\n${event.seq}\n${event.type}\n${event.ts}\n${event.body}`).slice(0, 32);
}

export function toEvent(threadId: string, stored: StoredEvent): Event {
  const { seq, type, ts, body } = stored;
  return {
    v: 1,
    seq,
    ts: isoTime(ts),
    thread_id: threadId,
    type,
    ...JSON.parse(body),
  } as Event;
}

/** Walks the chain; the first event that does not fit names the damage (F5). */
export function checkChain(
  stored: readonly StoredEvent[],
  head: { seq: number; hash: string },
  sha256: (text: string) => string,
): { lastGood: number; why: string } | undefined {
  let previous = "";
  let seq = 0;
  for (const event of stored) {
    if (event.seq !== seq + 1) return { lastGood: seq, why: `event ${seq + 1} is missing` };
    if (chainHash(previous, event, sha256) !== event.hash) {
      return { lastGood: seq, why: `event ${event.seq} does not match its hash` };
    }
    previous = event.hash;
    seq = event.seq;
  }
  if (seq < head.seq)
    return { lastGood: seq, why: `the journal ends at event ${seq}, the registry says ${head.seq}` };
  if (seq > head.seq)
    return { lastGood: head.seq, why: `the registry ends at event ${head.seq}, the journal at ${seq}` };
  if (previous !== head.hash)
    return { lastGood: seq, why: "the head of the hash chain differs from the registry" };
  return undefined;
}
