import { expect, test } from "vitest";
import type { Event, NewEvent } from "../../../core/event.ts";
import { type Evidence, prove, redone } from "./proof.ts";

const usage = { input: 0, cache_read: 0, cache_write: 0, output: 0 };

function events(...list: NewEvent[]): Event[] {
  return list.map((event, index) => ({ v: 1, seq: index + 1, ts: "t", thread_id: "x", ...event }) as Event);
}
const step = (turn: number): NewEvent => ({ type: "step_start", turn });
const start = (call_id: string, label: string): NewEvent => ({
  type: "tool_call_start",
  turn: 1,
  call_id,
  at: 0,
  tool: "bash",
  input: { command: `echo '${label}' >> effects.log` },
  effect: "manual",
  preceding: [],
});
const result = (call_id: string, status: "ok" | "unknown"): NewEvent => ({
  type: "tool_call_result",
  turn: 1,
  call_id,
  tool: "bash",
  status,
  output: "",
  source: status === "ok" ? "run" : "repair",
  duration_ms: 0,
});
const answer = (turn: number): NewEvent => ({
  type: "cognition_out",
  turn,
  attempt: 1,
  content: [],
  stop: "end_turn",
  truncated: false,
  usage,
});
const end: NewEvent = { type: "thread_completed", text: "" };

const BEFORE = [step(1), start("a", "flour"), result("a", "ok"), start("b", "oven")];
const GOOD: Evidence = {
  before: events(...BEFORE),
  after: events(...BEFORE, result("b", "unknown"), answer(1), step(2), answer(2), end),
  effects: ["flour", "oven"],
};

const broken = (evidence: Partial<Evidence>) =>
  prove({ ...GOOD, ...evidence }).flatMap(({ claim, against }) =>
    against.length > 0 ? [claim.slice(0, 24)] : [],
  );

test("the good story is proven", () => {
  expect(broken({})).toEqual([]);
  expect(redone(GOOD)).toBe(0);
});

test.each<[string, Partial<Evidence>, string[], number]>([
  ["an effect twice", { effects: ["flour", "oven", "oven"] }, ["every effect happened at"], 1],
  ["an effect that is only recorded", { effects: ["oven"] }, ["every effect happened at"], 0],
  ["an effect nobody asked for", { effects: ["flour", "oven", "fire"] }, ["every effect happened at"], 0],
  [
    "a second result",
    { after: events(...BEFORE, result("b", "unknown"), result("a", "ok"), answer(1), end) },
    ["every call has exactly o"],
    1,
  ],
  [
    "a call without a result",
    { after: events(...BEFORE, answer(1), end) },
    ["every call has exactly o", "the call that was cut of"],
    0,
  ],
  [
    "a guess about the call that was cut off",
    { after: events(...BEFORE, result("b", "ok"), answer(1), end) },
    ["the call that was cut of"],
    0,
  ],
  [
    "an answer asked for twice",
    { after: events(...BEFORE, result("b", "unknown"), answer(1), answer(1), end) },
    ["no answer was asked for "],
    1,
  ],
  [
    "a stored event that changed",
    { before: events(step(1), start("a", "salt"), result("a", "ok"), start("b", "oven")) },
    ["what was stored before t"],
    0,
  ],
  [
    "a stored event that is gone",
    { after: events(step(1), answer(1), end), effects: [] },
    ["what was stored before t", "the call that was cut of"],
    0,
  ],
  ["no end", { after: events(...BEFORE, result("b", "unknown"), answer(1)) }, ["the thread completed"], 0],
  ["a kill that came too early", { before: events(...BEFORE.slice(0, 3)) }, ["the call that was cut of"], 0],
])("%s breaks it", (_, doctored, claims, again) => {
  expect(broken(doctored)).toEqual(claims);
  expect(redone({ ...GOOD, ...doctored })).toBe(again);
});
