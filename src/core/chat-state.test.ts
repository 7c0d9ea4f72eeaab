import { describe, expect, test } from "vitest";
import { COMMAND_ANSWERS } from "./chat-answers.ts";
import type { ChatEvent } from "./chat-events.ts";
import { type ChatState, foldChat, knownMessage, NEW_CHAT } from "./chat-state.ts";
import { mayBeRetried } from "./chat-trouble.ts";
import { BY_FOLLOW_UP } from "./past-failure.ts";

type Fields = Readonly<Record<string, unknown>> & { readonly type: ChatEvent["type"] };
const AT = Date.parse("2026-01-01T00:00:00.000Z");
const THREAD = "chat-1-aaaaaa";
const CENT = 10_000_000;

/** Each event a second after the one before. */
function fold(events: readonly Fields[], from = NEW_CHAT): ChatState {
  return events.reduce<ChatState>((state, fields, index) => {
    const ts = new Date(AT + index * 1_000).toISOString();
    const event = { v: 1, seq: index + 1, ts, thread_id: THREAD, ...fields };
    return foldChat(state, event as unknown as ChatEvent);
  }, from);
}

const created: Fields = { type: "thread_created", limits: { spend: "0.25" }, directive: "chat" };
const said = (id: string, more: object = {}): Fields => ({
  type: "message_received",
  request_id: id,
  by: "slack:U1",
  text: `text ${id}`,
  ...more,
});
const queued = (id: string) => said(id, { after: "end" });
const taken = (id: string): Fields => ({
  type: "cognition_in",
  source: "slack:U1",
  text: `text ${id}`,
  request_id: id,
});
const answered = (text: string, more: object = {}): Fields => ({ type: "message_answered", text, ...more });
const noted = (key: string, what: string, state: string, more: object = {}): Fields => ({
  type: "delivery_noted",
  for: key,
  what,
  state,
  ...more,
});
const suspended = (reason: string, more: object = {}): Fields => ({
  type: "thread_suspended",
  reason,
  message: "it stopped",
  waits_for: { kind: "person", ...more },
});
const failedRequest = (category: string, status?: number): Fields => ({
  type: "error_classified",
  turn: 1,
  attempt: 1,
  category,
  status,
});

const keys = ({ works }: ChatState) => works.map(({ key }) => key);
const outcomes = ({ works }: ChatState) => works.map(({ outcome }) => outcome?.kind);

describe("prompts", () => {
  test("the first is begun, the next waits and is taken up in its turn", () => {
    const state = fold([created, said("a"), queued("b"), queued("c"), answered("A"), taken("b")]);
    expect(keys(state)).toEqual(["a", "b", "c"]);
    expect(outcomes(state)).toEqual(["answer", undefined, undefined]);
    expect(state.current).toBe("b");
    expect(state.works.map(({ startedAt }) => startedAt !== undefined)).toEqual([true, true, false]);
  });

  test("said twice, they are one", () => {
    expect(keys(fold([created, said("a"), said("a"), queued("b"), queued("b")]))).toEqual(["a", "b"]);
  });

  test("what is taken up without an answer to the one before ends that one in silence", () => {
    expect(
      outcomes(
        fold([
          created,
          said("a"),
          noted("a", "progress", "posted", { message_id: "m" }),
          queued("b"),
          taken("b"),
        ]),
      ),
    ).toEqual(["none", undefined]);
  });

  test("an answer belongs to whom it names, else to the one under way", () => {
    const state = fold([created, said("a"), said("s"), answered("A", { for: "s" })]);
    expect(state.works[0]?.outcome).toMatchObject({ kind: "answer", text: "A" });
    expect(state.current).toBeUndefined();
  });

  test("a thread that is done at the end has answered", () => {
    expect(outcomes(fold([created, said("a"), { type: "thread_completed", text: "A" }]))).toEqual(["answer"]);
    expect(
      outcomes(fold([created, said("a"), answered("A"), { type: "thread_completed", text: "A" }])),
    ).toEqual(["answer"]);
  });

  test("what is delivered is forgotten", () => {
    const state = fold([
      created,
      said("a"),
      answered("A"),
      noted("a", "answer", "intended"),
      noted("a", "answer", "posted", { message_id: "m" }),
    ]);
    expect(state.works).toEqual([]);
  });

  test("a long answer waits for the last text of its progress message", () => {
    const before = [
      created,
      said("a"),
      noted("a", "progress", "posted", { message_id: "m1" }),
      answered("A"),
      noted("a", "answer", "posted", { message_id: "m2" }),
    ];
    expect(keys(fold(before))).toEqual(["a"]);
    expect(keys(fold([...before, noted("end:a", "notice", "posted")]))).toEqual([]);
  });

  test("a chain goes on in another thread, and threads below do not count", () => {
    const next = { thread_id: "chat-2-bbbbbb" };
    const child = { thread_id: "work-3-cccccc" };
    const state = fold([
      created,
      said("a"),
      {
        type: "thread_continued",
        to: next.thread_id,
        why: "context",
        summary_tokens: 0,
        trailing_messages: 0,
      },
      { ...created, ...next, continuation_of: THREAD, carried: { spent: 3 * CENT, children: {} } },
      { ...created, ...child, limits: {} },
      { type: "thread_failed", code: "E", message: "m", ...child },
      answered("A", next),
    ]);
    expect(state.threads).toEqual([THREAD, next.thread_id]);
    expect(outcomes(state)).toEqual(["answer"]);
    expect(state.run.spent).toBe(3 * CENT);
  });
});

