import { describe, expect, test } from "vitest";
import type { Books } from "./books.ts";
import {
  afterDamage,
  type Batch,
  BY_TIMEOUT,
  type CommitFacts,
  planCommit,
  yieldsToRequests,
} from "./commit.ts";
import type { NewEvent } from "./event.ts";
import { BY_FOLLOW_UP } from "./past-failure.ts";
import type { Request } from "./request.ts";
import { newRow, type ThreadRow } from "./row.ts";

const ID = "work-1-aaaaaa";
const NOW = Date.UTC(2026, 0, 1);
const at = (ms: number) => new Date(NOW + ms).toISOString();
const lease = { threadId: ID, chainRootId: ID, epoch: 3, owner: "a" };
const running: ThreadRow = {
  ...newRow(ID),
  ...{ status: "running", seq: 5, epoch: 3, owner: "a", strikes: [1], corrupt: null, hash: "h" },
};
const suspendedRow: ThreadRow = { ...running, status: "suspended", suspend_reason: "limit" };

const stepped: NewEvent = { type: "step_start", turn: 1 };
const completed: NewEvent = { type: "thread_completed", text: "" };
const cancelled: NewEvent = { type: "thread_cancelled", reason: "r", by: "t", report: [] };
const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n" };
const decided = (via: string): NewEvent => ({
  ...{ type: "approval_decided", approval_id: "ap_1", approved: false, by: "p" },
  via,
});
const asked: NewEvent = {
  ...{ type: "approval_requested", approval_id: "ap_1", reason: "limit", prompt: "?", on_deny: "cancel" },
  ...{ timeout_seconds: 1, digest: "" },
};
const suspended = (until?: string): NewEvent => ({
  ...{ type: "thread_suspended", reason: "limit", message: "m" },
  waits_for: { kind: "person", what: "w", who: "p", how: "h", ...(until !== undefined && { until }) },
});
const request = (kind: "cancel" | "stop" | "message" | "decide" | "revoke"): Request =>
  ({ kind, request_id: kind, thread_id: ID, by: "p" }) as Request;

/** Nothing on record: neither accounts nor attempts. */
function noBooks(): Books {
  return {
    account: () => undefined,
    attempt: () => undefined,
    hasChildren: () => false,
    openAttempts: () => [],
    putAccount: () => {},
    putAttempt: () => {},
  };
}

function plan(batch: Batch, facts: Partial<CommitFacts> = {}) {
  const books = noBooks();
  const all = {
    row: running,
    open: [],
    timerDue: undefined,
    books,
    registry: { row: () => undefined, end: () => undefined, inChannels: () => [] },
    now: NOW,
    sha256: (text: string) => text,
  };
  return planCommit({ ...all, ...facts }, lease, batch);
}
function landed(batch: Batch, facts: Partial<CommitFacts> = {}) {
  const planned = plan(batch, facts);
  if ("refused" in planned) throw new Error(planned.refused);
  return planned;
}

describe("C1: only the owner at its epoch writes", () => {
  test.each([
    ["another owner", { owner: "b" }],
    ["nobody's thread", { owner: null }],
    ["a later epoch", { epoch: 4 }],
  ])("%s", (_, more) => {
    expect(plan({ events: [stepped] }, { row: { ...running, ...more } })).toEqual({ refused: "stale" });
  });
});

describe("C2: while a cancel, a stop or a revocation is open no intent and no step is written", () => {
  const batch = { events: [resumed], tail: [stepped] };

  test.each([
    [[], true],
    [[request("message")], true],
    [[request("cancel")], false],
    [[request("message"), request("cancel")], false],
    [[request("revoke")], false],
    [[request("stop")], false],
  ])("%j: the tail lands %s", (open, lands) => {
    const { tailLanded, events } = landed(batch, { open });
    expect([tailLanded, events.length]).toEqual([lands, lands ? 2 : 1]);
  });

  test.each(["cancel", "stop", "revoke"] as const)("a %s that this batch answers is not open", (kind) => {
    const open = [request(kind)];
    expect(landed({ ...batch, consumes: [kind] }, { open })).toMatchObject({
      tailLanded: true,
      open: [],
    });
  });
});

describe("C3: parking is part of the commit", () => {
  test.each<[string, Batch, Partial<CommitFacts>, boolean]>([
    ["nobody said so", { events: [] }, {}, false],
    ["asked for", { events: [], park: true }, {}, true],
    ["a request is open", { events: [], park: true }, { open: [request("message")] }, false],
    ["a timer is due", { events: [], park: true }, { timerDue: NOW }, false],
    ["a timer is not due yet", { events: [], park: true }, { timerDue: NOW + 1 }, true],
    ["a release waits for nothing", { events: [], release: true }, { open: [request("message")] }, true],
    ["a suspension rests by itself", { events: [suspended()] }, {}, true],
    [
      "and stays awake for an answer that waits",
      { events: [suspended()] },
      { open: [request("decide")] },
      false,
    ],
    ["and for a time that has come", { events: [suspended(at(0))] }, {}, false],
    ["and not for one that will", { events: [suspended(at(1))] }, {}, true],
    ["an old timer goes with it", { events: [suspended()] }, { timerDue: NOW }, true],
    ["what goes on is not parked", { events: [resumed] }, { row: suspendedRow }, false],
    ["an end always is", { events: [cancelled] }, { open: [request("message")], timerDue: NOW }, true],
  ])("%s", (_, batch, facts, parked) => {
    const planned = landed(batch, facts);
    expect([planned.parked, planned.row.owner]).toEqual([parked, parked ? null : "a"]);
  });
});

