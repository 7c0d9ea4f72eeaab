import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costsOf } from "./costs.ts";
import type { Event, NewEvent } from "./event.ts";
import { newRow, reduceRow, type ThreadRow } from "./row.ts";
import { isBefore, STATS_WAYS, Stats, type StatsAsk, statsTotal } from "./stats.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-01-01T12:00:00.000Z");
const at = (hours: number) => new Date(START + hours * HOUR).toISOString();

const born = (id: string, more: object = {}): NewEvent => ({
  ...{ type: "thread_created", directive: "work", inputs: {}, model: "a/small", system: "", tools: [] },
  ...{ limits: {}, chain_root_id: id, root_id: id, parent_id: null, run: 1, nonce: "n" },
  ...more,
});
const begun: NewEvent = { type: "thread_started", run: 1 };
const held = (n: number, amount: number): NewEvent => ({
  ...{ type: "step_start", turn: n },
  hold: { id: `t/${n}`, amount, input_tokens: 1, output_tokens: 1 },
});
const answer = (n: number, amount: number, more: object = {}): NewEvent => ({
  ...{ type: "cognition_out", turn: n, attempt: 1, content: [], stop: "end", truncated: false },
  usage: { input: 10, cache_read: 3, cache_write: 2, output: 5 },
  bill: { hold: `t/${n}`, amount },
  ...more,
});
const retry = (more: object = {}): NewEvent => ({
  ...{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 0, errorMessage: "e", wakeAt: at(0) },
  ...more,
});
const failed = (category: "transient" | "quota" | "cancelled"): NewEvent => ({
  ...{ type: "error_classified", turn: 1, attempt: 1, category, rule: "r", error: "e", model: "a/small" },
});
const result = (tool: string, status: "ok" | "error" | "stopped" | "unknown", ms: number): NewEvent => ({
  ...{ type: "tool_call_result", turn: 1, call_id: "c", tool, status, output: "", source: "run" },
  duration_ms: ms,
});
const stopped = (more: object = {}): NewEvent => ({
  ...{ type: "thread_suspended", reason: "limit", message: "m" },
  waits_for: { kind: "person", what: "w", who: "you", how: "h", ...more },
});
const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "m" };

/** One event an hour. */
function journal(id: string, events: readonly NewEvent[]): { row: ThreadRow; events: Event[] } {
  const placed = events.map(
    (event, seq) => ({ v: 1, seq: seq + 1, ts: at(seq), thread_id: id, ...event }) as Event,
  );
  const row = placed.reduce(reduceRow, newRow(id));
  return { row: { ...row, epoch: 1, owner: null, strikes: [], corrupt: null, hash: "" }, events: placed };
}

function told(ask: Partial<StatsAsk>, ...journals: ReturnType<typeof journal>[]) {
  const stats = new Stats({ by: "tree", now: at(1_000), ...ask });
  for (const { row, events } of journals) stats.take(row, events);
  return { lines: stats.lines(), unreadable: stats.unreadable, only: stats.lines()[0]?.tally };
}

describe("what is counted", () => {
  test("tokens, turns, retries and failures; a wait cut short is the same retry, our own stop no failure", () => {
    const { only } = told(
      {},
      journal("t", [
        ...[born("t"), begun, held(1, 9), failed("transient"), retry(), retry({ by: "p" })],
        ...[failed("quota"), failed("quota"), failed("cancelled"), answer(1, 7)],
        ...[{ type: "crash_recovered", decisions: [], model_call_again: false } as NewEvent],
      ]),
    );
    expect(only).toMatchObject({
      ...{ threads: 1, turns: 1, retries: 1, recoveries: 1, cacheRead: 3, cacheWrite: 2 },
      cost: { amount: 7, inputTokens: 15, outputTokens: 5, calls: 1 },
    });
    expect([...(only?.failures ?? [])]).toEqual([
      ["transient", 1],
      ["quota", 2],
    ]);
  });

  test("calls: how many, how they went, how long they took", () => {
    const calls = [result("bash", "ok", 10), result("bash", "error", 30), result("bash", "unknown", 0)];
    const { only } = told({}, journal("t", [born("t"), begun, ...calls, result("read", "stopped", 5)]));
    expect(Object.fromEntries(only?.tools ?? [])).toEqual({
      bash: { calls: 3, errors: 1, unknown: 1, stopped: 0, totalMs: 40, longestMs: 30 },
      read: { calls: 1, errors: 0, unknown: 0, stopped: 1, totalMs: 5, longestMs: 5 },
    });
  });

  test("a hand-off is the machine's, not a person's going on", () => {
    const on = (why: "context" | "user"): NewEvent => ({
      ...{ type: "thread_continued", to: "u", why, summary_tokens: 0, trailing_messages: 0 },
    });
    expect(told({}, journal("t", [born("t"), begun, on("context")])).only?.handOffs).toBe(1);
    expect(told({}, journal("t", [born("t"), begun, on("user")])).lines).toEqual([]);
  });
});

