import { expect, test } from "vitest";
import { newRow, type ThreadRow } from "../../core/row.ts";
import type { Status } from "../../core/status.ts";
import type { Store, ThreadQuery } from "../../core/store.ts";
import { resolveThread, resolveThreads } from "./resolve.ts";

function thread(thread_id: string, status: Status = "completed"): ThreadRow {
  const directive = thread_id.replace(/-\d+-\w+$/, "");
  return {
    ...newRow(thread_id),
    directive,
    status,
    epoch: 0,
    owner: null,
    strikes: [],
    corrupt: null,
    hash: "",
  };
}

/** Newest first, as the store answers. */
function storeOf(...rows: ThreadRow[]): Store {
  const find = async ({ threadId, prefix, statuses, onlyRoots, limit }: ThreadQuery) =>
    rows
      .filter((row) => !onlyRoots || row.parent_id === null)
      .filter((row) => threadId === undefined || row.thread_id === threadId)
      .filter((row) => prefix === undefined || row.thread_id.startsWith(prefix))
      .filter((row) => !statuses || statuses.includes(row.status))
      .slice(0, limit);
  return { find } as unknown as Store;
}

const PLAN_1 = thread("plan-1700000001-aaaaaa");
const PLAN_2 = thread("plan-1700000002-bbbbbb", "running");
const PLAN_DB = thread("plan_db-1700000003-cccccc", "running");
const DEEP = thread("team/plan-1700000004-dddddd");
const store = storeOf(DEEP, PLAN_DB, PLAN_2, PLAN_1);

test.each([
  [PLAN_1.thread_id, PLAN_1],
  ["plan-1700000001", PLAN_1],
  ["plan-1700000001-", PLAN_1],
  ["team/", DEEP],
  ["plan_", PLAN_DB],
  ["plan", PLAN_2],
  ["plan-aaaaaa", PLAN_1],
  ["team/plan-dddddd", DEEP],
  ["@last", DEEP],
])("%s is one thread", async (text, row) => {
  expect(await resolveThread(store, text)).toBe(row);
});

test.each([
  ["plan-17", "E_AMBIGUOUS_ID"],
  ["planx", "E_THREAD_NOT_FOUND"],
  ["plan-cccccc", "E_THREAD_NOT_FOUND"],
  ["@first", "E_BAD_ID"],
  ["../plan", "E_BAD_ID"],
  ["plan/../../x", "E_BAD_ID"],
  ["..", "E_BAD_ID"],
  [".", "E_BAD_ID"],
  ["-", "E_BAD_ID"],
  ["-rf", "E_BAD_ID"],
  ["/etc/passwd", "E_BAD_ID"],
  ["a//b", "E_BAD_ID"],
  ["plan\u0000", "E_BAD_ID"],
  ["plan\n", "E_BAD_ID"],
  ["PLAN", "E_BAD_ID"],
  ["plan%2e%2e", "E_BAD_ID"],
  ["plän", "E_BAD_ID"],
  ["", "E_BAD_ID"],
  ["a".repeat(161), "E_BAD_ID"],
])("%j is refused", async (text, code) => {
  await expect(resolveThread(store, text)).rejects.toMatchObject({ code });
});

test("candidates and near names are told", async () => {
  await expect(resolveThread(store, "plan-17")).rejects.toMatchObject({
    why: `${PLAN_2.thread_id}  running\n${PLAN_1.thread_id}  completed`,
  });
  await expect(resolveThread(store, "plam")).rejects.toMatchObject({ why: expect.stringContaining("plan") });
});

test("a directive with two live threads is ambiguous, and each thread comes once", async () => {
  const both = storeOf(thread("plan-1700000005-eeeeee", "created"), PLAN_2);
  await expect(resolveThread(both, "plan")).rejects.toMatchObject({ code: "E_AMBIGUOUS_ID" });
  expect(await resolveThreads(store, ["plan", PLAN_2.thread_id, "@last"])).toEqual([PLAN_2, DEEP]);
});

test("the last thread is the last that a person started, not what that has started since", async () => {
  const child = { ...thread("work-1700000009-eeeeee", "running"), parent_id: PLAN_DB.thread_id };
  expect(await resolveThread(storeOf(child, DEEP, PLAN_DB), "@last")).toBe(DEEP);
});

test("@root is the top of the one live tree, @suspended the one that is; several are named", async () => {
  const stopped = { ...thread("work-1700000009-eeeeee", "suspended"), parent_id: PLAN_DB.thread_id };
  const one = storeOf(stopped, DEEP, PLAN_DB);
  expect(await resolveThread(one, "@root")).toBe(PLAN_DB);
  expect(await resolveThread(one, "@suspended")).toBe(stopped);
  for (const text of ["@root", "@suspended"]) {
    await expect(resolveThread(storeOf(DEEP), text)).rejects.toMatchObject({ code: "E_THREAD_NOT_FOUND" });
    const many = storeOf(
      thread("plan-1700000005-eeeeee", "suspended"),
      thread("plan-1700000006-ffffff", "suspended"),
    );
    await expect(resolveThread(many, text)).rejects.toMatchObject({
      code: "E_AMBIGUOUS_ID",
      what: expect.stringMatching(/^2 t\w+ are (live|suspended)\.$/),
      why: expect.stringContaining("plan-1700000005-eeeeee"),
    });
  }
});

test("no threads at all", async () => {
  await expect(resolveThread(storeOf(), "@last")).rejects.toMatchObject({ code: "E_THREAD_NOT_FOUND" });
});
