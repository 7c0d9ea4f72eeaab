import { describe, expect, test } from "vitest";
import type { ApprovalRow, Decision } from "./approval.ts";
import { decisionRefusal, needsNoLoad, type Request, type RequestKind, requestRefusal } from "./request.ts";
import { newRow, type ThreadRow } from "./row.ts";
import type { Status } from "./status.ts";
import type { SuspendReason } from "./suspension.ts";

const ID = "work-1-aaaaaa";
const rowAs = (status: Status, more: Partial<ThreadRow> = {}): ThreadRow => ({
  ...newRow(ID),
  ...{ epoch: 1, owner: null, strikes: [], corrupt: null, hash: "" },
  status,
  ...more,
});
const person = (approval_id?: string) =>
  ({ kind: "person", what: "w", who: "p", how: "h", ...(approval_id && { approval_id }) }) as const;
const KINDS: RequestKind[] = [
  ...(["start", "cancel", "message", "resume", "decide", "retry", "mark_error"] as const),
  ...(["budget", "settle"] as const),
];
const MONEY: RequestKind[] = ["budget", "settle"];

describe("a request", () => {
  const accepted = (row: ThreadRow) => KINDS.filter((kind) => requestRefusal(row, { kind }) === undefined);

  test.each<[string, ThreadRow, RequestKind[]]>([
    ["created", rowAs("created"), ["start", "cancel", "message", ...MONEY]],
    ["running", rowAs("running"), ["cancel", "message", "mark_error", ...MONEY]],
    [
      "running and waiting for a retry",
      rowAs("running", { waits_for: { kind: "timer", what: "retry", until: "" } }),
      ["cancel", "message", "retry", "mark_error", ...MONEY],
    ],
    ["suspended", rowAs("suspended"), ["cancel", "message", "resume", "decide", "mark_error", ...MONEY]],
    ["completed", rowAs("completed"), []],
    ["in error", rowAs("error"), []],
    ["cancelled", rowAs("cancelled"), []],
    ["damaged", rowAs("suspended", { corrupt: { last_good: 1, why: "x" } }), ["cancel", "mark_error"]],
  ])("to a thread that is %s", (_, row, kinds) => {
    expect(accepted(row)).toEqual(kinds);
  });

  test("is told why not", () => {
    const why = (row: ThreadRow | undefined, kind: RequestKind) => requestRefusal(row, { kind });
    expect(why(undefined, "cancel")).toBe("there is no such thread");
    expect(why(rowAs("continued"), "cancel")).toBe("the links of its chain are damaged (selvage verify)");
    expect(why(rowAs("completed"), "cancel")).toBe("it is completed");
    expect(why(rowAs("running"), "decide")).toBe("it is running");
    expect(why(rowAs("running"), "retry")).toBe("it is not waiting for a retry");
    expect(why(rowAs("running", { corrupt: { last_good: 1, why: "x" } }), "message")).toBe(
      "its journal is damaged",
    );
  });

  test.each<[SuspendReason, string | undefined, boolean]>([
    ["approval", "ap_1", false],
    ["approval", undefined, true],
    ["limit", "ap_1", true],
    ["error", "ap_1", true],
    ["quota", "ap_1", true],
    ["storage", "ap_1", true],
    ["crash_loop", "ap_1", true],
  ])("to resume a thread suspended for %s with the question %s: %s", (reason, id, fits) => {
    const row = rowAs("suspended", { suspend_reason: reason, waits_for: person(id) });
    expect(requestRefusal(row, { kind: "resume" }) === undefined).toBe(fits);
    // An end, and an answer, go past any question.
    for (const kind of ["cancel", "mark_error", "decide"] as const)
      expect(requestRefusal(row, { kind })).toBeUndefined();
  });

  test("that ends a thread needs no load, and no other is so simple", () => {
    expect(KINDS.filter(needsNoLoad)).toEqual(["cancel", "mark_error"]);
  });
});

describe("an answer", () => {
  const request: Request & { kind: "decide" } = {
    ...{ kind: "decide", request_id: "d1", thread_id: ID, by: "q", via: "cli", resume: true },
    ...{ approval_id: "ap_1", approved: true },
  };
  const decision: Decision = { approval_id: "ap_1", approved: true, by: "p", via: "file", at: "t" };
  const question = (more: Partial<ApprovalRow>): ApprovalRow => ({
    approval: {
      ...{ approval_id: "ap_1", reason: "limit", prompt: "?", on_deny: "cancel" },
      ...{ timeout_seconds: 1, digest: "" },
    },
    ...{ thread_id: ID, chain_root_id: ID, asked_at: "t", state: "open" },
    ...more,
  });
  const gone = { why: "its thread went on or ended without an answer" };

  test.each<[string, ApprovalRow | undefined, unknown]>([
    ["to an open question is taken", question({}), undefined],
    ["to none is refused", undefined, { why: "there is no such question" }],
    [
      "to another thread's is refused",
      question({ thread_id: "x" }),
      { why: "it is the question of another thread" },
    ],
    [
      "to another thread's learns nothing of its decision",
      question({ thread_id: "x", decision }),
      { why: "it is the question of another thread" },
    ],
    ["after another is told whose", question({ decision }), { why: "p answered it", decided: decision }],
    [
      "after it was taken down is told whose",
      question({ decision, state: "decided" }),
      { why: "p answered it", decided: decision },
    ],
    ["to one that is void is refused", question({ state: "void" }), gone],
    [
      "to one that is void, and had been answered, is told whose",
      question({ state: "void", decision }),
      { why: "p answered it", decided: decision },
    ],
  ])("%s", (_, found, expected) => {
    expect(decisionRefusal(found, request)).toEqual(expected);
  });
});
