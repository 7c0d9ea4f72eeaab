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

function chainHash(
  previous: string,
  event: Omit<StoredEvent, "hash">,
  sha256: (text: string) => string,
): string {
  return hashOf(`${previous}\n${event.seq}\n${event.type}\n${event.ts}\n${event.body}`, sha256);
}

/** 128 bits are plenty against damage; the chain is no defence against someone who can write the store. */
function hashOf(link: string, sha256: (text: string) => string): string {
  return sha256(link).slice(0, 32);
}

export function toEvent(threadId: string, { seq, type, ts, body }: Omit<StoredEvent, "hash">): Event {
  return Object.assign({ v: 1, seq, ts: isoTime(ts), thread_id: threadId, type }, JSON.parse(body));
}

/** Where a journal, or a part of it, ends. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

const LINES = 5;

/**
 * Events that follow `head`, from one text: its hash, and of each of them number, type, time, body and hash, a line each.
 * JSON has no line breaks, and what a hash is made of stands there in one piece, so that nothing has to be put together to
 * check it. Undefined when anything does not fit: `checkChain` says what.
 */
export function eventsInLines(
  threadId: string,
  head: Head,
  text: string,
  { sha256, bodyOf }: { sha256: (text: string) => string; bodyOf: (seq: number) => string },
): { readonly events: readonly Event[]; readonly head: Head } | undefined {
  const lines = text.split("\n") as [string, ...string[]];
  if (lines.length % LINES !== 1) return undefined;
  const events: Event[] = [];
  let { seq, hash } = head;
  let from = 0;
  for (let at = 1; at < lines.length; at += LINES) {
    const number = lines[at] as string;
    const type = lines[at + 1] as string;
    const time = lines[at + 2] as string;
    const line = lines[at + 3] as string;
    const next = lines[at + 4] as string;
    const end = from + hash.length + number.length + type.length + time.length + line.length + LINES - 1;
    // A large body is kept elsewhere, and its line is empty.
    const body = line === "" ? bodyOf(seq + 1) : line;
    const link = line === "" ? text.slice(from, end) + body : text.slice(from, end);
    if (number !== String(seq + 1) || hashOf(link, sha256) !== next) return undefined;
    seq += 1;
    hash = next;
    from = end + 1;
    events.push(toEvent(threadId, { seq, type: known(type), ts: Number(time), body }));
  }
  return { events, head: { seq, hash } };
}

const types = new Map<string, string>();

/** A text that was cut out of another keeps all of that in memory: of types there are few, and each is copied once. */
function known(type: string): string {
  const found = types.get(type);
  if (found !== undefined) return found;
  const copy = [...type].join("");
  types.set(copy, copy);
  return copy;
}

/** Walks the chain; the first event that does not fit names the damage (F5). */
export function checkChain(
  stored: readonly StoredEvent[],
  head: Head,
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
