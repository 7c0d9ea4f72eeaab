import { expect, test } from "vitest";
import type { Event, NewEvent } from "../../../core/event.ts";
import { Money } from "./money.ts";
import { Narration } from "./narration.ts";

const CENT = 10_000_000;
const usage = { input: 0, cache_read: 0, cache_write: 0, output: 0 };

const created = (id: string, parent: string | null, spend: string): NewEvent => ({
  type: "thread_created",
  directive: id,
  inputs: {},
  model: "scripted/x",
  system: "",
  tools: [],
  limits: { spend },
  chain_root_id: id,
  root_id: "root",
  parent_id: parent,
  run: 1,
  nonce: "n",
});
const asks = (turn: number, cents: number): NewEvent => ({
  type: "step_start",
  turn,
  hold: { id: `root/${turn}/1`, amount: cents * CENT, input_tokens: 0, output_tokens: 0 },
});
const answer = (turn: number, cents: number): NewEvent => ({
  ...{ type: "cognition_out", turn, attempt: 1, content: [], stop: "tool_use", truncated: false, usage },
  bill: { hold: `root/${turn}/1`, amount: cents * CENT },
});
const call = (turn: number, call_id: string, input: unknown): NewEvent => ({
  ...{ type: "tool_call_start", turn, call_id, at: 0, tool: "thread_tool", input },
  ...{ effect: "keyed", preceding: [] },
});
const starts = (call_id: string, child_id: string): NewEvent => ({
  type: "child_thread_started",
  ...{ call_id, child_id, directive: child_id, start: true },
});
const cost = (cents: number) => ({ turns: 1, tokens: 1, spent: cents * CENT });

function told(...list: [string, NewEvent][]) {
  const lines: string[] = [];
  const acts: [string, boolean][] = [];
  const voice = {
    tell: (text: string) => lines.push(text.replace(/ +/g, " ")),
    act: (name: string, ok: boolean) => acts.push([name, ok]),
    saidBy: () => "ready on port 1234",
  };
  const narration = new Narration(voice, new Money());
  list.forEach(([thread_id, event], index) => {
    narration.hear({ v: 1, seq: index + 1, ts: "t", thread_id, ...event } as Event);
  });
  return { lines, acts };
}

const WAVE: [string, NewEvent][] = [
  ["root", created("root", null, "3.00")],
  ["root", asks(1, 4)],
  ["root", call(1, "c1", { directive: "a" })],
  ["root", starts("c1", "a")],
  ["a", created("a", "root", "0.80")],
  ["root", call(1, "c2", { directive: "b" })],
  ["root", starts("c2", "b")],
  ["b", created("b", "root", "0.80")],
];

test("a wave is told once its turn is paid for, with what is free then; what came in between comes after it", () => {
  const retry: NewEvent = {
    ...{
      type: "auto_retry_start",
      attempt: 1,
      maxAttempts: 3,
      delayMs: 2_000,
      errorMessage: "x",
      wakeAt: "t",
    },
  };
  const before = told(...WAVE, ["b", retry]);
  expect(before.lines).toEqual(["● root budget $3.00"]);
  const { lines } = told(...WAVE, ["b", retry], ["root", answer(1, 2)]);
  expect(lines.slice(1)).toEqual([
    "● a wave 1 reserved $0.80",
    "● b wave 1 reserved $0.80 free $1.38",
    "↻ b Retrying (1/3) in 2s…",
  ]);
});

test.each<[NewEvent, string, boolean]>([
  [
    { type: "child_thread_completed", child_id: "b", directive: "b", text: "", cost: cost(30) },
    "✓ b $0.30 returned $0.50 to the parent",
    true,
  ],
  [
    {
      type: "child_thread_failed",
      child_id: "b",
      directive: "b",
      status: "error",
      error: "",
      text: "",
      cost: cost(0),
    },
    "✗ b $0.00 returned $0.80 to the parent",
    false,
  ],
  [
    {
      ...{
        type: "child_thread_failed",
        child_id: "b",
        directive: "b",
        status: "cancelled",
        error: "",
        text: "",
      },
      cost: cost(79),
    },
    "⊘ b $0.79 returned $0.01 to the parent",
    true,
  ],
])("an act is over with the last of its wave, and good unless one failed", (last, line, ok) => {
  const first: NewEvent = {
    ...{ type: "child_thread_completed", child_id: "a", directive: "a", text: "", cost: cost(80) },
  };
  const { lines, acts } = told(...WAVE, ["root", answer(1, 2)], ["root", first], ["root", last]);
  expect(lines.at(-1)).toBe(line);
  expect(acts).toEqual([["wave 1", ok]]);
});

test("a child that is waited for in the call that started it is no wave", () => {
  const { lines, acts } = told(
    ["root", created("root", null, "3.00")],
    ["root", call(1, "c1", { directive: "a", wait: true })],
    ["root", starts("c1", "a")],
    ["a", created("a", "root", "0.20")],
    ["root", { type: "child_thread_completed", child_id: "a", directive: "a", text: "", cost: cost(8) }],
  );
  expect(lines.at(-1)).toBe("✓ a $0.08 turn 1, in line");
  expect(acts).toEqual([["scaffold", true]]);
});
