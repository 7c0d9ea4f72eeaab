import { describe, expect, test } from "vitest";
import { ahead, nextAction } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { toArray } from "./log.ts";
import { NOTHING_UNDER_WAY, type Request, requestRefusal } from "./request.ts";
import { newRow, reduceRow, type ThreadRow, timerChange } from "./row.ts";
import { answerToStop, stopHits } from "./stop.ts";
import { newThread, type Thread } from "./thread.ts";

const TS = "2026-01-01T00:00:00.000Z";
const LASTING: Partial<Thread> = { status: "running", lasting: true, wantsMore: false };
const thread = (more: Partial<Thread> = {}): Thread => ({ ...newThread("t"), ...LASTING, ...more });
const folded = (events: readonly NewEvent[], from: Thread): Thread =>
  events.reduce((fold, event) => ahead(fold, event, TS), from);
const taken = (id: string): NewEvent => ({ type: "cognition_in", source: "me", text: id, request_id: id });
const kept = (id: string): NewEvent => ({
  ...{ type: "message_received", request_id: id, by: "me", text: id, after: "end" },
});
const stop = (more: { for?: string; reason?: string } = {}) =>
  ({ kind: "stop", request_id: "s", thread_id: "t", by: "me", ...more }) as Request & { kind: "stop" };
const hold = { id: "t/1/1", amount: 5, input_tokens: 1, output_tokens: 1 };
const types = (events: readonly NewEvent[]) => events.map(({ type }) => type);

describe("what a stop hits", () => {
  const atWork = folded([taken("a"), kept("b")], thread());
  test.each([
    ["what is under way", atWork, {}, "work"],
    ["the message that is meant", atWork, { for: "a" }, "work"],
    ["no other than that", atWork, { for: "b" }, "nothing"],
    ["one that is suspended", thread({ status: "suspended" }), {}, "work"],
    ["one that nobody asked anything by name", thread({ wantsMore: true }), { for: "a" }, "work"],
    ["the one that is about to begin", folded([kept("b")], thread()), {}, "queued"],
    ["not that one when another was meant", folded([kept("b")], thread()), { for: "a" }, "nothing"],
    ["nothing at rest", thread({ waitsFor: { kind: "message", what: "" } }), {}, "nothing"],
    ["nothing twice", { ...atWork, halting: { by: "me" } }, {}, "nothing"],
    ["nothing of one that does not last", { ...atWork, lasting: false }, {}, "nothing"],
    ["nothing of one that was not started", thread({ status: "created" }), {}, "nothing"],
  ] as const)("%s", (_, at, asked, hits) => {
    expect(stopHits(at, asked)).toBe(hits);
  });
});

