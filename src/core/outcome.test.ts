import { describe, expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { outcomeRequest } from "./outcome.ts";

const row = {
  ...{ chain_root_id: "c-1-aaaaaa", parent_id: "p-1-aaaaaa", directive: "work" },
  ...{ turns: 2, input_tokens: 10, output_tokens: 5, spent: 30, below: 12 },
};
const at = (event: NewEvent, seq = 9) =>
  ({ v: 1, seq, ts: "2026-01-01T00:00:00.000Z", thread_id: "c-2-bbbbbb", ...event }) as Event;
const told = (event: NewEvent, more = {}) => outcomeRequest({ ...row, ...more }, at(event));
const cost = { turns: 2, tokens: 15, spent: 42 };
const child = { child_id: "c-1-aaaaaa", directive: "work" };
const person = { kind: "person" as const, what: "w", who: "p", how: "h" };
const suspended = (waits_for: NewEvent<"thread_suspended">["waits_for"]): NewEvent => ({
  ...{ type: "thread_suspended", reason: "budget", message: "no money", waits_for },
});
const until = "2026-01-02T00:00:00.000Z";

describe("what a parent is told", () => {
  test.each<[NewEvent, object]>([
    [
      { type: "thread_completed", text: "done", outputs: { n: 1 } },
      { type: "child_thread_completed", ...child, text: "done", outputs: { n: 1 }, cost },
    ],
    [
      { type: "thread_completed", text: "" },
      { type: "child_thread_completed", ...child, text: "", cost },
    ],
    [
      { type: "thread_failed", code: "E_X", message: "no", text: "half" },
      { type: "child_thread_failed", ...child, status: "error", error: "E_X: no", text: "half", cost },
    ],
    [
      { type: "thread_cancelled", reason: "enough", by: "me", report: [] },
      { type: "child_thread_failed", ...child, status: "cancelled", error: "enough", text: "", cost },
    ],
    [suspended(person), { type: "child_thread_suspended", ...child, reason: "budget", message: "no money" }],
    [
      suspended({ ...person, until, follows: "resume" }),
      { type: "child_thread_suspended", ...child, reason: "budget", message: "no money", resumes_at: until },
    ],
    // It ends then, it does not go on.
    [
      suspended({ ...person, until, follows: "deny" }),
      { type: "child_thread_suspended", ...child, reason: "budget", message: "no money" },
    ],
    [
      { type: "thread_resumed", by: "me", run: 2, nonce: "n" },
      { type: "child_thread_resumed", ...child },
    ],
  ])("of $type", (event, outcome) => {
    expect(told(event)).toEqual({
      ...{
        kind: "outcome",
        request_id: "out_c-2-bbbbbb_9",
        thread_id: "p-1-aaaaaa",
        by: "c-1-aaaaaa",
        outcome,
      },
    });
  });

  test("nothing, of what is no turn in its life; nor is anybody told of a root", () => {
    expect(told({ type: "thread_started", run: 1 })).toBeUndefined();
    expect(told({ type: "step_start", turn: 1 })).toBeUndefined();
    expect(
      told({ type: "thread_stopping", end: { type: "thread_failed", code: "E", message: "m" } }),
    ).toBeUndefined();
    expect(told({ type: "thread_completed", text: "" }, { parent_id: null })).toBeUndefined();
  });

  test("told again, it is the same request; another event is another", () => {
    const done: NewEvent = { type: "thread_completed", text: "" };
    expect(outcomeRequest(row, at(done))).toEqual(outcomeRequest(row, at(done)));
    expect(outcomeRequest(row, at(done, 10))?.request_id).toBe("out_c-2-bbbbbb_10");
  });
});
