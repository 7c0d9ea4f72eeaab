import { describe, expect, test } from "vitest";
import { ahead, glide, nextAction } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import type { Hook } from "./hook.ts";
import { BY_FOLLOW_UP, nextAfterFailure, pastFailure, stoppedByFailure } from "./past-failure.ts";
import { decideFailure, retryPolicy } from "./retry.ts";
import { classify } from "./rule.ts";
import { defaultSettings } from "./settings.ts";
import type { SuspendReason } from "./suspension.ts";
import { newThread, type Thread } from "./thread.ts";

const NOW = Date.UTC(2026, 0, 1);
const TS = new Date(NOW).toISOString();
const made = { model: "m", tools: [], limits: {}, run: 1, nonce: "n" };
const lasting = { type: "thread_created", ...made, lasting: true };
const begun = [
  lasting as unknown as NewEvent,
  { type: "cognition_in", source: "directive", text: "Be kind." },
  { type: "thread_started", run: 1 },
] satisfies NewEvent[];
const said = (id: string): NewEvent => ({
  ...{ type: "message_received", request_id: id, by: "maya", text: `text ${id}`, after: "end" },
});
const read = (id: string): NewEvent => ({
  ...{ type: "cognition_in", source: "maya", text: `text ${id}`, request_id: id },
});
const step: NewEvent = { type: "step_start", turn: 1 };
const failed: NewEvent = {
  ...{
    type: "error_classified",
    turn: 1,
    attempt: 1,
    category: "permanent",
    rule: "r",
    error: "e",
    model: "m",
  },
};
const stop = (reason: SuspendReason): NewEvent => ({
  ...{ type: "thread_suspended", reason, message: "it stopped" },
  waits_for: { kind: "person", what: "w", who: "o", how: "h" },
});
const stopping: NewEvent = {
  ...{ type: "thread_stopping", end: { type: "thread_cancelled", reason: "r", by: "ops", report: [] } },
};
const thread = (...events: NewEvent[]): Thread =>
  events.reduce((fold, event) => ahead(fold, event, TS), newThread("chat-1-aaaaaa"));
const atWork = [...begun, said("a"), read("a"), step];
const passing = (...events: NewEvent[]) => thread(...begun.slice(1), said("a"), ...events);

describe("what goes on by itself after a failure", () => {
  test.each<[string, Thread, string | undefined]>([
    ["the oldest that waits", thread(...atWork, said("b"), said("c"), failed, stop("error")), "b"],
    ["what came after the stop as well", thread(...atWork, failed, stop("error"), said("b")), "b"],
    ["nothing, when nothing waits", thread(...atWork, failed, stop("error")), undefined],
    ["nothing, while it works", thread(...atWork, said("b"), failed), undefined],
    ["nothing, when it is being stopped", thread(...atWork, said("b"), stop("error"), stopping), undefined],
    ["nothing of a thread that ends", passing(step, failed, stop("error")), undefined],
    ...(["limit", "budget", "quota", "approval", "storage", "corrupt", "crash_loop"] as const).map(
      (reason): [string, Thread, undefined] => [
        `nothing, when it stopped for ${reason}: somebody, or a time, lets that go on`,
        thread(...atWork, said("b"), failed, stop(reason)),
        undefined,
      ],
    ),
  ])("%s", (_, stopped, next) => {
    expect(nextAfterFailure(stopped)?.request_id).toBe(next);
    const action = nextAction(stopped, { now: NOW });
    if (next !== undefined) expect(action).toMatchObject({ type: "follow_up", said: { request_id: next } });
    else expect(action.type).not.toBe("follow_up");
  });

  test("one that rests, or has nothing behind it, is not past anything", () => {
    expect(stoppedByFailure(thread(...atWork))).toBe(false);
    expect(pastFailure(thread(...atWork), 5)).toEqual([]);
  });
});

const types = (events: readonly NewEvent[]) => events.map(({ type }) => type);
const goesOn = { type: "thread_resumed", by: BY_FOLLOW_UP, run: 1, nonce: "n" };

