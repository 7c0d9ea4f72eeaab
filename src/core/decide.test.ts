import { describe, expect, test } from "vitest";
import { ahead, glide, nextAction } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import type { Hook, HookAction, HookEvent } from "./hook.ts";
import { newThread, type Thread } from "./thread.ts";

const NOW = Date.UTC(2026, 0, 1);
const TS = new Date(NOW).toISOString();
const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 };

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

  test("the next step says what it shows of one result, where that is not the usual", () => {
    const shown = (resultChars?: number) =>
      glide(thread(prompt, started), [], { now: NOW, ...(resultChars ? { resultChars } : {}) }).tail;
    expect(shown(100)).toEqual([{ type: "step_start", turn: 1, result_chars: 100 }]);
    for (const usual of [undefined, 30_000]) expect(shown(usual)).toEqual([step]);
  });

  test("a wait parks", () => {
    const glided = glide(thread(prompt, started, step), [retry], { now: NOW });
    expect(types(glided.events)).toEqual(["auto_retry_start"]);
    expect(glided.park).toBe(true);
  });
});

describe("limits, loops and hooks stand before the next turn", () => {
  const created = (limits: Record<string, number>) =>
    ({
      type: "thread_created",
      directive: "work",
      limits,
      rights: { permissions: ["selvage.*"], ask: [], delegates: [], above: [], revoked: [] },
      run: 1,
      nonce: "n",
    }) as unknown as NewEvent;
  const ended = (limits: Record<string, number>) =>
    thread(created(limits), prompt, started, step, intent, calls, result, finish);
  const hook = (event: HookEvent, when?: boolean): Hook => ({
    id: `h-${event}`,
    event,
    layer: "project",
    where: "hooks.yaml:1",
    inputs: {},
    run: { command: "true" },
    timeoutSeconds: 1,
    ...(when === undefined ? {} : { when: { source: String(when), test: () => when } }),
  });
  const at = (fold: Thread, ...hooks: Hook[]) => nextAction(fold, { now: NOW, hooks });
  const judged = (point: string, action: HookAction = "continue"): NewEvent => ({
    type: "hook_matched",
    hook: "h",
    where: "w",
    event: "before_step",
    point,
    action,
    duration_ms: 1,
  });
  const point = (action: ReturnType<typeof at>) => (action.type === "judge" ? action.point.key : action.type);

  test("a limit that the next turn would break stops before it", () => {
    expect(at(ended({ turns: 2 }))).toMatchObject({ type: "open_step" });
    expect(at(ended({ turns: 1 }))).toMatchObject({
      type: "escalate",
      breach: { code: "turns_exceeded", current: 1, max: 1 },
    });
  });

  test("a finished thread completes whatever its limits say", () => {
    expect(at(thread(created({ turns: 1 }), prompt, started, step, says, finish)).type).toBe("complete");
  });

  test("a finished thread waits for its children, and completes when none is left (T7)", () => {
    const child = { child_id: "low-1-bbbbbb", directive: "low" };
    const cost = { turns: 1, tokens: 2, spent: 3 };
    const above = thread(
      ...[created({}), prompt, started, step, intent],
      { type: "child_thread_started", ...child, call_id: "c", start: true },
      ...[calls, result, finish, { ...step, turn: 2 }, { ...says, turn: 2 }, { ...finish, turn: 2 }],
    );
    expect(at(above).type).toBe("join");
    const alone = ahead(above, { type: "child_thread_completed", ...child, text: "t", cost }, TS);
    expect(at(alone).type).toBe("complete");
  });

  test("hooks of a limit are asked once, then the default follows: they never lift it", () => {
    const fold = ended({ turns: 1 });
    expect(point(at(fold, hook("limit")))).toBe("limit:turns_exceeded:1");
    const after = ahead(fold, judged("limit:turns_exceeded:1", "retry"), TS);
    expect(at(after, hook("limit")).type).toBe("escalate");
  });

  test("the order: what ends the last turn, limits, what begins the next", () => {
    const all = [hook("after_step"), hook("limit"), hook("before_step")];
    let fold = ended({ turns: 9 });
    expect(point(at(fold, ...all))).toBe("after_step:1");
    fold = ahead(fold, judged("after_step:1"), TS);
    expect(point(at(fold, ...all))).toBe("before_step:2");
    fold = ahead(fold, judged("before_step:2"), TS);
    expect(point(at(fold, ...all))).toBe("open_step");
    expect(ahead(fold, { type: "step_start", turn: 2 }, TS).judged).toEqual(["after_step:1"]);
  });

  test("a condition that does not hold, or a hook of another event, changes nothing", () => {
    expect(at(ended({}), hook("before_step", false), hook("error")).type).toBe("open_step");
  });

  test("a call waits for its hooks, and none is asked about a call whose intent is durable", () => {
    const asked = thread(created({}), prompt, started, step, calls);
    expect(point(at(asked, hook("before_tool")))).toBe("before_tool:c");
    expect(at(ahead(asked, judged("before_tool:c"), TS), hook("before_tool")).type).toBe("run_calls");
    expect(at(thread(created({}), prompt, started, step, intent, calls), hook("before_tool")).type).toBe(
      "run_calls",
    );
    const done = thread(created({}), prompt, started, step, intent, calls, result);
    expect(point(at(done, hook("after_tool")))).toBe("after_tool:c");
  });

  test("success is told to its hooks before it is final", () => {
    const fold = thread(created({}), prompt, started, step, says, finish);
    expect(point(at(fold, hook("after_complete")))).toBe("after_complete:1");
    expect(at(ahead(fold, judged("after_complete:1"), TS), hook("after_complete")).type).toBe("complete");
  });

  test("the same call with the same result five times asks a person, until one said yes", () => {
    const repeat = { tool: "t", input: "{}", status: "ok" as const, output: "o", times: 5 };
    const fold = { ...ended({}), repeat };
    expect(nextAction(fold, { now: NOW, askAfter: 5 }).type).toBe("ask_about_loop");
    expect(nextAction(fold, { now: NOW, askAfter: 6 }).type).toBe("open_step");
    expect(nextAction(fold, { now: NOW, askAfter: 0 }).type).toBe("open_step");
  });
});