describe("failures", () => {
  const begun = [created, said("a")];
  test.each([
    [
      "a provider that cannot be reached",
      [failedRequest("transient", 503), failedRequest("transient", 529), suspended("error")],
      { class: "provider", tries: 2, overMs: 1_000, status: 529 },
    ],
    [
      "a quota that comes back",
      [failedRequest("quota", 429), suspended("quota", { follows: "resume", until: "2026-01-01T12:00:00Z" })],
      { class: "provider", tries: 1, resumesAt: "2026-01-01T12:00:00Z" },
    ],
    [
      "a request that is refused",
      [failedRequest("permanent", 400), { type: "thread_failed", code: "E_MODEL_FAILED", message: "no" }],
      { class: "unknown", sentence: "no", reference: "aaaaaa-4" },
    ],
    [
      "a command without end",
      [
        {
          type: "tool_call_result",
          call_id: "c",
          tool: "run_tests",
          status: "error",
          output: "timed out after 120 s",
        },
        { type: "thread_failed", code: "E_HOOK", message: "m" },
      ],
      { class: "tool_timeout", tool: "run_tests", seconds: 120 },
    ],
    ["a damaged journal", [suspended("corrupt")], { class: "history", threadId: THREAD, startsFresh: false }],
    ["a full disk", [suspended("storage")], { class: "unknown", sentence: "it stopped", waits: true }],
    [
      "trouble that was over",
      [failedRequest("transient"), { type: "cognition_out", turn: 1 }, suspended("crash_loop")],
      { class: "unknown" },
    ],
  ])("%s", (_, events, error) => {
    const { outcome } = fold([...begun, ...events] as Fields[]).works[0] ?? {};
    expect(outcome).toMatchObject({ kind: "error", error });
  });

  test("who stopped over an error reads what is said next, and need not be told to", () => {
    const { outcome } = fold([...begun, suspended("error")]).works[0] ?? {};
    expect(outcome).not.toHaveProperty("error.waits");
  });

  test.each(["limit", "budget", "approval"] as const)("%s is a question, no failure", (reason) => {
    const state = fold([...begun, suspended(reason)]);
    expect(outcomes(state)).toEqual([undefined]);
    expect(state.current).toBe("a");
    expect(mayBeRetried(reason)).toBe(false);
  });

  test.each(["error", "quota", "storage", "crash_loop"] as const)("/retry is for %s", (reason) => {
    expect(outcomes(fold([...begun, suspended(reason)]))).toEqual(["error"]);
    expect(mayBeRetried(reason)).toBe(true);
  });

  test("a damaged journal, or nothing at all, is not tried again", () => {
    expect([mayBeRetried("corrupt"), mayBeRetried(null)]).toEqual([false, false]);
  });

  test("what failed and goes on is another go; what is said instead comes before it", () => {
    const resumed: Fields = { type: "thread_resumed", by: "x", run: 2, nonce: "n" };
    expect(keys(fold([...begun, suspended("error"), resumed]))).toEqual(["a", "a#2"]);
    expect(keys(fold([...begun, suspended("error"), resumed, suspended("error"), resumed]))).toEqual([
      "a",
      "a#2",
      "a#3",
    ]);
    expect(keys(fold([...begun, suspended("error"), said("b"), resumed]))).toEqual(["a", "b"]);
  });

  test("what failed is told of, and what waited behind it comes next: that is no other go", () => {
    const goesOn: Fields = { type: "thread_resumed", by: BY_FOLLOW_UP, run: 1, nonce: "n" };
    const before = fold([...begun, queued("b"), queued("c"), suspended("error"), goesOn]);
    expect(keys(before)).toEqual(["a", "b", "c"]);
    expect(before).toMatchObject({ current: undefined, run: { status: "running" } });
    const state = fold([taken("b")], before);
    expect(outcomes(state)).toEqual(["error", undefined, undefined]);
    expect(state).toMatchObject({ current: "b", failed: undefined, run: { answering: "b" } });
    expect(keys(fold([suspended("error"), goesOn, taken("c"), answered("C")], state))).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test("an answer that is given up is kept for who asks, until another gets through", () => {
    const lost = fold([...begun, answered("A"), noted("a", "answer", "given_up")]);
    expect(lost.undelivered?.text).toBe("A");
    const later = fold([said("b"), answered("B"), noted("b", "answer", "posted", { message_id: "m" })], lost);
    expect(later.undelivered).toBeUndefined();
  });
});

describe("the run", () => {
  const child = (id: string): Fields => ({
    type: "child_thread_started",
    call_id: "c",
    child_id: id,
    directive: "part",
    start: true,
  });
  const done = (id: string): Fields => ({
    type: "child_thread_completed",
    child_id: id,
    directive: "part",
    text: "",
    cost: { turns: 1, tokens: 1, spent: CENT },
  });

  test("money is that of the chain with everything below it", () => {
    const bill = { hold: "h", amount: 2 * CENT };
    const { run } = fold([
      created,
      { type: "cognition_out", turn: 1, bill },
      child("x"),
      done("x"),
      { type: "charge_corrected", hold: "h", amount: CENT, was: 2 * CENT },
      { type: "budget_changed", by: "b", limits: { spend: "1.00" } },
      { type: "budget_changed", by: "b", limits: { spend: "9.00" }, refused: "no" },
    ]);
    expect([run.spent, run.limit]).toEqual([2 * CENT, 100 * CENT]);
  });

  test("children of one turn are a wave; those of a hook are none", () => {
    const step = (turn: number): Fields => ({ type: "step_start", turn });
    const first = fold([
      created,
      step(1),
      child("x"),
      child("y"),
      { ...child("h"), call_id: null },
      done("x"),
    ]);
    expect(first.run.children.map(({ id, state }) => `${id} ${state}`)).toEqual(["x done", "y running"]);
    const second = fold([created, step(1), child("x"), done("x"), step(2), child("z")]);
    expect([second.run.wave, second.run.children.map(({ id }) => id)]).toEqual([2, ["z"]]);
  });

  test("a wait for another try is over with whatever happens", () => {
    const retry: Fields = {
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 1,
      errorMessage: "e",
      wakeAt: "2026-01-01T00:01:00Z",
    };
    expect(fold([created, retry]).run.retry).toMatchObject({ attempt: 1, max: 3 });
    expect(fold([created, retry, { type: "step_start", turn: 1 }]).run.retry).toBeUndefined();
    expect(
      fold([created, retry, { type: "auto_retry_end", success: false, attempt: 1 }]).run.retry,
    ).toBeUndefined();
  });

  test("calls are open until their result; progress says how far they are", () => {
    const start: Fields = { type: "tool_call_start", call_id: "c", tool: "bash" };
    const told: Fields = {
      type: "tool_call_progress",
      call_id: "c",
      tool: "bash",
      message: "",
      progress: 0.5,
    };
    expect(fold([created, start, told]).run.calls["c"]).toMatchObject({ tool: "bash", part: 0.5 });
    expect(
      fold([
        created,
        start,
        told,
        { type: "tool_call_result", call_id: "c", tool: "bash", status: "ok", output: "" },
      ]).run.calls,
    ).toEqual({});
  });
});

test("a message that is not answered yet is known, with whether it is begun", () => {
  const state = fold([created, said("a"), queued("b")]);
  expect(knownMessage(state, "a")).toMatchObject({ text: "text a", isStarted: true });
  expect(knownMessage(state, "b")).toMatchObject({ text: "text b", isStarted: false, version: "b" });
  expect(knownMessage(state, "c")).toBeUndefined();
  expect(knownMessage(fold([answered("A")], state), "a")).toBeUndefined();
});

test("answers to commands are one line each", () => {
  for (const text of Object.values(COMMAND_ANSWERS)) expect(text).toMatch(/^[^\n]{5,80}$/);
});
