import fc from "fast-check";
import { expect, test } from "vitest";
import type { NewEvent } from "./event.ts";
import { appendEvents, checkChain, type StoredEvent, toEvent } from "./journal.ts";
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