describe("a suspended thread", () => {
  const until = new Date(NOW + 1_000).toISOString();
  const waits = { kind: "person" as const, what: "w", who: "w", how: "h", approval_id: "ap" };
  const stop = (waits_for: NewEvent<"thread_suspended">["waits_for"]): NewEvent => ({
    type: "thread_suspended",
    reason: "quota",
    message: "m",
    waits_for,
  });
  const fold = thread(prompt, started, step, stop({ ...waits, until, follows: "resume" }));

  test.each([
    [0, false, "rest"],
    [1_000, false, "wake"],
    [0, true, "wake"],
  ])("%i ms later, timer fired %s: %s", (ms, timerFired, type) => {
    expect(nextAction(fold, { now: NOW + ms, timerFired }).type).toBe(type);
  });

  test("rests for ever when only a person can help", () => {
    const asked = thread(prompt, started, stop(waits));
    expect(nextAction(asked, { now: NOW + 1e12, timerFired: true }).type).toBe("rest");
  });

  test("may come to wait for something else; its reason stays", () => {
    const changed = ahead(fold, { ...stop(waits), reason: "error" } as NewEvent, TS);
    expect(changed).toMatchObject({ status: "suspended", suspendReason: "quota", waitsFor: waits });
  });

  test("woken by its time it is in the same run and keeps counting its requests; let go by a person it starts over", () => {
    const failing: NewEvent = {
      type: "error_classified",
      turn: 1,
      attempt: 3,
      category: "quota",
      rule: "r",
      error: "e",
      model: "m",
    };
    const stopped = thread(prompt, started, step, failing, stop(waits));
    const woken = ahead(stopped, { type: "thread_resumed", by: "timer", run: 0, nonce: "" }, TS);
    expect(woken.step?.attempt).toBe(4);
    const resumed = ahead(stopped, { type: "thread_resumed", by: "me", run: 1, nonce: "x" }, TS);
    expect(resumed).toMatchObject({ run: 1, nonce: "x", step: { attempt: 1 } });
  });

  test("time spent waiting is no time at work", () => {
    const later = (fold_: Thread, event: NewEvent, ms: number) =>
      ahead(fold_, event, new Date(NOW + ms).toISOString());
    let waiting = later(thread(prompt, started, step), retry, 1_000);
    waiting = later(
      waiting,
      { ...retry, delayMs: 0, wakeAt: new Date(NOW + 3_000).toISOString() } as NewEvent,
      3_000,
    );
    waiting = later(waiting, stop(waits), 4_000);
    waiting = later(waiting, { type: "thread_resumed", by: "me", run: 1, nonce: "x" }, 3_604_000);
    waiting = later(waiting, says, 3_605_000);
    const { events } = glide(waiting, [], { now: NOW + 3_605_500 });
    // 1 s to the failure, 2 s of backoff cut short, 1 s, an hour of waiting for a person, 1.5 s.
    expect(events[0]).toMatchObject({ type: "step_finish", duration_ms: 3_500 });
  });
});
