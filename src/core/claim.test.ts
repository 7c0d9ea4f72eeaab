import { expect, test } from "vitest";
import { type Candidate, claimReason, isCrashLoop, type OwnerState, struck } from "./claim.ts";
import type { Request } from "./request.ts";
import { newRow, type ThreadRow } from "./row.ts";
import type { Status } from "./status.ts";

const row = (status: Status, more: Partial<ThreadRow> = {}): ThreadRow => ({
  ...newRow("a"),
  epoch: 1,
  owner: null,
  strikes: [],
  corrupt: null,
  hash: "",
  status,
  ...more,
});
const start: Request = { kind: "start", request_id: "r", thread_id: "a", by: "t" };
const cancel: Request = { kind: "cancel", request_id: "c", thread_id: "a", by: "t", nonce: "", reason: "" };
const message: Request = { kind: "message", request_id: "m", thread_id: "a", by: "t", text: "" };
const candidate = (each: ThreadRow, requests: Request[] = [], timerDue?: number): Candidate => ({
  row: each,
  requests,
  timerDue,
});
const damaged = { last_good: 3, why: "flipped" };
const parked = { waits_for: { kind: "timer", what: "retry", until: "" } } as const;

test.each([
  ["created and nobody asked", candidate(row("created")), "none", undefined],
  ["created and start asked", candidate(row("created"), [start]), "none", "request"],
  ["running with a live owner", candidate(row("running", { owner: "o" }), [message]), "alive", undefined],
  [
    "running with an owner on another host",
    candidate(row("running", { owner: "o" })),
    "elsewhere",
    undefined,
  ],
  ["running with a dead owner", candidate(row("running", { owner: "o" })), "dead", "dead_lease"],
  ["running, no owner, nothing to wait for", candidate(row("running")), "none", "unparked"],
  ["parked, timer ahead", candidate(row("running", parked), [], 200), "none", undefined],
  ["parked, timer due", candidate(row("running", parked), [], 100), "none", "timer"],
  ["parked, message waits", candidate(row("running", parked), [message], 200), "none", "request"],
  ["suspended", candidate(row("suspended")), "none", undefined],
  ["suspended, cancel waits", candidate(row("suspended"), [cancel]), "none", "request"],
  ["ended", candidate(row("completed"), [message], 1), "none", undefined],
  ["damaged", candidate(row("running", { corrupt: damaged })), "none", undefined],
  ["damaged, owner dead", candidate(row("running", { corrupt: damaged, owner: "o" })), "dead", undefined],
  ["damaged, cancel waits", candidate(row("running", { corrupt: damaged }), [cancel]), "none", "request"],
  ["damaged, message waits", candidate(row("running", { corrupt: damaged }), [message]), "none", undefined],
] as const)("%s", (_, each, owner, expected) => {
  expect(claimReason(each, owner, 100)).toBe(expected);
});

test("three deaths in ten minutes are a crash loop, spread out they are not", () => {
  const minute = 60_000;
  expect(isCrashLoop([0, minute], 2 * minute)).toBe(false);
  expect(isCrashLoop([0, minute, 2 * minute], 2 * minute)).toBe(true);
  expect(isCrashLoop([0, 9 * minute, 18 * minute], 18 * minute)).toBe(false);
});

test("only a death is a strike, and the last three are kept", () => {
  const needs = (state: OwnerState) => ({ now: () => 4, ownerState: () => state });
  const owned = row("running", { owner: "o", strikes: [1, 2, 3] });
  expect(struck(owned, needs("dead"))).toEqual([2, 3, 4]);
  expect(struck(owned, needs("alive"))).toEqual([1, 2, 3]);
  expect(struck({ ...owned, owner: null }, needs("dead"))).toEqual([1, 2, 3]);
});
