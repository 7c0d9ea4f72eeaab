import { expect, test } from "vitest";
import type { Statement } from "../../core/bookkeeping.ts";
import type { Event } from "../../core/event.ts";
import { LiveBlock, moneyLine } from "./live-block.ts";

const event = (type: Event["type"], thread_id: string, more: object = {}) =>
  ({ v: 1, seq: 1, ts: "2026-01-01T00:00:00.000Z", thread_id, type, ...more }) as Event;
const plain = (text: string) => text;
const look = {
  name: (id: string) => `${id} · `,
  retrying: (id: string) => (id === "r" ? "Retrying (2/3) in 4s… (esc to cancel)" : undefined),
  paint: { dim: plain, yellow: plain },
};

test("who is at what, until it ends", () => {
  const block = new LiveBlock();
  block.note(event("step_start", "a", { turn: 1 }), "turn 1 · model", 0);
  block.note(event("wait_started", "b", { thread_ids: ["x", "y"] }), undefined, 1_000);
  block.note(event("step_start", "r"), "asking again", 0);
  expect(block.lines(3_000, look)).toEqual([
    "● a · turn 1 · model 3.0s",
    "● b · waits for 2 threads 2.0s",
    "↻ r · Retrying (2/3) in 4s… (esc to cancel)",
  ]);
  block.note(event("thread_completed", "a"), undefined, 0);
  block.note(event("thread_failed", "b"), undefined, 0);
  expect(block.lines(3_000, look)).toHaveLength(1);
});

test("never more than five lines for threads", () => {
  const block = new LiveBlock();
  for (const id of ["1", "2", "3", "4", "5", "6"]) block.note(event("step_start", id), "model", 0);
  expect(block.lines(0, look)).toEqual([
    ...["3", "4", "5", "6"].map((id) => `● ${id} · model 0.0s`),
    "… 2 more",
  ]);
});

const statement = (cap: number | null, spent: number, held: number) =>
  ({ account: { id: "a", parent: null, cap, spent, held, ended: false } }) as unknown as Statement;

test.each([
  [statement(3e9, 0.3e9, 1.5e9), "$0.30 +1.50r / 3.00  ▓▓▒▒▒▒▒▒▒▒▒▒░░░░░░░░  1.0s"],
  [statement(1e9, 0, 0), "$0.00 / 1.00  ░░░░░░░░░░░░░░░░░░░░  1.0s"],
  [statement(1e9, 1.2e9, 0), "$1.20 / 1.00  !!!!!!!!!!!!!!!!!!!!  1.0s"],
  [statement(null, 5, 0), undefined],
  [undefined, undefined],
])("money: %#", (given, line) => {
  expect(moneyLine(given, 1_000)).toBe(line);
});