describe("what it leaves behind", () => {
  const begun = folded([taken("a"), { type: "step_start", turn: 1, hold }], thread());
  const waiting: NewEvent = {
    ...{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 9, errorMessage: "", wakeAt: TS },
  };
  const call = { type: "call", call_id: "c", tool: "send", input: {} } as const;
  const answer: NewEvent = {
    ...{ type: "cognition_out", turn: 1, attempt: 1, content: [call], stop: "tools", truncated: false },
    usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 },
  };
  const wait: NewEvent = {
    ...{ type: "wait_started", call_id: null, thread_ids: [], require: 0, fail_fast: false },
    ...{ cancel_siblings_on_failure: false, include_suspended: false },
  };
  test.each([
    ["a request that was never sent", begun, ["error_classified", "step_finish"]],
    [
      "a wait for another try",
      folded([waiting], begun),
      ["auto_retry_end", "error_classified", "step_finish"],
    ],
    ["a call", folded([answer], begun), ["tool_call_result", "step_finish"]],
    ["a wait at its end", folded([taken("a"), wait], thread()), ["wait_finished"]],
    [
      "a conversation that is made shorter",
      folded(
        [taken("a"), { type: "context_compaction_start", why: "pressure", tokens: 1, window: 2 }],
        thread(),
      ),
      ["context_compaction_end"],
    ],
  ])("%s is closed, and nothing is open when it waits for the next message", (_, from, closed) => {
    const events = answerToStop(from, stop({ reason: "enough" }));
    expect(types(events)).toEqual(["stop_requested", ...closed]);
    const after = folded(events, from);
    expect(after).toMatchObject({ step: undefined, wait: undefined, compaction: undefined });
    expect(nextAction(after, { now: 0 })).toEqual({ type: "halt" });
    const over = folded([{ type: "message_stopped", for: "a", by: "me", reason: "enough" }], after);
    expect(over).toMatchObject({ answering: undefined, halting: undefined, waitsFor: { kind: "message" } });
    expect(nextAction(over, { now: 0 })).toEqual({ type: "rest" });
    expect(toArray(over.messages).at(-1)).toMatchObject({ text: expect.stringContaining("enough") });
  });

  test("money that was held for a request that was never sent is free, and its name is not used again", () => {
    const events = answerToStop(begun, stop());
    expect(events).toContainEqual(expect.objectContaining({ bill: { hold: "t/1/1", amount: 0 } }));
    const next = folded([...events, { type: "step_start", turn: 1, hold }], begun);
    expect(next.step).toMatchObject({ holds: 2, attempt: 1 });
  });

  test("what hooks said before the turn was about this message: the next one is judged anew", () => {
    const from = { ...begun, judged: ["after_step:1", "before_step:2", "limit:turns:3"] };
    expect(folded(answerToStop(from, stop()), from).judged).toEqual(["after_step:1"]);
  });

  test("a message that had not begun is gone, and the others wait as before", () => {
    const from = folded([kept("a"), kept("b")], thread());
    const after = folded(answerToStop(from, stop()), from);
    expect(after.followUps.map(({ request_id }) => request_id)).toEqual(["b"]);
    expect(nextAction(after, { now: 0 })).toMatchObject({ type: "follow_up", said: { request_id: "b" } });
  });

  test("nothing is begun, and nobody is asked, before those below have ended", () => {
    const child = { id: "k", directive: "k", status: "running" as const, suspensions: 0, told: 0 };
    const from = { ...begun, children: { k: child } };
    const after = folded(answerToStop(from, stop()), from);
    expect(nextAction(after, { now: 0 })).toEqual({ type: "join" });
    const joined = folded([{ ...wait, thread_ids: ["k"] } as NewEvent], after);
    expect(nextAction({ ...joined, wantsMore: true }, { now: 0 })).toEqual({ type: "rest" });
  });
});

describe("the registry's line", () => {
  const row = (more: Partial<ThreadRow> = {}) =>
    ({ ...newRow("t"), status: "running", address: "a:b", owner: null, corrupt: null, ...more }) as ThreadRow;
  const event = (hits: string) => ({ type: "stop_requested", hits, ts: TS, seq: 1 }) as never;

  test("of one that was suspended is that of one that goes on, without what it waited for", () => {
    const suspended = row({ status: "suspended", suspend_reason: "limit", error: "x" });
    const clear = { status: "running", suspend_reason: null, waits_for: null, error: null };
    expect(reduceRow(suspended, event("work"))).toMatchObject(clear);
    expect(reduceRow(suspended, event("nothing"))).toMatchObject({ status: "suspended" });
    expect(timerChange(event("work"))).toEqual({ due: null });
    expect(timerChange(event("queued"))).toBeUndefined();
  });

  test.each([
    ["at rest", row({ waits_for: { kind: "message", what: "" } }), [], NOTHING_UNDER_WAY],
    ["with a message on its way", row({ waits_for: { kind: "message", what: "" } }), ["message"], undefined],
    ["at work", row(), [], undefined],
    ["suspended", row({ status: "suspended" }), [], undefined],
    ["about to end", row({ nonce: "n" }), ["cancel"], "it is being stopped"],
    ["ended", row({ status: "completed" }), [], "it is completed"],
    ["damaged", row({ corrupt: { last_good: 1, why: "" } }), [], "its journal is damaged"],
    ["of nobody's", row({ address: null }), [], "nobody writes to it, so that it would end: cancel it"],
  ] as const)("one %s", (_, at, open, why) => {
    const asked = open.map((kind) => ({ kind, nonce: "n" }) as unknown as Request);
    expect(requestRefusal(at, { kind: "stop" }, asked)).toBe(why);
  });
});

describe("other words for a message that waits", () => {
  const words = (replaces: string): NewEvent => ({
    ...(kept("e") as NewEvent<"message_received">),
    replaces,
  });
  test("stand in its place, under its name", () => {
    const { followUps } = folded([kept("a"), kept("b"), words("a")], thread());
    expect(followUps).toEqual([
      { request_id: "a", by: "me", text: "e" },
      { request_id: "b", by: "me", text: "b" },
    ]);
  });

  test("change nothing once it has begun", () => {
    const before = folded([kept("a"), kept("b"), taken("a")], thread());
    expect(folded([words("a")], before).followUps).toEqual(before.followUps);
    expect(toArray(folded([words("a")], before).messages)).toEqual(toArray(before.messages));
  });
});
