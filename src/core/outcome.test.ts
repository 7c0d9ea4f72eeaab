import { describe, expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { damageRequests, firstReports, outcomeRequests } from "./outcome.ts";
import { newRow, type ThreadRow } from "./row.ts";

const row = {
  ...{ chain_root_id: "c-1-aaaaaa", parent_id: "p-1-aaaaaa", directive: "work" },
  ...{ turns: 2, input_tokens: 10, output_tokens: 5, spent: 30, below: 12 },
};
const at = (event: NewEvent, seq = 9) =>
  ({ v: 1, seq, ts: "2026-01-01T00:00:00.000Z", thread_id: "c-2-bbbbbb", ...event }) as Event;
const nobody = { row: () => undefined, end: () => undefined };
const told = (event: NewEvent, more = {}) => outcomeRequests({ ...row, ...more }, at(event), nobody)[0];
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
    expect(told(done)).toEqual(told(done));
    expect(outcomeRequests(row, at(done, 10), nobody)[0]?.request_id).toBe("out_c-2-bbbbbb_10");
  });
});

describe("what those further up are told", () => {
  const outside = { epoch: 1, owner: null, strikes: [], corrupt: null, hash: "" };
  const thread = (id: string, parent_id: string | null, more: Partial<ThreadRow> = {}): ThreadRow => ({
    ...newRow(id),
    ...outside,
    ...{ parent_id, directive: "work", status: "running", seq: 7 },
    ...more,
  });
  const tree = (watches: Record<string, readonly string[]> = {}, last: Partial<ThreadRow> = {}) => {
    const rows = new Map<string, ThreadRow>(
      [["top", null] as const, ["mid", "top"] as const, ["low", "mid"] as const, ["end", "low"] as const].map(
        ([id, up]) => [id, thread(id, up, { watches: watches[id] ?? [], ...(id === "end" ? last : {}) })],
      ),
    );
    return {
      row: (id: string) => rows.get(id),
      end: () => at({ type: "thread_completed", text: "done" }, 6),
    };
  };
  const completed: NewEvent = { type: "thread_completed", text: "done" };
  const of = (registry: ReturnType<typeof tree>, event: NewEvent) =>
    outcomeRequests(registry.row("end") ?? thread("end", null), at(event), registry);
  const report = { type: "descendant_reported", descendant_id: "end", directive: "work" };
  const costs = { turns: 0, tokens: 0, spent: 0 };

  test.each([
    [{}, ["low"]],
    [{ top: ["end"] }, ["low", "top"]],
    [{ top: ["end"], mid: ["end", "x"] }, ["low", "mid", "top"]],
    [{ top: ["low"], mid: ["x"] }, ["low"]],
    // Its parent hears of it as of its child, once.
    [{ low: ["end"] }, ["low"]],
    [{ end: ["end"] }, ["low"]],
  ])("with waits of %j: %j", (watches, to) => {
    const requests = of(tree(watches as never), completed);
    expect(requests.map(({ thread_id }) => thread_id)).toEqual(to);
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(to.length);
    expect(requests.every(({ by }) => by === "end")).toBe(true);
  });

  test.each<[NewEvent, object]>([
    [completed, { status: "completed", text: "done", cost: costs }],
    [{ ...completed, outputs: { n: 1 } } as NewEvent, { status: "completed", outputs: { n: 1 } }],
    [
      { type: "thread_failed", code: "E", message: "m" },
      { status: "error", error: "E: m", text: "" },
    ],
    [
      { type: "thread_cancelled", reason: "enough", by: "me", report: [] },
      { status: "cancelled", error: "enough" },
    ],
    [suspended(person), { status: "suspended", reason: "budget", error: "no money" }],
    [suspended({ ...person, until, follows: "resume" }), { status: "suspended", resumes_at: until }],
    [{ type: "thread_resumed", by: "me", run: 2, nonce: "n" }, { status: "running" }],
    [{ type: "thread_started", run: 1 }, { status: "running" }],
  ])("of $type", (event, said) => {
    const told = of(tree({ top: ["end"] }), event).find(({ thread_id }) => thread_id === "top");
    expect(told).toMatchObject({ request_id: "out_c-2-bbbbbb_9/top", outcome: { ...report, ...said } });
  });

  test("of damage, too", () => {
    const registry = tree({ top: ["end"] });
    const damage = { last_good: 3, why: "event 4 is missing" };
    expect(damageRequests(registry.row("end") ?? thread("end", null), damage, registry)).toMatchObject([
      { thread_id: "low", outcome: { type: "child_thread_suspended", reason: "corrupt" } },
      { thread_id: "top", outcome: { ...report, status: "suspended", reason: "corrupt", error: damage.why } },
    ]);
  });

  test.each<[string, Partial<ThreadRow>, object]>([
    ["only registered", { status: "created" }, { status: "created" }],
    ["at work", {}, { status: "running" }],
    [
      "suspended",
      { status: "suspended", suspend_reason: "limit", error: "m", waits_for: person },
      { status: "suspended", reason: "limit", error: "m" },
    ],
    [
      "suspended until",
      {
        ...{ status: "suspended", suspend_reason: "quota", error: "m" },
        waits_for: { ...person, until, follows: "resume" },
      },
      { status: "suspended", reason: "quota", resumes_at: until },
    ],
    [
      "damaged",
      { corrupt: { last_good: 2, why: "w" } },
      { status: "suspended", reason: "corrupt", error: "w" },
    ],
    ["ended", { status: "completed" }, { status: "completed", text: "done", cost: costs }],
    [
      "ended, whatever its journal is like",
      { status: "completed", corrupt: { last_good: 2, why: "w" } },
      { status: "completed", text: "done" },
    ],
  ])("at the beginning, of one that is %s", (_, last, said) => {
    const registry = tree({}, last);
    const further = [{ id: "end", directive: "work", above: ["low", "mid"] }];
    const waits: NewEvent = {
      ...{ type: "wait_started", call_id: "c", thread_ids: ["end"], require: 1, fail_fast: false },
      ...{ cancel_siblings_on_failure: false, include_suspended: false, further },
    };
    const told = firstReports(registry.row("top") ?? thread("top", null), at(waits), registry);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      request_id: "out_end_7/top",
      thread_id: "top",
      outcome: { ...report, ...said },
    });
  });
});
