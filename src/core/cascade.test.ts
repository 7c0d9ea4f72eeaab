import { expect, test } from "vitest";
import { handedDown, livingBelow, spreading, stopRequest } from "./cascade.ts";
import type { Request } from "./request.ts";
import { newRow, type ThreadRow } from "./row.ts";
import type { Status } from "./status.ts";

const row = (id: string, parent: string | null, status: Status = "running"): ThreadRow => ({
  ...newRow(id),
  ...{ parent_id: parent, status, nonce: `nonce of ${id}` },
  ...{ epoch: 0, owner: null, strikes: [], corrupt: null, hash: "" },
});
const KIN = [
  row("root", null),
  row("a", "root", "suspended"),
  row("b", "root", "completed"),
  row("c", "root", "created"),
  row("aa", "a"),
  row("aaa", "aa"),
  row("ba", "b", "error"),
];
const childrenOf = (id: string) => KIN.filter(({ parent_id }) => parent_id === id);
const common = { request_id: "r", thread_id: "root", by: "me" };
const cancel = (nonce: string): Request => ({ kind: "cancel", ...common, reason: "enough", nonce });
const root = KIN[0] as ThreadRow;

test("everyone alive below, in every generation, and nobody who has ended", () => {
  const ids = livingBelow("root", childrenOf).map(({ thread_id }) => thread_id);
  expect(ids.sort()).toEqual(["a", "aa", "aaa", "c"]);
  expect(livingBelow("aaa", childrenOf)).toEqual([]);
});

test("cancels of the present run and revocations go down; nothing else does", () => {
  expect(spreading(cancel("nonce of root"), root)).toMatchObject({ kind: "cancel" });
  expect(spreading(cancel("of another run"), root)).toBeUndefined();
  expect(spreading({ kind: "revoke", ...common, rights: ["x"] }, root)).toMatchObject({ kind: "revoke" });
  const others: Request[] = [
    { kind: "message", ...common, text: "hi" },
    { kind: "mark_error", ...common, reason: "r" },
    { kind: "resume", ...common, nonce: "nonce of root" },
  ];
  expect(others.map((request) => spreading(request, root))).toEqual([undefined, undefined, undefined]);
});

test("who is below gets it for its own run, under a name of its own", () => {
  const aaa = row("aaa", "aa");
  expect(handedDown(cancel("nonce of root") as never, aaa)).toEqual({
    ...{
      kind: "cancel",
      request_id: "r/aaa",
      thread_id: "aaa",
      by: "me",
      reason: "enough",
      nonce: "nonce of aaa",
    },
  });
  const revoke: Request = { kind: "revoke", ...common, rights: ["x"] };
  expect(handedDown(revoke as never, aaa)).toMatchObject({
    request_id: "r/aaa",
    rights: ["x"],
    from: "root",
  });
  expect(handedDown({ ...revoke, from: "above" } as never, aaa)).toMatchObject({ from: "above" });
});

test("a stop is a cancel of the thread's present run", () => {
  expect(
    stopRequest({ thread_id: "a", reason: "parent_failed", by: "root" }, row("a", "root"), "stop_1"),
  ).toEqual({
    ...{ kind: "cancel", request_id: "stop_1/a", thread_id: "a", by: "root", reason: "parent_failed" },
    nonce: "nonce of a",
  });
});
