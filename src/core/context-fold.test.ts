import { describe, expect, test } from "vitest";
import { CARRIED, CONVERSATION } from "./carried.ts";
import { handOff } from "./chain.ts";
import { carriedFrom, logOf, wholeConversation } from "./context-fold.ts";
import type { Event, NewEvent } from "./event.ts";
import { toArray } from "./log.ts";
import { newRow, type RowFold, reduceRow } from "./row.ts";
import { newThread, reduce, type Thread } from "./thread.ts";

const ID = "work-1767225600-aaaaaa";
const TS = "2026-01-01T00:00:00.000Z";
const created: NewEvent<"thread_created"> = {
  ...{ type: "thread_created", directive: "work", inputs: {}, model: "m", system: "s", tools: ["t"] },
  ...{ limits: { spend: "1.00" }, chain_root_id: ID, root_id: ID, parent_id: null, run: 1, nonce: "n" },
};
const usage = (input: number) => ({ input, cache_read: 1, cache_write: 2, output: 5 });
/** One turn with one call, billed. */
const turn = (at: number, input: number): NewEvent[] => [
  { type: "step_start", turn: at, hold: { id: `${ID}/${at}/1`, amount: 90, model: "m" } as never },
  {
    ...{
      type: "cognition_out",
      turn: at,
      attempt: 1,
      stop: "tool_use",
      truncated: false,
      usage: usage(input),
    },
    content: [{ type: "call", call_id: `c${at}`, tool: "t", input: {} }],
    bill: { hold: `${ID}/${at}/1`, amount: 7 },
  },
  {
    ...{
      type: "tool_call_result",
      turn: at,
      call_id: `c${at}`,
      tool: "t",
      status: "ok",
      output: "o".repeat(999),
    },
    ...{ source: "run", duration_ms: 1 },
  },
  { type: "step_finish", turn: at, duration_ms: 40 },
];
const child = (id: string): NewEvent => ({
  ...{ type: "child_thread_started", call_id: "c1", child_id: id, directive: "x", start: true },
});
const childDone = (child_id: string, spent: number): NewEvent => ({
  ...{ type: "child_thread_completed", child_id, directive: "x", text: "t" },
  cost: { turns: 1, tokens: 2, spent },
});

function folded(events: readonly NewEvent[], id = ID, from: { thread?: Thread; row?: RowFold } = {}) {
  let { thread = newThread(id), row = newRow(id) } = from;
  for (const each of events) {
    const event = { v: 1, seq: thread.seq + 1, ts: TS, thread_id: id, ...each } as Event;
    [thread, row] = [reduce(thread, event), reduceRow(row, event)];
  }
  return { thread, row };
}

const begun: NewEvent[] = [
  created,
  { type: "cognition_in", source: "d", text: "Go." },
  { type: "thread_started", run: 1 },
];
const worked = [...begun, ...turn(1, 100), child("k1"), child("k2"), childDone("k1", 30), ...turn(2, 900)];

test("the length of a conversation is kept as it grows", () => {
  const { thread } = folded(worked);
  expect(logOf(toArray(thread.messages)).chars).toBe(thread.chars);
});

describe("everything of the chain is taken over", () => {
  const { thread, row } = folded(worked);
  const sha256 = () => "ab".repeat(32);
  const made = {
    conversation: toArray(thread.messages),
    summaryTokens: 1,
    trailing: 2,
    system: "now",
    sha256,
  };
  const { birth, continued } = handOff(thread, { ...made, why: "context" });
  const after = folded(birth.events, birth.threadId);

  test("in a shape that is declared", () => {
    const carried = carriedFrom(thread, "context");
    expect(CARRIED.parse(carried)).toEqual(carried);
    expect(CONVERSATION.parse(made.conversation)).toEqual(made.conversation);
  });

  test("by the fold: turns, tokens, money, time, children, and whose run it is", () => {
    const same = [
      "turns",
      "usage",
      "spent",
      "activeMs",
      "recoveries",
      "spawns",
      "children",
      "processes",
      "unbilled",
      "earlier",
      "run",
      "nonce",
      "chainRootId",
      "rootId",
      "parentId",
      "limits",
      "model",
      "rights",
      "chars",
    ] as const;
    for (const key of same) expect([key, after.thread[key]]).toEqual([key, thread[key]]);
    expect(after.thread).toMatchObject({ status: "created", continuationOf: ID, system: "now", spent: 14 });
    // What was counted was another conversation.
    expect(after.thread.measure).toBeUndefined();
    expect(after.thread.base).toBeUndefined();
  });

  test("by the registry's line, which says the same as the fold", () => {
    const same = [
      "turns",
      "input_tokens",
      "output_tokens",
      "active_ms",
      "spent",
      "living",
      "below",
      "recoveries",
      "chain_root_id",
      "limits",
    ] as const;
    for (const key of same) expect([key, after.row[key]]).toEqual([key, row[key]]);
    expect(after.row).toMatchObject({ continuation_of: ID, living: 1, below: 30, status: "created" });
  });

  test("and the one before is over, with its link", () => {
    const ended = folded([continued], ID, { thread, row });
    expect(ended.thread).toMatchObject({ status: "continued", continuedTo: birth.threadId });
    expect(ended.row).toMatchObject({ status: "continued", continuation_thread_id: birth.threadId });
  });

  test("what followed its last turn is not asked again", () => {
    expect(after.thread.judged).toEqual(["after_step:2"]);
    expect(folded(begun).thread.judged).toEqual([]);
  });

  test("after an overflow: the request that failed keeps its number, and is remembered", () => {
    const failed = folded(
      [{ type: "step_start", turn: 3, hold: { id: `${ID}/3/1`, amount: 9, model: "m" } as never }],
      ID,
      { thread, row },
    );
    const carried = carriedFrom(failed.thread, "overflow");
    expect(carried).toMatchObject({ earlier: { attempts: 0, holds: 1 }, overflowed: true });
    expect(carriedFrom(thread, "context").overflowed).toBeUndefined();
  });

  test("for a person, what was counted holds: it is all there", () => {
    expect(carriedFrom(thread, "user").measure).toEqual(thread.measure);
    expect(carriedFrom(thread, "context").measure).toBeUndefined();
  });
});

