import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import type { CallId } from "./id.ts";
import { toArray } from "./log.ts";
import { newRow, type RowFold, reduceRow } from "./row.ts";
import { foldThread, newThread, reduce, type Thread } from "./thread.ts";

const ID = "work-1-aaaaaa";
const usage = { input: 10, cache_read: 1, cache_write: 2, output: 5 };
const callId = fc.constantFrom("c1", "c2", "c3");
const turn = fc.integer({ min: 1, max: 3 });
const at = fc.nat(3);
const call = fc.record({
  type: fc.constant("call" as const),
  call_id: callId,
  tool: fc.constant("t"),
  input: fc.jsonValue(),
});
const text = fc.record({ type: fc.constant("text" as const), text: fc.string() });
const journaled = fc.record({ type: fc.constant("journaled" as const), at });

const hold = fc.record({
  id: fc.constant("h"),
  ...{ amount: fc.nat(9), input_tokens: fc.nat(9), output_tokens: fc.nat(9) },
});
const bill = fc.record({
  ...{ hold: fc.constant("h"), amount: fc.nat(9), estimated: fc.constantFrom(undefined, true as const) },
});

/** Any event in any order, sensible or not. */
const anyEvent = fc.oneof(
  fc.constant({ type: "thread_started", run: 1 } as const),
  fc.record({ type: fc.constant("cognition_in" as const), source: fc.constant("x"), text: fc.string() }),
  fc.record({
    type: fc.constant("message_received" as const),
    ...{ request_id: fc.constantFrom("r1", "r2"), by: fc.constant("b"), text: fc.string() },
    after: fc.constantFrom(undefined, true as const),
  }),
  fc.record({ type: fc.constant("step_start" as const), turn, hold: fc.option(hold, { nil: undefined }) }),
  fc.record({
    type: fc.constant("cognition_out" as const),
    turn,
    attempt: fc.constant(1),
    content: fc.array(fc.oneof(text, call, journaled), { maxLength: 4 }),
    stop: fc.constant("end"),
    truncated: fc.boolean(),
    usage: fc.constantFrom(usage, { ...usage, estimated: true }),
    bill: fc.option(bill, { nil: undefined }),
  }),
  fc.record({
    type: fc.constant("tool_call_start" as const),
    turn,
    call_id: callId,
    at,
    tool: fc.constant("t"),
    input: fc.jsonValue(),
    effect: fc.constantFrom("pure" as const, "manual" as const),
    preceding: fc.array(fc.record({ at, block: fc.oneof(text, call) }), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant("tool_call_result" as const),
    turn,
    call_id: callId,
    tool: fc.constant("t"),
    status: fc.constantFrom("ok" as const, "unknown" as const),
    output: fc.string(),
    source: fc.constant("run" as const),
    duration_ms: fc.nat(),
  }),
  fc.record({ type: fc.constant("step_finish" as const), turn, duration_ms: fc.nat(1_000) }),
  fc.constant({
    type: "error_classified",
    turn: 1,
    attempt: 1,
    category: "transient",
    rule: "r",
    error: "e",
  } as const),
  fc.constant({
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 5,
    errorMessage: "e",
    wakeAt: "2026-01-01T00:00:00.000Z",
  } as const),
  fc.constant({ type: "auto_retry_end", success: true, attempt: 1 } as const),
  fc.constant({
    type: "thread_suspended",
    reason: "error",
    message: "m",
    waits_for: { kind: "person", what: "w", who: "p", how: "h" },
  } as const),
  fc.record({
    type: fc.constant("thread_resumed" as const),
    request_id: fc.constant("r"),
    by: fc.constant("b"),
    run: fc.integer({ min: 2, max: 9 }),
    nonce: fc.string(),
  }),
  fc.constant({
    type: "hook_matched",
    ...{ hook: "h", event: "context_window_pressure", point: "p", outcome: "continue", duration_ms: 1 },
  } as const),
  fc.constant({ type: "thread_completed", text: "t" } as const),
  fc.constant({ type: "thread_failed", code: "C", message: "m" } as const),
  fc.constant({ type: "thread_cancelled", reason: "r", by: "b", report: [] } as const),
  fc.constant({ type: "crash_recovered", decisions: [], model_call_again: false } as const),
  fc.constant({ type: "crash_detected", owner: "o", epoch: 1, in_flight: [] } as const),
);

const numbered = (events: readonly { type: string }[]): Event[] =>
  events.map(
    (event, index) => ({ v: 1, seq: index + 1, ts: stamp(index), thread_id: ID, ...event }) as Event,
  );
const stamp = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
const fold = (events: readonly { type: string }[]): Thread => numbered(events).reduce(reduce, newThread(ID));

describe("properties of the fold", () => {
  test("reduce takes any event on any thread, and both folds agree", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const thread = fold(events);
        const row = numbered(events).reduce((before: RowFold, event) => reduceRow(before, event), newRow(ID));
        expect(row.status).toBe(thread.status);
        expect(row.suspend_reason).toBe(thread.suspendReason ?? null);
        expect(row.waits_for).toEqual(thread.waitsFor ?? null);
        expect([row.seq, row.turns, row.recoveries, row.active_ms]).toEqual([
          thread.seq,
          thread.turns,
          thread.recoveries,
          thread.activeMs,
        ]);
        expect(row.input_tokens).toBe(
          thread.usage.input + thread.usage.cache_read + thread.usage.cache_write,
        );
        expect([row.run, row.nonce, row.output_tokens]).toEqual([
          thread.run,
          thread.nonce,
          thread.usage.output,
        ]);
      }),
    );
  });

  test("a journal that is folded at once gives what its events give one by one", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        expect(foldThread(ID, numbered(events))).toStrictEqual(fold(events));
      }),
    );
  });

  test("an older value of the fold is never changed by a newer one", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 25 }), (events) => {
        const seen: [Thread, string][] = [];
        numbered(events).reduce((before, event) => {
          const after = reduce(before, event);
          seen.push([after, picture(after)]);
          return after;
        }, newThread(ID));
        for (const [thread, before] of seen) expect(picture(thread)).toBe(before);
      }),
    );
  });
});

