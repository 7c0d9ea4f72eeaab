/** Chains on the disk: verify finds a link or a sum that somebody changed, and nothing follows a circle for ever. */
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { Store } from "../../src/core/store.ts";
import { openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { carriedFindings, chainFindings } from "../../src/store/verify-chain.ts";
import { createdAs, ID, started } from "./bench.ts";
import { handing } from "./chain-conformance.ts";
import { needs, scratch } from "./disk.ts";

const newPath = scratch();
const [SECOND, THIRD] = ["work-1767225600-second", "work-1767225600-third"];

async function hands(store: Store, of: string, to: string): Promise<void> {
  const [row] = await store.find({ threadId: of });
  const claimed = await store.claim({ threadId: of, owner: "a", seenEpoch: row?.epoch ?? 0 });
  if ("refused" in claimed) throw new Error(claimed.refused);
  const begins = row?.status === "created" ? [started] : [];
  const answer = await store.commit(claimed.lease, { ...handing(of, to, ID), events: begins });
  if ("refused" in answer || !answer.tailLanded) throw new Error("not handed on");
}

/** A chain of three, and what is done to it behind the store's back. */
async function tampered(sql: string) {
  const path = newPath();
  const store = openSqliteStore({ ...needs, path, durability: "strict" });
  await store.create({ threadId: ID, events: [createdAs(ID)], requests: [] });
  await hands(store, ID, SECOND);
  await hands(store, SECOND, THIRD);
  const driver = openDriver(path);
  driver.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  driver.close();
  return { store, verify: () => verifyStore(store, path, dirname(path)) };
}

test("a chain as it was made has nothing wrong with it", async () => {
  const { store, verify } = await tampered("");
  expect(await verify()).toMatchObject({ threads: 3, findings: [] });
  await store.close();
});

const set = (column: string, value: string | null, id: string) =>
  `UPDATE threads SET ${column} = ${value === null ? "NULL" : `'${value}'`} WHERE thread_id = '${id}';`;

test.each<[string, string, string, string]>([
  [
    "a link that is gone",
    set("continuation_thread_id", null, SECOND),
    THIRD,
    `it goes on from ${SECOND}, which goes on in none`,
  ],
  [
    "a link to nobody",
    set("continuation_thread_id", "gone", SECOND),
    SECOND,
    "it goes on in gone, which is not there",
  ],
  [
    "a link past one",
    set("continuation_thread_id", THIRD, ID),
    ID,
    `it goes on in ${THIRD}, which goes on from ${SECOND}`,
  ],
  [
    "a link back that is gone",
    set("continuation_of", null, THIRD),
    SECOND,
    `it goes on in ${THIRD}, which goes on from none`,
  ],
  [
    "a head with a link",
    set("continuation_thread_id", ID, THIRD),
    THIRD,
    `it is running, and goes on in ${ID}`,
  ],
  [
    "another chain",
    set("chain_root_id", "other", THIRD),
    THIRD,
    `it belongs to the chain other, the one before it to ${ID}`,
  ],
  [
    "sums of the registry",
    "UPDATE threads SET spent = 5 WHERE status = 'running'",
    THIRD,
    "registry says spent = 5, the journal says 0",
  ],
  [
    "sums of the one before",
    `UPDATE threads SET turns = 4 WHERE thread_id = '${SECOND}'`,
    THIRD,
    `it took over turns = 0 from ${SECOND}, which has 4`,
  ],
])("%s is found", async (_, sql, id, what) => {
  const { store, verify } = await tampered(sql);
  const { findings } = await verify();
  expect(findings).toContainEqual(expect.objectContaining({ thread_id: id, what }));
  await store.close();
});

test.each<[string, string, readonly string[]]>([
  [
    "of three",
    set("continuation_thread_id", ID, THIRD) + set("continuation_of", THIRD, ID),
    [ID, SECOND, THIRD],
  ],
  ["of two, behind the first", set("continuation_thread_id", SECOND, THIRD), [SECOND, THIRD]],
  ["of one", set("continuation_thread_id", SECOND, SECOND), [SECOND]],
])("a circle %s is damage, and nothing loops", async (_, sql, circle) => {
  const { store, verify } = await tampered(`${sql} UPDATE threads SET status = 'continued', owner = NULL;`);
  const { findings } = await verify();
  const found = findings.filter(({ what }) => what === "its chain leads in a circle");
  expect(found.map(({ thread_id }) => thread_id).sort()).toEqual([...circle].sort());
  for (const thread_id of [ID, SECOND]) {
    const request = {
      kind: "message" as const,
      request_id: `m ${thread_id}`,
      thread_id,
      by: "t",
      text: "hi",
    };
    const why = "the links of its chain are damaged (selvage verify)";
    expect(await store.post([request])).toEqual([{ accepted: false, why }]);
  }
  expect(await store.candidates("*")).toEqual([]);
  await store.close();
});

test("a thread that begins a tree of its own takes over the turns and not the money", async () => {
  const { store } = await tampered("");
  const rows = await store.find({});
  const rowOf = new Map(rows.map((row) => [row.thread_id, { ...row, spent: 9, turns: 2 }]));
  const { events } = await store.load(THIRD);
  expect(carriedFindings(events, rowOf)).toEqual([
    `it took over turns = 0 from ${SECOND}, which has 2`,
    `it took over spent = 0 from ${SECOND}, which has 9`,
  ]);
  const [created] = events;
  const root = [{ ...created, chain_root_id: THIRD }] as typeof events;
  expect(carriedFindings(root, rowOf)).toEqual([`it took over turns = 0 from ${SECOND}, which has 2`]);
  const own = rows.map((row) => (row.thread_id === THIRD ? { ...row, chain_root_id: THIRD } : row));
  expect(chainFindings(own)).toEqual([]);
  expect(carriedFindings([], rowOf)).toEqual([]);
  await store.close();
});
