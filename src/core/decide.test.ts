import { describe, expect, test } from "vitest";
import { ahead, decideFailure, glide, nextAction } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { newThread, type Thread } from "./thread.ts";

const NOW = Date.UTC(2026, 0, 1);
const TS = new Date(NOW).toISOString();
const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 };
const policy = { maxRetries: 2, baseDelayMs: 1_000, maxDelayMs: 60_000, rateLimitedMs: 30_000 };

const started: NewEvent = { type: "thread_started", run: 1 };
const prompt: NewEvent = { type: "cognition_in", source: "directive", text: "Go." };
const step: NewEvent = { type: "step_start", turn: 1 };
const says: NewEvent = {
  type: "cognition_out",
  turn: 1,
  attempt: 1,
  content: [{ type: "text", text: "Hi." }],
  stop: "end",
  truncated: false,
  usage,
};
const intent: NewEvent = {
  type: "tool_call_start",
  turn: 1,
  call_id: "c",
  at: 0,
  tool: "t",
  input: {},
  effect: "manual",
  preceding: [],
};
const calls: NewEvent = {
  ...says,
  content: [{ type: "call", call_id: "c", tool: "t", input: {} }],
} as NewEvent;
const result: NewEvent = {
  type: "tool_call_result",
  turn: 1,
  call_id: "c",
  tool: "t",
  status: "ok",
  output: "o",
  source: "run",
  duration_ms: 1,
};
const finish: NewEvent = { type: "step_finish", turn: 1, duration_ms: 1 };
const retry: NewEvent = {
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 2,
  delayMs: 5_000,
  errorMessage: "e",
  wakeAt: new Date(NOW + 5_000).toISOString(),
};

const thread = (...events: NewEvent[]): Thread =>
  events.reduce((fold, event) => ahead(fold, event, TS), newThread("work-1-aaaaaa"));

describe("what a thread does next", () => {
  test.each<[string, Thread, number, object]>([
    ["not started: nothing", thread(prompt), NOW, { type: "rest" }],
    ["started: opens a turn", thread(prompt, started), NOW, { type: "open_step", turn: 1 }],
    ["turn open: asks", thread(prompt, started, step), NOW, { type: "ask" }],
    ["retry not due: waits", thread(prompt, started, step, retry), NOW, { type: "wait_retry" }],
    ["retry due: asks", thread(prompt, started, step, retry), NOW + 5_000, { type: "ask" }],
    [
      "a call was acted on: that answer stands",
      thread(prompt, started, step, intent),
      NOW,
      { type: "close_answer" },
    ],
    ["answer with open calls: runs them", thread(prompt, started, step, calls), NOW, { type: "run_calls" }],
    [
      "all results there: finishes the turn",
      thread(prompt, started, step, calls, result),
      NOW,
      { type: "finish_step", turn: 1 },
    ],
    [
      "after tools: next turn",
      thread(prompt, started, step, calls, result, finish),
      NOW,
      { type: "open_step", turn: 2 },
    ],
    [
      "after text: completes",
      thread(prompt, started, step, says, finish),
      NOW,
      { type: "complete", text: "Hi." },
    ],
    [
      "a message after the last answer goes on",
      thread(prompt, started, step, says, finish, prompt),
      NOW,
      { type: "open_step", turn: 2 },
    ],
  ])("%s", (_, fold, now, action) => {
    expect(nextAction(fold, { now })).toEqual(action);
  });

  test("a timer that fired lets the retry go ahead, whatever the wall clock says", () => {
    const waiting = thread(prompt, started, step, retry);
    expect(nextAction(waiting, { now: NOW - 1e12, timerFired: true })).toEqual({ type: "ask" });
  });
});

describe("what follows without an effect goes into the same commit", () => {
  const types = (events: readonly NewEvent[]) => events.map((event) => event.type);

  test("a text turn is one commit", () => {
    const glided = glide(thread(prompt, started, step), [says], { now: NOW });
    expect(types(glided.events)).toEqual(["cognition_out", "step_finish", "thread_completed"]);
    expect(glided.tail).toEqual([]);
  });

  test("a tool turn ends with the next step", () => {
    const glided = glide(thread(prompt, started, step, intent), [result, calls], { now: NOW });
    expect(types(glided.events)).toEqual(["tool_call_result", "cognition_out", "step_finish"]);
    expect(types(glided.tail)).toEqual(["step_start"]);
  });

  test("a wait parks", () => {
    const failure = { kind: "http", message: "busy", status: 503 } as const;
    const open = thread(prompt, started, step);
    const glided = glide(open, decideFailure(open, failure, policy, NOW), { now: NOW });
    expect(types(glided.events)).toEqual(["error_classified", "auto_retry_start"]);
    expect(glided.park).toBe(true);
  });
});

describe("what a failed request leads to", () => {
  const failed = (status: number | undefined, ...before: NewEvent[]) => {
    const failure = { kind: "http", message: "no", ...(status ? { status } : {}) } as const;
    return decideFailure(thread(prompt, started, step, ...before), failure, policy, NOW);
  };
  const classified = (attempt: number): NewEvent => ({
    type: "error_classified",
    turn: 1,
    attempt,
    category: "transient",
    rule: "r",
    error: "e",
  });

  test("the first failure waits, durably, with attempt and due time", () => {
    expect(failed(503)[1]).toMatchObject({
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 2,
      delayMs: 1_000,
      wakeAt: new Date(NOW + 1_000).toISOString(),
    });
  });

  test("the attempt is counted from the journal", () => {
    expect(failed(503, classified(1), retry)[1]).toMatchObject({ attempt: 2, delayMs: 2_000 });
  });

  test("used up: the chain ends and the thread is suspended with a way out", () => {
    const events = failed(503, classified(1), retry, classified(2), { ...retry, attempt: 2 } as NewEvent);
    expect(events.map((event) => event.type)).toEqual([
      "error_classified",
      "auto_retry_end",
      "thread_suspended",
    ]);
    expect(events[1]).toMatchObject({ success: false, attempt: 2, finalError: "no" });
    expect(events[2]).toMatchObject({
      reason: "error",
      waits_for: { kind: "person", how: "selvage recover work-1-aaaaaa" },
    });
  });

  test("a permanent failure is asked once", () => {
    expect(failed(401).map((event) => event.type)).toEqual(["error_classified", "thread_failed"]);
  });
});