describe("how it goes on", () => {
  const stopped = thread(...atWork, said("b"), said("c"), failed, stop("error"));

  test("in the same run: its turn is left, the next message is read, and a turn is opened for it", () => {
    const { events, tail } = glide(stopped, [], { now: NOW, workedMs: 7 });
    expect(events).toEqual([goesOn, { type: "step_finish", turn: 1, duration_ms: 7 }, read("b")]);
    expect(tail).toMatchObject([{ type: "step_start", turn: 1 }]);
    const next = thread(...atWork, said("b"), said("c"), failed, stop("error"), ...events, ...tail);
    expect(next).toMatchObject({ status: "running", answering: "b", step: { attempt: 2, first: 2 } });
    expect(next.followUps.map(({ request_id }) => request_id)).toEqual(["c"]);
  });

  test("in the write of the stop itself", () => {
    const working = thread(...atWork, said("b"));
    expect(types(glide(working, [failed, stop("error")], { now: NOW }).events)).toEqual([
      ...["error_classified", "thread_suspended", "thread_resumed", "step_finish", "cognition_in"],
    ]);
  });

  test("a request that money is held for is sent, and what was acted on goes on", () => {
    const hold = { id: "h", amount: 1, input_tokens: 1, output_tokens: 1 };
    const held = thread(
      ...begun,
      said("a"),
      read("a"),
      { ...step, hold } as NewEvent,
      stop("error"),
      said("b"),
    );
    expect(pastFailure(held, 0)).toEqual([goesOn]);
    const call = { turn: 1, call_id: "c", at: 0, tool: "t", input: {}, effect: "pure", preceding: [] };
    const acted = thread(
      ...atWork,
      { type: "tool_call_start", ...call } as NewEvent,
      stop("error"),
      said("b"),
    );
    expect(pastFailure(acted, 0)).toEqual([goesOn]);
  });

  test("until nothing waits: each message is read once, and then it stands still", () => {
    let fold = thread(...atWork, said("b"), said("c"));
    const asked: (string | undefined)[] = [];
    for (let round = 0; round < 10 && fold.step; round += 1) {
      asked.push(fold.answering);
      const { events, tail } = glide(fold, [{ ...failed, attempt: round + 1 } as NewEvent, stop("error")], {
        now: NOW,
      });
      fold = [...events, ...tail].reduce((before, event) => ahead(before, event, TS), fold);
      if (fold.status === "suspended") break;
    }
    expect(asked).toEqual(["a", "b", "c"]);
    expect(fold).toMatchObject({ status: "suspended", followUps: [] });
    expect(nextAction(fold, { now: NOW })).toEqual({ type: "rest" });
  });
});

test("the next message has all its tries, and they are counted from one", () => {
  const policy = retryPolicy(defaultSettings.retry, {});
  const needs = { now: NOW, newApprovalId: () => "ap", sha256: (text: string) => text, timeoutSeconds: 1 };
  const failure = { kind: "http", status: 503, message: "no" } as const;
  const failing = (fold: Thread) => {
    const more = { policy, targets: [{ model: "m", key: 0 }], onTimeout: "remind" as const };
    return decideFailure(fold, { failure, classified: classify(failure) }, { ...needs, ...more });
  };
  let fold = thread(...atWork, said("b"));
  const seen: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { events, tail } = glide(fold, failing(fold), { now: NOW, timerFired: false });
    for (const event of events) {
      if (event.type === "auto_retry_start") seen.push(`${event.attempt}/${event.maxAttempts}`);
      if (event.type === "thread_suspended") seen.push(event.message.slice(0, 24));
    }
    fold = [...events, ...tail].reduce((before, event) => ahead(before, event, TS), fold);
  }
  const tries = ["1/3", "2/3", "3/3", "Gave up after 4 requests"];
  expect(seen).toEqual([...tries, ...tries]);
});

test("hooks that follow a turn are not asked again because the one after it was left", () => {
  const hook = { id: "h", event: "after_step", layer: "project", where: "w", inputs: {}, timeoutSeconds: 1 };
  const hooks = [{ ...hook, run: { call: () => ({ action: "continue" }) } } as unknown as Hook];
  const says: NewEvent = {
    ...{ type: "cognition_out", turn: 1, attempt: 1, stop: "end", truncated: false },
    content: [{ type: "text", text: "Hi." }],
    usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 },
  };
  const judged: NewEvent = {
    ...{ type: "hook_matched", hook: "h", where: "w", event: "after_step", point: "after_step:1" },
    ...{ action: "continue", duration_ms: 0 },
  };
  const first = [...atWork, says, { type: "step_finish", turn: 1, duration_ms: 1 }, judged] as NewEvent[];
  const answered: NewEvent = { type: "message_answered", for: "a", text: "Hi." };
  const second = [...first, answered, said("b"), read("b"), { ...step, turn: 2 } as NewEvent, said("c")];
  const stopped = thread(...second, { ...failed, turn: 2 } as NewEvent, stop("error"));
  expect(glide(stopped, [], { now: NOW, hooks }).tail).toMatchObject([{ type: "step_start", turn: 2 }]);
});
