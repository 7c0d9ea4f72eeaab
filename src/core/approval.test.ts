import { describe, expect, test } from "vitest";
import { type ApprovalRow, approvalDigest, decisionOf, reminders } from "./approval.ts";
import type { Event, NewEvent } from "./event.ts";
import { type AskingNeeds, type Question, suspend } from "./question.ts";
import { approvalChange } from "./row.ts";

const NOW = Date.UTC(2026, 0, 1);
const asker = { id: "work-1-aaaaaa", run: 1 };
const needs: AskingNeeds = {
  ...{ now: NOW, newApprovalId: () => "ap_1", sha256: (text: string) => text.padEnd(32, "0") },
  ...{ timeoutSeconds: 3_600, onTimeout: "remind" },
};
const limit = { limit_code: "turns_exceeded", current: 25, current_max: 25, proposed_max: 50 };
const about: Question = {
  reason: "limit",
  message: "Turn limit reached.",
  prompt: "More?",
  what: "more turns",
  limit,
};
const call = { call_id: "c1", tool: "bash", input: { command: "ls" } };
const at = (ms: number) => new Date(NOW + ms).toISOString();
const event = (body: NewEvent) => ({ v: 1, seq: 1, ts: at(0), thread_id: asker.id, ...body }) as Event;

describe("the digest", () => {
  const shown = suspend(asker, { ...about, call }, needs)[1];
  const digest = (more: object = {}, who = asker) => approvalDigest(who, { ...shown, ...more }, longHash);

  test("is the same for the same, whatever the order of fields", () => {
    const turned = { ...shown, call: { input: { command: "ls" }, tool: "bash", call_id: "c1" } };
    expect(digest(turned)).toBe(digest());
  });

  test.each<[string, object, typeof asker?]>([
    ["the words", { prompt: "More!" }],
    ["the reason", { reason: "approval" }],
    ["what is proposed", { proposed_max: 51 }],
    ["a number for a text", { proposed_max: "50" }],
    ["where the limit stands", { current_max: 26 }],
    ["the arguments of the call", { call: { ...call, input: { command: "ls -a" } } }],
    ["the tool", { call: { ...call, tool: "sh" } }],
    ["no call", { call: undefined }],
    ["what a no does", { on_deny: "cancel" }],
    ["the thread", {}, { ...asker, id: "work-1-bbbbbb" }],
    ["the run", {}, { ...asker, run: 2 }],
  ])("binds %s", (_, more, who) => {
    expect(digest(more, who)).not.toBe(digest());
  });
});

describe("what becomes of a question", () => {
  test.each<[NewEvent, unknown]>([
    [{ type: "thread_resumed", by: "p", run: 2, nonce: "n" }, { type: "void" }],
    [{ type: "thread_completed", text: "" }, { type: "void" }],
    [{ type: "thread_failed", code: "E", message: "m" }, { type: "void" }],
    [{ type: "thread_cancelled", reason: "r", by: "p", report: [] }, { type: "void" }],
    [{ type: "message_received", request_id: "m", by: "p", text: "" }, undefined],
    [suspend(asker, about, needs)[0], undefined],
    [
      { type: "approval_decided", approval_id: "ap_1", approved: false, by: "p", via: "cli", message: "no" },
      {
        type: "decided",
        decision: { approval_id: "ap_1", approved: false, by: "p", via: "cli", at: at(0), message: "no" },
      },
    ],
  ])("by %j", (body, expected) => {
    expect(approvalChange(event(body))).toEqual(expected);
  });

  test("it is kept as it was asked, with its time and nothing of the envelope", () => {
    const [, asked] = suspend(asker, about, needs);
    const { type: _, ...approval } = asked;
    expect(approvalChange(event(asked))).toEqual({ type: "open", approval, asked_at: at(0) });
  });
});

test("an answer is a decision of the moment in which it is stored", () => {
  const posted = {
    ...{ kind: "decide" as const, request_id: "d1", thread_id: asker.id, by: "p", via: "cli", resume: true },
    ...{ approval_id: "ap_1", approved: true, limits: { turns: 40 } },
  };
  expect(decisionOf(posted, NOW + 5)).toEqual({
    ...{ approval_id: "ap_1", approved: true, by: "p", via: "cli", at: at(5), limits: { turns: 40 } },
    message: undefined,
  });
});

test.each([
  [0, 0],
  [3_599_999, 0],
  [3_600_000, 1],
  [10_800_001, 3],
  [-5, 0],
])("after %i ms it has been due for a reminder %i times", (waitedMs, times) => {
  const [, approval] = suspend(asker, about, needs);
  const row: ApprovalRow = {
    ...{ approval, thread_id: asker.id, chain_root_id: asker.id, asked_at: at(0), state: "open" },
  };
  expect(reminders(row, NOW + waitedMs)).toBe(times);
});

/** Long enough that no two of the texts above begin alike. */
function longHash(text: string): string {
  let value = 7n;
  for (const character of text)
    value = (value * 1_000_003n + BigInt(character.charCodeAt(0))) % (2n ** 127n - 1n);
  return value.toString(16).padStart(32, "0");
}