describe("made shorter where it stands", () => {
  const start: NewEvent = { type: "context_compaction_start", why: "hook", tokens: 900, window: 1_000 };
  const end = (more: Partial<NewEvent<"context_compaction_end">>): NewEvent => ({
    ...{ type: "context_compaction_end", tokens_before: 900, tokens_after: 300, ...more },
  });

  test("it is under way until it is told how it ended; then the conversation is another", () => {
    const under = folded([...worked, start]);
    expect(under.thread.compaction).toEqual({ why: "hook", tokens: 900 });
    const { thread } = folded([end({ summary: "notes", prune_before_turn: 2 })], ID, under);
    expect(thread).toMatchObject({
      compaction: undefined,
      compacted: { turn: 2, tokens: 300 },
      contextTokens: 0,
    });
    expect(toArray(thread.messages).map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool"]);
    expect(thread.chars).toBe(logOf(toArray(thread.messages)).chars);
  });

  test("one that failed keeps it as it was", () => {
    const { thread: before } = folded(worked);
    const { thread } = folded([...worked, start, end({ summary: "x", prune_before_turn: 2, failed: "no" })]);
    expect(thread.messages).toEqual(before.messages);
    expect(thread.compaction).toBeUndefined();
  });

  test("a thread that makes notes is waited for; any other child is not its business", () => {
    const notes = { ...child("k9"), call_id: null, for: "summary" } as NewEvent;
    const { thread, row } = folded([...worked, start, child("k8"), notes]);
    expect(thread.compaction?.childId).toBe("k9");
    expect([thread.waitsFor, row.waits_for]).toEqual([expect.anything(), thread.waitsFor]);
    expect(thread.spawns).toBe(3);
    const over = folded([end({ failed: "no" })], ID, { thread, row });
    expect([over.thread.waitsFor, over.row.waits_for]).toEqual([undefined, null]);
  });

  test("hooks were told, and the least that was in use since is known", () => {
    const told: NewEvent = {
      ...{ type: "hook_matched", hook: "h", where: "w", event: "context_window_pressure", point: "p" },
      ...{ action: "continue", duration_ms: 1 },
    };
    const { thread } = folded([...worked, told]);
    expect(thread.pressed).toEqual({ turn: 2, lowest: 908 });
    expect(folded([...worked, told, ...turn(3, 100)]).thread.pressed).toEqual({ turn: 2, lowest: 108 });
    expect(folded([...worked, { ...told, event: "limit" } as NewEvent]).thread.pressed).toBeUndefined();
  });
});

test("an answer that was being dealt with is part of what was said", () => {
  const [step, answer, result] = turn(3, 50) as [NewEvent, NewEvent, NewEvent, NewEvent];
  const { thread } = folded([...worked, step, answer, result]);
  expect(wholeConversation(thread)).toHaveLength(thread.messages.length + 2);
  expect(wholeConversation(folded(worked).thread)).toHaveLength(5);
});

describe("of a result counts what a request shows of it", () => {
  const [{ hold: _hold, ...step }, answer, result, finish] = turn(1, 100) as [
    NewEvent<"step_start">,
    NewEvent,
    NewEvent<"tool_call_result">,
    NewEvent,
  ];
  const long = { ...result, output: "o".repeat(50_000) };
  const asks = (at: number, shown?: number): NewEvent => ({
    ...{ ...step, turn: at },
    ...(shown === undefined ? {} : { result_chars: shown }),
  });
  const told = (...events: NewEvent[]) => folded([...begun, ...events]).thread;
  /** Everything but the result. */
  const rest = told(asks(1), answer, result, finish).chars - 999;

  test.each([
    [undefined, 30_000],
    [40_000, 40_000],
    [90_000, 50_000],
    [500, 500],
  ])("%s: %i of 50,000", (shown, counted) => {
    expect(told(asks(1, shown), answer, long, finish).chars - rest).toBe(counted);
  });

  test("also of what was said before, and in the thread that goes on", () => {
    const thread = told(asks(1), answer, long, finish, asks(2, 40_000));
    expect(thread.chars - rest).toBe(40_000);
    expect(told(asks(1, 40_000), answer, long, finish, asks(2)).chars - rest).toBe(30_000);
    const carried = CARRIED.parse(carriedFrom(thread, "user"));
    expect(carried.shown_chars).toBe(40_000);
    expect(carriedFrom(told(asks(1)), "user")).not.toHaveProperty("shown_chars");
    const conversation = toArray(thread.messages) as never;
    const next = folded([{ ...created, continuation_of: ID, carried, conversation }]).thread;
    expect(next).toMatchObject({ shownChars: 40_000, chars: thread.chars });
  });

  test("of what is left when it was made shorter", () => {
    const start: NewEvent = { type: "context_compaction_start", why: "person", tokens: 9, window: 10 };
    const end: NewEvent = { type: "context_compaction_end", tokens_before: 9, tokens_after: 8 };
    const thread = told(asks(1, 40_000), answer, long, finish, start, end);
    expect(thread.chars - rest).toBe(40_000);
  });
});