function picture(thread: Thread): string {
  return JSON.stringify({ ...thread, messages: toArray(thread.messages) });
}

describe("one turn with tools", () => {
  const start = (
    call_id: string,
    place: number,
    preceding: { at: number; block: never }[] = [],
  ): NewEvent => ({
    type: "tool_call_start",
    turn: 1,
    call_id,
    at: place,
    tool: "t",
    input: { place },
    effect: "manual",
    preceding,
  });
  const result = (call_id: string): NewEvent => ({
    type: "tool_call_result",
    turn: 1,
    call_id,
    tool: "t",
    status: "ok",
    output: call_id,
    source: "run",
    duration_ms: 1,
  });
  const before = { at: 0, block: { type: "text", text: "Hm." } as never };
  const waiting = { at: 2, block: { type: "call", call_id: "b", tool: "t", input: { place: 2 } } as never };
  const answer: NewEvent = {
    type: "cognition_out",
    turn: 1,
    attempt: 1,
    content: [
      { type: "text", text: "Hm." },
      { type: "journaled", at: 1 },
      { type: "journaled", at: 2 },
      { type: "journaled", at: 3 },
    ],
    stop: "end",
    truncated: false,
    usage,
  };
  const events: NewEvent[] = [
    { type: "thread_started", run: 1 },
    { type: "step_start", turn: 1 },
    start("a", 1, [before]),
    start("c", 3, [waiting]),
    result("c"),
    start("b", 2),
    answer,
    result("b"),
    result("a"),
    { type: "step_finish", turn: 1, duration_ms: 7 },
  ];

  test("results stand in the order of the calls, whatever order they ended in", () => {
    const [assistant, tool] = toArray(fold(events).messages);
    expect(assistant).toMatchObject({ role: "assistant" });
    expect(assistant?.role === "assistant" && assistant.blocks.map((block) => block.type)).toEqual([
      "text",
      "call",
      "call",
      "call",
    ]);
    expect(tool?.role === "tool" && tool.results.map((each) => each.call_id)).toEqual(["a", "b", "c"]);
  });

  test("a call without an intent has not run; one with an intent may have", () => {
    const calls = fold(events.slice(0, 5)).step?.calls ?? [];
    expect(calls.map((each) => [each.call_id, each.effect, each.result?.output])).toEqual([
      ["a" as CallId, "manual", undefined],
      ["b" as CallId, undefined, undefined],
      ["c" as CallId, "manual", "c"],
    ]);
  });

  test("turns are counted from answers", () => {
    expect(fold(events.slice(0, 6)).turns).toBe(0);
    expect(fold(events).turns).toBe(1);
  });
});
