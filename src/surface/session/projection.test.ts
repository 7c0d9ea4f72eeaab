import { describe, expect, test } from "vitest";
import type { Event, LiveEvent, NewEvent } from "../../core/event.ts";
import { Projection } from "./projection.ts";
import type { SessionEvent } from "./session-event.ts";

const AT = "2026-11-15T10:00:00.000Z";
const used = { input: 10, cache_read: 2, cache_write: 1, output: 5 };

/** Events of one thread as they would stand in its journal. */
function journal(...events: readonly object[]): (Event | LiveEvent)[] {
  let seq = 0;
  return events.map((event) => {
    const { type } = event as NewEvent;
    const isLive = type === "cognition_out_delta" || type === "tool_call_progress";
    if (!isLive) seq += 1;
    return { v: 1, ts: AT, thread_id: "t-1", ...(isLive ? {} : { seq }), ...event } as Event | LiveEvent;
  });
}

function told(...events: readonly object[]): SessionEvent[] {
  const projection = new Projection();
  return journal(...events).flatMap((event) => projection.tell(event));
}

/** What happened, in one word each; ours with a dot before it. */
const names = (events: readonly SessionEvent[]) =>
  events.map((event) => ("seq" in event ? `.${event.type}` : short(event)));

function short(event: SessionEvent): string {
  if (event.type === "message_start" || event.type === "message_end")
    return `${event.type}:${event.message.role}`;
  return event.type === "agent_end" ? `agent_end:${event.willRetry}` : event.type;
}

const created = { type: "thread_created", model: "scripted/x", directive: "prompt", run: 1 };
const prompt = { type: "cognition_in", source: "directive", text: "hi" };
const started = { type: "thread_started", run: 1 };
const step = (turn: number) => ({ type: "step_start", turn });
const finish = (turn: number) => ({ type: "step_finish", turn, duration_ms: 1 });
const delta = (text: string, turn = 1) => ({ type: "cognition_out_delta", turn, text });
const answer = (turn: number, content: object[], more: object = {}) => ({
  ...{ type: "cognition_out", turn, attempt: 1, content, stop: "end_turn", truncated: false },
  ...{ usage: used, model: "scripted/x", bill: { hold: "h", amount: 2_000_000 }, ...more },
});
const text = (said: string) => ({ type: "text", text: said });
const call = { type: "call", call_id: "c1", tool: "ls", input: { path: "." } };
const failed = (attempt = 1) => ({
  ...{ type: "error_classified", turn: 1, attempt, category: "transient", rule: "http-503" },
  ...{ error: "503 busy", model: "scripted/x" },
});
const waiting = (attempt: number) => ({
  ...{ type: "auto_retry_start", attempt, maxAttempts: 3, delayMs: 2_000 },
  ...{ errorMessage: "503 busy", wakeAt: AT },
});
const completed = { type: "thread_completed", text: "done" };
const suspended = { type: "thread_suspended", reason: "error", message: "m", waits_for: { kind: "person" } };
const begun = [".thread_created", "message_start:user", "message_end:user", ".thread_started", "agent_start"];
const settled = ["agent_end:false", "agent_settled"];

