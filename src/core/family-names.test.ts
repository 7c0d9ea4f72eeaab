import { expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { newThread, reduce } from "./thread.ts";
import { waitEnd } from "./wait.ts";

const waitFor = (id: string): NewEvent => ({
  type: "wait_started",
  call_id: `call_${id}`,
  thread_ids: [id],
  require: 1,
  fail_fast: false,
  cancel_siblings_on_failure: false,
  include_suspended: false,
});
const started = (child_id: string): NewEvent => ({
  type: "child_thread_started",
  call_id: "call",
  child_id,
  directive: "d",
  start: true,
});
const folded = (...events: readonly NewEvent[]) =>
  events
    .map((event, at) => ({ v: 1, seq: at + 1, ts: "2026-01-02T03:04:05.000Z", thread_id: "t", ...event }))
    .reduce((thread, event) => reduce(thread, event as Event), newThread("t"));
const whyOver = (...events: readonly NewEvent[]) => {
  const thread = folded(...events);
  return thread.wait && waitEnd(thread, thread.wait, Date.parse("2026-01-02T03:04:05.000Z"), false)?.why;
};

const cost = { turns: 1, tokens: 1, spent: 1 };
const done = { type: "child_thread_completed", child_id: "a", directive: "d", text: "x", cost } as const;
const broke = {
  type: "child_thread_suspended",
  child_id: "b",
  directive: "d",
  reason: "budget",
  message: "no money",
} as const;

test("a child without money ends the wait for it, once per suspension", () => {
  const begun = [started("a"), started("b"), broke, waitFor("b")];
  const over: NewEvent = { type: "wait_finished", call_id: "call_b", why: "suspended" };
  expect(whyOver(...begun)).toBe("suspended");
  expect(whyOver(...begun, over, waitFor("b"))).toBeUndefined();
  expect(whyOver(...begun, over, { ...broke }, waitFor("b"))).toBe("suspended");
});

test("a wait for others, or one that told nobody, has not told of it", () => {
  const other: NewEvent = { type: "wait_finished", call_id: "call_a", why: "met" };
  expect(whyOver(started("a"), started("b"), broke, waitFor("a"), done, other, waitFor("b"))).toBe(
    "suspended",
  );
  const atTheEnd: NewEvent[] = [
    { ...waitFor("b"), call_id: null } as NewEvent,
    { type: "wait_finished", call_id: null, why: "interrupted" },
  ];
  expect(whyOver(started("b"), broke, ...atTheEnd, waitFor("b"))).toBe("suspended");
});