describe("waiting for people", () => {
  test.each<[string, readonly NewEvent[], { stops: number; hours: number }]>([
    ["until it goes on", [stopped(), begun, resumed], { stops: 1, hours: 2 }],
    ["until it is stopped", [stopped(), cancelled()], { stops: 1, hours: 1 }],
    ["until now, when nobody came", [stopped()], { stops: 1, hours: 998 }],
    ["asked again meanwhile, it is one", [stopped(), stopped(), resumed], { stops: 1, hours: 2 }],
    ["twice", [stopped(), resumed, stopped(), resumed], { stops: 2, hours: 2 }],
    ["a time is nobody", [stopped({ follows: "resume", until: at(9) }), resumed], { stops: 0, hours: 0 }],
    ["a no by the clock is waited for", [stopped({ follows: "deny" }), cancelled()], { stops: 1, hours: 1 }],
    [
      "from a person to a time",
      [stopped(), stopped({ follows: "resume", until: at(9) }), resumed],
      { stops: 1, hours: 1 },
    ],
  ])("%s", (_, events, { stops, hours }) => {
    const { only } = told({}, journal("t", [born("t"), begun, ...events]));
    expect([only?.stops ?? 0, (only?.waitedMs ?? 0) / HOUR]).toEqual([stops, hours]);
  });

  test("of a wait that began earlier, the part since then counts", () => {
    const waiting = journal("t", [born("t"), begun, stopped(), resumed]);
    expect(told({ since: at(2.5) }, waiting).only).toMatchObject({ stops: 1, waitedMs: HOUR / 2 });
    expect(told({ since: at(3.5) }, waiting).lines).toEqual([]);
    const open = journal("t", [born("t"), begun, stopped()]);
    expect(isBefore(open.row, at(500))).toBe(false);
    expect(told({ since: at(500) }, open).only?.waitedMs).toBe(500 * HOUR);
    expect(isBefore(waiting.row, at(500))).toBe(true);
  });
});

function cancelled(): NewEvent {
  return { type: "thread_cancelled", reason: "r", by: "p", report: [] };
}

test("by model: what a request was asked of; by day: when it was answered", () => {
  const one = journal("t", [
    ...[
      born("t"),
      begun,
      held(1, 9),
      answer(1, 4),
      held(2, 9),
      retry({ target: { model: "b/large", key: 0 } }),
    ],
    ...[
      result("bash", "ok", 1),
      answer(2, 3),
      ...Array.from({ length: 12 }, () => begun),
      held(3, 5),
      cancelled(),
    ],
  ]);
  const models = told({ by: "model" }, one).lines.map(({ key, tally }) => [
    key,
    tally.cost.amount,
    tally.turns,
  ]);
  expect(models).toEqual([
    ["b/large", 8, 1],
    ["a/small", 4, 1],
  ]);
  const days = told({ by: "day" }, one).lines.map(({ key, tally }) => [key, tally.cost.amount]);
  expect(days).toEqual([
    ["2026-01-01", 7],
    ["2026-01-02", 5],
  ]);
});