describe("what is told, in order", () => {
  test.each<[string, readonly object[], readonly string[]]>([
    [
      "a text",
      [created, prompt, started, step(1), answer(1, [text("hello")]), finish(1), completed],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_end:assistant", "turn_end"],
        ...[".thread_completed", ...settled],
      ],
    ],
    [
      "a text that streams",
      [
        created,
        prompt,
        started,
        step(1),
        delta("hel"),
        delta("lo"),
        answer(1, [text("hello")]),
        finish(1),
        completed,
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_update", "message_update"],
        ...["message_end:assistant", "turn_end", ".thread_completed", ...settled],
      ],
    ],
    [
      "a call: its result stands after the answer, wherever it was stored",
      [
        ...[created, prompt, started, step(1)],
        { ...call, type: "tool_call_start", turn: 1, at: 0, effect: "pure", preceding: [] },
        { type: "tool_call_progress", turn: 1, call_id: "c1", tool: "ls", message: "half" },
        {
          ...{ type: "tool_call_result", turn: 1, call_id: "c1", tool: "ls", status: "ok" },
          output: "a",
          source: "run",
        },
        ...[answer(1, [{ type: "journaled", at: 0 }]), finish(1)],
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "tool_execution_start", "tool_execution_update"],
        ...[
          "tool_execution_end",
          "message_end:assistant",
          "message_start:toolResult",
          "message_end:toolResult",
        ],
        "turn_end",
      ],
    ],
    [
      "a call that was refused: a result, and no execution",
      [
        ...[created, prompt, started, step(1), answer(1, [call])],
        {
          ...{ type: "tool_call_result", turn: 1, call_id: "c1", tool: "ls", status: "error" },
          output: "no",
          source: "repair",
        },
        finish(1),
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_end:assistant"],
        ...["message_start:toolResult", "message_end:toolResult", "turn_end"],
      ],
    ],
    [
      "a failure that is tried again, with success",
      [
        ...[created, prompt, started, step(1), delta("ha"), failed(), waiting(1), step(1)],
        { type: "retry_succeeded", turn: 1, attempt: 2, previous_error: "503 busy" },
        { type: "auto_retry_end", success: true, attempt: 1 },
        ...[answer(1, [text("hello")]), finish(1), completed],
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_update", "message_end:assistant", "turn_end"],
        ...["agent_end:true", "auto_retry_start", "agent_start", "turn_start", "auto_retry_end"],
        ...["message_start:assistant", "message_end:assistant", "turn_end", ".thread_completed", ...settled],
      ],
    ],
    [
      "retries that are used up",
      [
        ...[created, prompt, started, step(1), failed(), waiting(1), step(1), failed(2)],
        { type: "auto_retry_end", success: false, attempt: 1, finalError: "503 busy" },
        suspended,
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_end:assistant", "turn_end", "agent_end:true"],
        ...[
          "auto_retry_start",
          "agent_start",
          "turn_start",
          "message_start:assistant",
          "message_end:assistant",
        ],
        ...["turn_end", "auto_retry_end", ".thread_suspended", ...settled],
      ],
    ],
    [
      "a suspension that is written again settles nothing anew",
      [
        created,
        prompt,
        started,
        suspended,
        suspended,
        { type: "thread_resumed", by: "me", run: 2, nonce: "n" },
      ],
      [...begun, ".thread_suspended", ...settled, ".thread_suspended", ".thread_resumed", "agent_start"],
    ],
    [
      "a message before the next turn, and one for the end",
      [
        ...[created, prompt, started, step(1), answer(1, [text("a")])],
        { type: "message_received", request_id: "r1", by: "me", text: "then", after: "end" },
        { type: "message_received", request_id: "r2", by: "me", text: "now" },
        finish(1),
        { type: "cognition_in", source: "me", text: "then", request_id: "r1" },
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_end:assistant", "queue_update"],
        ...["message_start:user", "message_end:user", "turn_end"],
        ...["queue_update", "message_start:user", "message_end:user"],
      ],
    ],
    [
      "a hand-off: the same run goes on in another thread",
      [
        ...[created, prompt, started, step(1), answer(1, [text("a")]), finish(1)],
        { type: "context_compaction_start", why: "pressure", tokens: 9, window: 10 },
        { type: "context_compaction_end", tokens_before: 9, tokens_after: 1 },
        { type: "thread_continued", to: "t-2", why: "context", summary_tokens: 0, trailing_messages: 0 },
        { ...created, continuation_of: "t-1", conversation: [{ role: "user", text: "notes" }] },
        ...[started, step(2), answer(2, [text("b")]), finish(2), completed],
      ],
      [
        ...begun,
        ...["turn_start", "message_start:assistant", "message_end:assistant", "turn_end"],
        ...["compaction_start", "compaction_end", ".thread_continued", ".thread_created", ".thread_started"],
        ...["turn_start", "message_start:assistant", "message_end:assistant", "turn_end"],
        ...[".thread_completed", ...settled],
      ],
    ],
  ])("%s", (_, events, expected) => {
    expect(names(told(...events))).toEqual(expected);
  });
});

test("an answer has its text, its calls, its model, its tokens and its cost", () => {
  const [end] = told(created, started, step(1), answer(1, [text("a"), call])).filter(
    ({ type }) => type === "message_end",
  );
  expect(end).toMatchObject({
    message: {
      ...{ role: "assistant", provider: "scripted", model: "x", stopReason: "toolUse" },
      content: [
        { type: "text", text: "a" },
        { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
      ],
      usage: { input: 10, output: 5, cacheRead: 2, cacheWrite: 1, totalTokens: 18, cost: { total: 0.002 } },
    },
  });
});

test("a delta brings what was heard so far; one that comes late says nothing", () => {
  const events = told(
    created,
    started,
    step(1),
    delta("hel"),
    delta("lo"),
    answer(1, [text("hello")]),
    delta("lo"),
  );
  const updates = events.flatMap((event) => (event.type === "message_update" ? [event] : []));
  expect(updates.map(({ assistantMessageEvent }) => assistantMessageEvent.delta)).toEqual(["hel", "lo"]);
  expect(updates.at(-1)?.message.content).toEqual([{ type: "text", text: "hello" }]);
});

test("a failed answer says why, and a run holds all that was said in it", () => {
  const events = told(created, prompt, started, step(1), failed(), waiting(1));
  const end = events.find(({ type }) => type === "agent_end");
  expect(end).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant", stopReason: "error", errorMessage: "503 busy" }],
    willRetry: true,
  });
});

test.each([
  ["person", "manual", false],
  ["pressure", "threshold", false],
  ["hook", "threshold", false],
  ["overflow", "overflow", true],
])("a compaction for %s is told as %s", (why, reason, willRetry) => {
  const begins = { type: "context_compaction_start", why, tokens: 9, window: 10 };
  const ends = {
    type: "context_compaction_end",
    tokens_before: 9,
    tokens_after: 3,
    summary: "s",
    prune_before_turn: 4,
  };
  expect(told(begins, ends)).toEqual([
    { type: "compaction_start", reason },
    {
      ...{ type: "compaction_end", reason, aborted: false, willRetry },
      result: { summary: "s", firstKeptEntryId: "t-1:4", tokensBefore: 9, details: { tokensAfter: 3 } },
    },
  ]);
  expect(told(begins, { ...ends, failed: "no money" }).at(-1)).toMatchObject({
    ...{ result: null, errorMessage: "no money", willRetry: false },
  });
});

test("told twice, it is the same story", () => {
  const events = [created, prompt, started, step(1), answer(1, [text("a")]), finish(1), completed];
  expect(told(...events)).toEqual(told(...events));
});
