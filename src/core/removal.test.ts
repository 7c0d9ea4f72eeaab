import { expect, test } from "vitest";
import { belongings, type RemovalFacts, removalRefusal, whyStays } from "./removal.ts";
import { newRow, type ThreadRow } from "./row.ts";

const row = (id: string, more: Partial<ThreadRow> = {}): ThreadRow => ({
  ...newRow(id),
  ...{ epoch: 0, owner: null, strikes: [], corrupt: null, hash: "", status: "completed" as const },
  ...more,
});

const tree = [row("root"), row("child", { root_id: "root", parent_id: "root" })];
const chain = [
  row("first", { status: "continued", continuation_thread_id: "second" }),
  row("second", { chain_root_id: "first", root_id: "first", continuation_of: "first" }),
];
/** A child that a person went on with after its parent had ended: a tree of its own, and still one chain. */
const revived = [
  row("boss"),
  row("old", { root_id: "boss", parent_id: "boss", status: "continued", continuation_thread_id: "new" }),
  row("new", { continuation_of: "old" }),
];
const alone = row("alone");
const all = [...tree, ...chain, ...revived, alone];
const ids = (rows: readonly ThreadRow[]) => rows.map(({ thread_id }) => thread_id);

test("what belongs together: trees, chains, and what a chain leads to", () => {
  expect(belongings(all).map(ids)).toEqual([ids(tree), ids(chain), ids(revived), ["alone"]]);
});

const quiet = { hosted: [], last: undefined };

test.each<[string, ThreadRow[], Partial<RemovalFacts>, string | undefined]>([
  ["ended", tree, {}, undefined],
  ["a child lives", [row("root"), row("child", { root_id: "root", status: "suspended" })], {}, "lives"],
  ["not begun", [row("root", { status: "created" })], {}, "lives"],
  ["owned", [row("root", { owner: "o" })], {}, "owned"],
  ["hosted", tree, { hosted: ["root"] }, "hosted"],
  ["another is hosted", tree, { hosted: ["alone"] }, undefined],
  ["the feed ends in it", tree, { last: "child" }, "last"],
])("%s", (_, group, facts, why) => {
  expect(whyStays(group, { ...quiet, ...facts })).toBe(why);
});

test.each<[string[], ReturnType<typeof removalRefusal>]>([
  [[...ids(tree), "alone"], undefined],
  [["alone"], undefined],
  [[], undefined],
  [["root"], { threadId: "child", why: "incomplete" }],
  [["child"], { threadId: "root", why: "incomplete" }],
  [["first"], { threadId: "second", why: "incomplete" }],
  [["boss", "old"], { threadId: "new", why: "incomplete" }],
  [["alone", "nobody"], { threadId: "nobody", why: "unknown" }],
])("%j may go: %j", (wanted, expected) => {
  expect(removalRefusal(wanted, { rows: all, ...quiet })).toEqual(expected);
});