test("a chain: what was spent before it is told once, a correction of it as the difference", () => {
  const before = journal("t", [
    ...[born("t"), begun, held(1, 9), failed("transient")],
    { ...answer(1, 9), bill: { hold: "t/1", amount: 9, estimated: true } } as NewEvent,
    { type: "thread_continued", to: "u", why: "context", summary_tokens: 0, trailing_messages: 0 },
  ]);
  const usage = { input: 10, cache_read: 3, cache_write: 2, output: 5 };
  const counts = { turns: 1, usage, spent: 9, active_ms: 0, recoveries: 0, spawns: 0 };
  const kept = { children: {}, processes: {}, unbilled: [{ hold: "t/1", amount: 9 }] };
  const carried = {
    ...counts,
    ...kept,
    earlier: { attempts: 0, holds: 0 },
    target: { model: "b/large", key: 1 },
  };
  const after = journal("u", [
    born("u", { chain_root_id: "t", root_id: "t", continuation_of: "t", carried }),
    ...[begun, held(2, 20), answer(2, 11)],
    { type: "charge_corrected", request_id: "r", by: "p", hold: "t/1", amount: 2, was: 9 },
  ]);
  expect(after.row.spent).toBe(13);
  for (const by of STATS_WAYS) {
    const { lines, unreadable } = told({ by }, before, after);
    const sum = statsTotal(lines.map(({ tally }) => tally));
    expect([by, sum.cost.amount, sum.cost.calls, sum.turns, unreadable.size]).toEqual([by, 13, 2, 2, 0]);
  }
  expect(told({ by: "model" }, after).lines.map(({ key }) => key)).toEqual(["b/large"]);
});

test("what a damaged journal does not tell is in the sum, and said", () => {
  const whole = journal("t", [born("t"), begun, held(1, 9), answer(1, 4), held(2, 9), answer(2, 3)]);
  const damaged = { row: whole.row, events: whole.events.slice(0, 4) };
  for (const by of STATS_WAYS) {
    const { lines, unreadable } = told({ by }, damaged);
    expect(statsTotal(lines.map(({ tally }) => tally)).cost.amount).toBe(7);
    expect([...unreadable]).toEqual([["t", 3]]);
  }
  expect(told({ by: "model" }, damaged).lines.map(({ key }) => key)).toEqual(["a/small", "(unreadable)"]);
});

test("what was written after its row was read is not counted", () => {
  const { row, events } = journal("t", [born("t"), begun, held(1, 9), answer(1, 4)]);
  const later = journal("t", [born("t"), begun, held(1, 9), answer(1, 4), held(2, 9), answer(2, 3)]);
  expect(told({}, { row, events: later.events }).only).toEqual(told({}, { row, events }).only);
});

const someEvent = fc.oneof(
  fc.record({ n: fc.nat(5), amount: fc.nat(1e9) }).map(({ n, amount }) => held(n, amount)),
  fc.record({ n: fc.nat(5), amount: fc.nat(1e9) }).map(({ n, amount }) => answer(n, amount)),
  fc.constantFrom(retry(), retry({ target: { model: "b/large", key: 0 } }), failed("quota"), resumed),
  fc.constantFrom(stopped(), begun, result("bash", "error", 5), cancelled()),
);

test("whatever happened, every way of telling adds up to what the costs and the registry say", () => {
  fc.assert(
    fc.property(fc.array(fc.array(someEvent, { maxLength: 25 }), { maxLength: 4 }), (threads) => {
      const journals = threads.map((events, n) => journal(`t${n}`, [born(`t${n}`), begun, ...events]));
      const spent = journals.reduce((sum, { row }) => sum + row.spent, 0);
      const turns = journals.reduce((sum, { row }) => sum + row.turns, 0);
      const charges = journals.flatMap(({ events }) => costsOf(events).charges);
      for (const by of STATS_WAYS) {
        const { lines } = told({ by }, ...journals);
        const sum = statsTotal(lines.map(({ tally }) => tally));
        expect(sum.cost.amount).toBe(spent);
        expect(sum.turns).toBe(turns);
        expect(sum.cost.calls).toBe(charges.length);
      }
    }),
  );
});
