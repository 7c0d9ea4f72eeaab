import { expect, test } from "vitest";
import type { Event, NewEvent } from "../../../core/event.ts";
import { cutOffCalls, type Evidence, prove, redone, repaid } from "./proof.ts";

const usage = { input: 0, cache_read: 0, cache_write: 0, output: 0 };
const CENT = 10_000_000;

const journal = (id: string, ...list: NewEvent[]): [string, Event[]] => [
  id,
  list.map((event, index) => ({ v: 1, seq: index + 1, ts: "t", thread_id: id, ...event }) as Event),
];
const start = (call_id: string, effect: "keyed" | "pure" = "keyed"): NewEvent => ({
  type: "tool_call_start",
  turn: 1,
  call_id,
  at: 0,
  tool: "write_file",
  input: { path: call_id },
  effect,
  preceding: [],
});
const result = (call_id: string, status: "ok" | "unknown" = "ok"): NewEvent => ({
  type: "tool_call_result",
  turn: 1,
  call_id,
  tool: "write_file",
  status,
  output: "",
  source: "run",
  duration_ms: 0,
});
const answer = (turn: number, cents = 10): NewEvent => ({
  type: "cognition_out",
  turn,
  attempt: 1,
  content: [],
  stop: "end_turn",
  truncated: false,
  usage,
  bill: { hold: `x/${turn}/1`, amount: cents * CENT },
});
const recovered = (more: Partial<Event<"crash_recovered">> = {}): NewEvent => ({
  type: "crash_recovered",
  decisions: [],
  model_call_again: false,
  ...more,
});
const end: NewEvent = { type: "thread_completed", text: "" };

const BEFORE = [start("a"), result("a"), answer(1), start("b")];
const AFTER = [...BEFORE, recovered(), result("b"), answer(2, 5), end];
const kept = (thread_id: string, parent_id: string | null, cents: number) => ({
  thread_id,
  parent_id,
  status: "completed" as const,
  spent: cents * CENT,
});
const GOOD: Evidence = {
  before: new Map([journal("root", answer(1, 2)), journal("child", ...BEFORE)]),
  after: new Map([journal("root", answer(1, 2), end), journal("child", ...AFTER)]),
  threads: [kept("root", null, 2), kept("child", "root", 15)],
  total: 17 * CENT,
  effects: ["begin a a", "done a a", "begin b b", "begin b b", "done b b"],
  left: [],
};

const broken = (evidence: Partial<Evidence>) =>
  prove({ ...GOOD, ...evidence }).flatMap(({ claim, against }) =>
    against.length > 0 ? [claim.slice(0, 24)] : [],
  );
const child = (...list: NewEvent[]) => new Map([...GOOD.after, journal("child", ...list)]);

test("the good story is proven", () => {
  expect(broken({})).toEqual([]);
  expect([redone(GOOD), repaid(GOOD), cutOffCalls(GOOD)]).toEqual([0, 0, 0]);
});

test("without a kill nothing is said about one", () => {
  const { length } = prove(GOOD);
  expect(broken({ before: undefined })).toEqual([]);
  expect(prove({ ...GOOD, before: undefined })).toHaveLength(length - 2);
});

test.each<[string, Partial<Evidence>, string[], number]>([
  ["an effect twice", { effects: [...GOOD.effects, "done a a"] }, ["every effect happened ex"], 1],
  [
    "an effect that is only recorded",
    { effects: GOOD.effects.filter((line) => line !== "done a a") },
    ["every effect happened ex"],
    0,
  ],
  ["an effect nobody asked for", { effects: [...GOOD.effects, "done c c"] }, ["every effect happened ex"], 0],
  ["no effect at all", { effects: [] }, ["every effect happened ex"], 0],
  [
    "a finished call that is begun again",
    { effects: [...GOOD.effects, "begin a a"] },
    ["the call that was cut of"],
    0,
  ],
  [
    "a second result",
    { after: child(...BEFORE, result("b"), result("a"), answer(2, 5), end) },
    ["every call has exactly o"],
    1,
  ],
  [
    "a call without a result",
    { after: child(...BEFORE, answer(2, 5), end) },
    ["the call that was cut of", "every call has exactly o"],
    0,
  ],
  [
    "a call that came to nothing",
    { after: child(...BEFORE, result("b", "unknown"), answer(2, 5), end) },
    ["the call that was cut of", "no call failed"],
    0,
  ],
  [
    "an answer asked for twice",
    { after: child(...BEFORE, result("b"), answer(1), answer(2, 5), end) },
    ["no answer was asked for ", "the ledger is the sum of"],
    1,
  ],
  [
    "a request that was cut off and charged",
    {
      after: child(
        ...BEFORE,
        recovered({ bill: { hold: "x/2/1", amount: CENT } }),
        result("b"),
        answer(2, 4),
        end,
      ),
    },
    ["no answer was asked for "],
    0,
  ],
  [
    "a stored event that changed",
    { before: new Map([journal("child", start("a", "pure"), ...BEFORE.slice(1))]) },
    ["what was stored before t"],
    0,
  ],
  [
    "a stored journal that is gone",
    { before: new Map([...(GOOD.before ?? []), journal("gone", end)]) },
    ["what was stored before t"],
    0,
  ],
  [
    "a kill that came too early",
    { before: new Map([journal("root", answer(1, 2))]) },
    ["the call that was cut of"],
    0,
  ],
  ["a ledger that forgot", { total: 16 * CENT }, ["the ledger is the sum of"], 0],
  [
    "a thread that was charged without a bill",
    { threads: [kept("root", null, 3), kept("child", "root", 15)], total: 18 * CENT },
    ["the ledger is the sum of"],
    0,
  ],
  [
    "a thread that lives",
    { threads: [kept("root", null, 2), { ...kept("child", "root", 15), status: "suspended" }] },
    ["every thread has ended, "],
    0,
  ],
  [
    "a root that failed",
    { threads: [{ ...kept("root", null, 2), status: "error" }, kept("child", "root", 15)] },
    ["every thread has ended, "],
    0,
  ],
  ["a process that is left", { left: [4312] }, ["no process is left"], 0],
])("%s breaks it", (_, doctored, claims, again) => {
  expect(broken(doctored)).toEqual(claims);
  expect(redone({ ...GOOD, ...doctored })).toBe(again);
});

test("what was paid again is counted", () => {
  const twice = child(...BEFORE, answer(1, 7), recovered({ bill: { hold: "x/2/1", amount: CENT } }), end);
  expect(repaid({ after: twice })).toBe(8 * CENT);
  expect(cutOffCalls({ after: child(recovered({ model_call_again: true })) })).toBe(1);
});
