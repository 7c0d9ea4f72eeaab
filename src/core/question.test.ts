import { expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { type AskingNeeds, type Question, suspend } from "./question.ts";
import { timerChange } from "./row.ts";

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

test("status, what is waited for and the question go together, by one id", () => {
  const [suspended, asked] = suspend(asker, about, needs);
  expect(suspended).toEqual({
    ...{ type: "thread_suspended", reason: "limit", message: "Turn limit reached." },
    waits_for: {
      ...{ kind: "person", what: "more turns", who: "anyone who may run selvage here" },
      ...{ how: "selvage approve ap_1", approval_id: "ap_1" },
    },
  });
  expect(asked).toEqual({
    ...{ type: "approval_requested", approval_id: "ap_1", reason: "limit", prompt: "More?", ...limit },
    ...{ on_deny: "cancel", timeout_seconds: 3_600, digest: expect.stringMatching(/^.{32}$/) },
  });
});

test("without a prompt the message is put as a question; a call that is refused ends no thread", () => {
  const [, asked] = suspend(asker, { reason: "approval", message: "May it?", what: "leave", call }, needs);
  expect(asked).toMatchObject({
    prompt: expect.stringMatching(/^May it\?\n\nApprove to let it go on\?/),
    call,
    on_deny: "refuse_call",
  });
});

test.each<[string, Partial<AskingNeeds>, Partial<Question>, object, string | null]>([
  ["a reminder keeps no time", {}, {}, {}, null],
  [
    "a time-out that denies",
    { onTimeout: "deny" },
    {},
    { until: at(3_600_000), follows: "deny" },
    at(3_600_000),
  ],
  ["it goes on by itself", {}, { resumesAt: at(5) }, { until: at(5), follows: "resume" }, at(5)],
  [
    "and then nobody denies",
    { onTimeout: "deny" },
    { resumesAt: at(5) },
    { until: at(5), follows: "resume" },
    at(5),
  ],
])("%s", (_, more, question, waits, due) => {
  const [suspended] = suspend(asker, { ...about, ...question }, { ...needs, ...more });
  const { until, follows } = suspended.waits_for as { until?: string; follows?: string };
  expect(JSON.parse(JSON.stringify({ until, follows }))).toEqual(waits);
  expect(timerChange(event(suspended))).toEqual({ due });
});