describe("C4: what was accepted is not passed over", () => {
  test.each<[NewEvent, boolean]>([
    [completed, true],
    [decided(BY_TIMEOUT), true],
    [decided("cli"), false],
    [cancelled, false],
    [resumed, false],
    [{ ...resumed, by: BY_FOLLOW_UP } as NewEvent, true],
    [suspended(), false],
  ])("%j yields to requests: %s", (event, yields) => {
    expect(yieldsToRequests(event)).toBe(yields);
    const open = [request("message")];
    const answer = plan({ events: [event] }, { open, row: suspendedRow });
    expect("refused" in answer && answer.refused).toBe(yields && "requests_open");
    expect(plan({ events: [event], consumes: ["message"] }, { open })).not.toHaveProperty("refused");
  });

  test("a no by the clock gives way to an answer, together with the end that follows from it", () => {
    const batch = { events: [decided(BY_TIMEOUT), cancelled] };
    expect(plan(batch, { open: [request("decide")], row: suspendedRow })).toEqual({
      refused: "requests_open",
    });
    expect(landed(batch, { row: suspendedRow })).toMatchObject({
      row: { status: "cancelled" },
      parked: true,
    });
  });
});

describe("C5: all of a batch, in one plan", () => {
  test("a suspension: status, reason, wait, timer and question", () => {
    expect(landed({ events: [suspended(at(9)), asked] })).toMatchObject({
      row: { status: "suspended", suspend_reason: "limit", waits_for: { until: at(9) }, seq: 7 },
      timer: NOW + 9,
      approvals: [{ type: "open", approval: { approval_id: "ap_1" }, asked_at: at(0) }],
      voided: [],
    });
  });

  test.each<[string, NewEvent[], number | null | undefined, string[]]>([
    ["a word", [stepped], undefined, []],
    ["a resume", [resumed], null, ["void"]],
    ["an end", [cancelled], null, ["void"]],
    ["a no that ends it", [decided("cli"), cancelled], null, ["decided", "void"]],
    ["a yes that lets it go on", [decided("cli"), resumed], null, ["decided", "void"]],
    ["another wait", [suspended(at(4))], NOW + 4, []],
    ["a wait without end", [suspended()], null, []],
    ["on, and stopped again", [resumed, suspended(at(2)), asked], NOW + 2, ["void", "open"]],
  ])("%s: the timer and the questions", (_, events, timer, changes) => {
    const planned = landed({ events }, { row: suspendedRow, timerDue: NOW + 1 });
    expect(planned.timer).toBe(timer);
    expect(planned.approvals.map(({ type }) => type)).toEqual(changes);
  });

  test("what a thread that ended will never answer is void", () => {
    const open = [request("message"), request("decide")];
    expect(landed({ events: [cancelled], consumes: ["decide"] }, { open })).toMatchObject({
      voided: ["message"],
      open: [],
    });
  });

  test("limits change with the event that changes them", () => {
    const row = { ...suspendedRow, limits: { turns: 3, tokens: 9 } };
    const raised: NewEvent = { type: "budget_changed", by: "p", limits: { turns: 5 } };
    expect(landed({ events: [raised] }, { row }).row.limits).toEqual({ turns: 5, tokens: 9 });
    expect(row.limits).toEqual({ turns: 3, tokens: 9 });
  });
});

test.each([
  [null, 9, 5],
  [{ last_good: 2, why: "x" }, 9, 9],
  [{ last_good: 2, why: "x" }, 3, 5],
])("damage %j with a journal up to %i: written after %i", (corrupt, lastSeq, seq) => {
  expect(afterDamage({ ...running, corrupt }, lastSeq).seq).toBe(seq);
});

describe("C7: how those are that a wait names is told in the commit in which it begins", () => {
  const further = [{ id: "grand", directive: "work", above: ["child"] }];
  const waits: NewEvent = {
    ...{ type: "wait_started", call_id: "c", thread_ids: ["grand"], require: 1, fail_fast: false },
    ...{ cancel_siblings_on_failure: false, include_suspended: false },
  };
  const grand: ThreadRow = { ...running, ...newRow("grand"), parent_id: "child", status: "running", seq: 8 };
  const registry = {
    row: (id: string) => (id === "grand" ? grand : undefined),
    end: () => undefined,
    inChannels: () => [],
  };

  test("it is open from then on: the thread is not parked over it", () => {
    const planned = landed({ events: [{ ...waits, further }], park: true }, { registry });
    expect(planned).toMatchObject({ parked: false, row: { owner: "a", watches: ["grand"] } });
    expect(planned.open).toMatchObject([
      { kind: "outcome", request_id: `out_grand_8/${ID}`, thread_id: ID, outcome: { status: "running" } },
    ]);
    expect(planned.outcomes).toEqual(planned.open);
  });

  test("a wait that names nobody new looks at nobody", () => {
    const planned = landed({ events: [waits], park: true }, { registry });
    expect(planned).toMatchObject({ parked: true, open: [], outcomes: [] });
  });
});
