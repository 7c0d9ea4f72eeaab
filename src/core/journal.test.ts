import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NewEvent } from "./event.ts";
import { appendEvents, checkChain, eventsInLines, type StoredEvent, toEvent } from "./journal.ts";
import { newRow, type ThreadRow } from "./row.ts";

const blank: ThreadRow = { ...newRow("a"), epoch: 0, owner: null, strikes: [], corrupt: null, hash: "" };
const says = (text: string): NewEvent => ({ type: "cognition_in", source: "x", text });
const facts = { now: Date.UTC(2026, 0, 1), sha256: weakHash };

function weakHash(text: string): string {
  let value = 7;
  for (let index = 0; index < text.length; index += 1)
    value = (value * 33 + text.charCodeAt(index)) % (2 ** 44 - 17);
  return value.toString(16).padStart(32, "0").repeat(2);
}

const journal = appendEvents(blank, [says("one"), says("two"), says("three")], facts);

test("a journal that was not touched fits", () => {
  expect(checkChain(journal.stored, journal.row, weakHash)).toBeUndefined();
  expect(journal.events).toEqual(journal.stored.map((stored) => toEvent("a", stored)));
  expect(journal.row.seq).toBe(3);
});

const changed = (index: number, change: Partial<StoredEvent>) =>
  journal.stored.map((event, at) => (at === index ? { ...event, ...change } : event));

test.each([
  ["a changed body", changed(1, { body: '{"source":"x","text":"TWO"}' }), 1],
  ["a changed type", changed(1, { type: "message_received" }), 1],
  ["a changed time", changed(2, { ts: 5 }), 2],
  ["a changed hash", changed(0, { hash: "0".repeat(32) }), 0],
  ["a missing event", journal.stored.filter((event) => event.seq !== 2), 1],
  ["a lost tail", journal.stored.slice(0, 2), 2],
  [
    "swapped events",
    [journal.stored[1], journal.stored[0], journal.stored[2]].flatMap((each) => each ?? []),
    0,
  ],
])("%s is named with the last good event", (_, stored, lastGood) => {
  expect(checkChain(stored, journal.row, weakHash)).toMatchObject({ lastGood });
});

test("an event the registry does not know is damage too", () => {
  const more = appendEvents(journal.row, [says("four")], facts);
  expect(checkChain([...journal.stored, ...more.stored], journal.row, weakHash)).toMatchObject({
    lastGood: 3,
  });
});

test("any text survives the way through the journal", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), (texts) => {
      const { stored, events } = appendEvents(blank, texts.map(says), facts);
      expect(stored.map((event) => toEvent("a", event))).toEqual(events);
    }),
  );
});

describe("a journal as lines", () => {
  const START = { seq: 0, hash: "" };
  const linesOf = (stored: readonly StoredEvent[], before = "") =>
    [before, ...stored.flatMap(({ seq, type, ts, body, hash }) => [seq, type, ts, body, hash])].join("\n");
  const read = (text: string, head = START) =>
    eventsInLines("a", head, text, { sha256: weakHash, bodyOf: () => "null" });

  test("any text is read as it was written, in one piece or in two", () => {
    const texts = fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, fc.nat(5), (given, cut) => {
        const { stored, events, row } = appendEvents(blank, given.map(says), facts);
        const end = { seq: row.seq, hash: row.hash };
        expect(read(linesOf(stored))).toEqual({ events, head: end });
        const first = read(linesOf(stored.slice(0, cut)));
        const rest = read(linesOf(stored.slice(cut), first?.head.hash), first?.head);
        expect([...(first?.events ?? []), ...(rest?.events ?? [])]).toEqual(events);
        expect(rest?.head).toEqual(end);
      }),
    );
  });

  test("a body that is kept elsewhere is looked up, and checked like any other", () => {
    const [one, two, three] = journal.stored.map(({ body }) => body);
    const elsewhere = linesOf(changed(1, { body: "" }));
    const readWith = (body: string | undefined) =>
      eventsInLines("a", START, elsewhere, {
        sha256: weakHash,
        bodyOf: (seq) => (seq === 2 && body !== undefined ? body : "null"),
      });
    expect([one, three]).not.toContain(two);
    expect(readWith(two)?.events).toEqual(journal.events);
    expect(readWith(one)).toBeUndefined();
    expect(readWith(undefined)).toBeUndefined();
  });

  test.each([
    ["a changed body", changed(1, { body: '{"source":"x","text":"TWO"}' })],
    ["a body in two lines", changed(1, { body: '{"source":"x",\n"text":"two"}' })],
    ["a body of six lines", changed(1, { body: "\n".repeat(5) })],
    ["a changed type", changed(1, { type: "message_received" })],
    ["a changed time", changed(2, { ts: 5 })],
    ["a changed hash", changed(0, { hash: "0".repeat(32) })],
    ["a hash that is gone", changed(2, { hash: "" })],
    ["a changed number", changed(1, { seq: 7 })],
    ["a missing event", journal.stored.filter((event) => event.seq !== 2)],
    ["no first event", journal.stored.slice(1)],
  ])("%s does not fit", (_, stored) => {
    expect(read(linesOf(stored))).toBeUndefined();
  });

  test("what does not begin where the part before it ends does not fit", () => {
    expect(
      read(linesOf(journal.stored.slice(1), "0".repeat(32)), { seq: 1, hash: "0".repeat(32) }),
    ).toBeUndefined();
    expect(read("")).toEqual({ events: [], head: START });
  });
});
