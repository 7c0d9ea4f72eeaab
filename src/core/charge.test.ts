import { expect, test } from "vitest";
import { answerToSettle } from "./charge.ts";
import type { Event, NewEvent } from "./event.ts";
import { newRow, reduceRow } from "./row.ts";
import { foldThread } from "./thread.ts";

const hold = (id: string, amount = 100) => ({ id, amount, input_tokens: 1, output_tokens: 1 });
const start = (id: string): NewEvent => ({ type: "step_start", turn: 1, hold: hold(id) });
const cutOff = (id: string, amount = 100): NewEvent => ({
  type: "crash_recovered",
  decisions: [],
  model_call_again: true,
  bill: { hold: id, amount, estimated: true },
});
const billed = (id: string, amount: number): NewEvent => ({
  type: "error_classified",
  turn: 1,
  attempt: 1,
  category: "transient",
  rule: "r",
  error: "e",
  model: "m",
  bill: { hold: id, amount },
});
const correct = (id: string, was: number, amount: number, more = {}): NewEvent => ({
  type: "charge_corrected",
  request_id: "r",
  by: "me",
  hold: id,
  was,
  amount,
  ...more,
});

function fold(events: readonly NewEvent[]) {
  const placed = events.map(
    (event, at) => ({ v: 1, seq: at + 1, ts: "2026-01-01T00:00:00.000Z", thread_id: "t", ...event }) as Event,
  );
  return {
    thread: foldThread("t", placed),
    row: placed.reduce((row, event) => reduceRow(row, event), newRow("t")),
  };
}

const asked = { kind: "settle" as const, request_id: "r", thread_id: "t", by: "me" };

test("what nobody billed is remembered by its hold, and what was billed is not", () => {
  const { thread } = fold([start("a"), billed("a", 7), start("b"), cutOff("b"), start("c"), cutOff("c", 30)]);
  expect(thread.unbilled).toEqual([
    { hold: "b", amount: 100 },
    { hold: "c", amount: 30 },
  ]);
});

test("corrections count by the difference, one after another, in thread and row alike", () => {
  const { thread, row } = fold([
    start("a"),
    cutOff("a"),
    start("b"),
    billed("b", 7),
    correct("a", 100, 40),
    correct("a", 40, 250),
    correct("a", 250, 12),
  ]);
  expect(thread).toMatchObject({ spent: 19, unbilled: [{ hold: "a", amount: 12 }], overrun: false });
  expect(row).toMatchObject({ spent: 19, held: 0 });
});

test("a refused one changes nothing", () => {
  const { thread, row } = fold([start("a"), cutOff("a"), correct("a", 100, 1, { refused: "no" })]);
  expect([thread.spent, row.spent, thread.unbilled]).toEqual([100, 100, [{ hold: "a", amount: 100 }]]);
});

test.each<[string, number, object[]]>([
  ["a", 40, [{ type: "charge_corrected", request_id: "r", by: "me", hold: "a", amount: 40, was: 100 }]],
  ["a", 0, [expect.objectContaining({ amount: 0, was: 100 })]],
  ["a", 100, []],
  ["a", -1, [expect.objectContaining({ amount: 100, was: 100, refused: expect.any(String) })]],
  ["a", Number.NaN, [expect.objectContaining({ refused: expect.any(String) })]],
  // What the provider billed is the truth, and so is that there was no such request.
  ["b", 40, [expect.objectContaining({ amount: 0, was: 0, refused: expect.any(String) })]],
  ["z", 40, [expect.objectContaining({ refused: expect.any(String) })]],
])("settle %s=%s", (id, amount, written) => {
  const { thread } = fold([start("a"), cutOff("a"), start("b"), billed("b", 7)]);
  expect(answerToSettle(thread, { ...asked, hold: id, amount })).toEqual(written);
});
