/** The accounts of a tree in a store: nobody comes in whom nobody pays for, and verify adds the whole of it up. */
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import type { Store } from "../../src/core/store.ts";
import { openDriver } from "../../src/store/driver.ts";
import { memoryDisk, openMemoryStore } from "../../src/store/stores/memory.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { needs, scratch } from "./disk.ts";

const newPath = scratch();
const ROOT = "tree-1767225600-000000";
const idOf = (name: string) => `tree-1767225600-${name.padStart(6, "0")}`;
const openSqlite = (path: string) => openSqliteStore({ ...needs, path, durability: "strict" });
const STORES: [string, () => Store][] = [
  ["in memory", () => openMemoryStore(memoryDisk(), needs)],
  ["on SQLite", () => openSqlite(newPath())],
];

function born(id: string, parent: string | null, spend?: string): NewEvent {
  return {
    type: "thread_created",
    directive: "tree",
    inputs: {},
    model: "m",
    system: "",
    tools: [],
    limits: spend === undefined ? {} : { spend },
    chain_root_id: id,
    root_id: ROOT,
    parent_id: parent,
    run: 1,
    nonce: "n",
  };
}

const create = (store: Store, id: string, parent: string | null, spend?: string) =>
  store.create({ threadId: id, events: [born(id, parent, spend)], requests: [] });

const hold = (id: string, amount: number, turn = 1) => ({
  ...{ type: "step_start" as const, turn },
  hold: { id: `${id}/${turn}/1`, amount, input_tokens: 1, output_tokens: 1 },
});

/** Holds so much for a request of this thread; says what the commit said. */
async function holds(store: Store, id: string, step: NewEvent) {
  const [row] = await store.find({ threadId: id });
  const claimed = await store.claim({ threadId: id, owner: "a", seenEpoch: row?.epoch ?? 0 });
  if ("refused" in claimed) throw new Error(claimed.refused);
  const start: NewEvent[] = row?.status === "created" ? [{ type: "thread_started", run: 1 }] : [];
  const answer = await store.commit(claimed.lease, { events: start, tail: [step] });
  if ("refused" in answer) throw new Error(answer.refused);
  return { lease: claimed.lease, ...answer };
}

function answered(id: string, amount: number): NewEvent {
  const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 };
  const bill = { hold: `${id}/1/1`, amount };
  return {
    ...{ type: "cognition_out", turn: 1, attempt: 1, content: [], stop: "end_turn", truncated: false },
    ...{ usage, bill },
  };
}

test.each(STORES)(
  "%s: a child of nobody, or with a cap that is not there, does not come into being",
  async (_, open) => {
    const store = open();
    await create(store, ROOT, null, "1.00");
    await expect(create(store, idOf("a"), "nobody-1-aaaaaa")).rejects.toThrow("nobody-1-aaaaaa does not pay");
    await expect(create(store, idOf("b"), ROOT, "1.01")).rejects.toMatchObject({
      refusal: { why: "budget", at: ROOT, asked: 1_010_000_000, free: 1_000_000_000 },
    });
    expect(await store.find({})).toHaveLength(1);
    expect((await store.balance(ROOT))?.account).toMatchObject({ held: 0 });
    expect((await store.feed(0, 10)).events).toHaveLength(1);
    await store.close();
  },
);

test.each(STORES)(
  "%s: no step begins without a price under a cap, whoever has the cap; nor with more than is free",
  async (_, open) => {
    const store = open();
    await create(store, ROOT, null, "1.00");
    await create(store, idOf("a"), ROOT);
    const unpriced = await holds(store, idOf("a"), { type: "step_start", turn: 1 });
    expect(unpriced).toMatchObject({ tailLanded: false, shortage: { at: ROOT, isUnpriced: true } });
    const short = await holds(store, idOf("a"), hold(idOf("a"), 1_000_000_001));
    const told = { at: ROOT, asked: 1_000_000_001, free: 1_000_000_000 };
    expect(short).toMatchObject({ tailLanded: false, shortage: told });
    expect(await holds(store, idOf("a"), hold(idOf("a"), 1_000_000_000))).toMatchObject({ tailLanded: true });
    await store.close();
  },
);

test("no step begins for a thread that has lost its account", async () => {
  const path = newPath();
  const store = openSqlite(path);
  await create(store, ROOT, null, "1.00");
  await create(store, idOf("a"), ROOT);
  const other = openDriver(path);
  other.exec(`DELETE FROM accounts WHERE account = '${idOf("a")}'`);
  other.close();
  const { tailLanded, events } = await holds(store, idOf("a"), hold(idOf("a"), 1));
  expect({ tailLanded, types: events.map(({ type }) => type) }).toEqual({
    tailLanded: false,
    types: ["thread_started"],
  });
  await store.close();
});

test.each(STORES)(
  "%s: a successor spends from the account of its chain, and a child that rests keeps its cap",
  async (_, open) => {
    const store = open();
    await create(store, ROOT, null, "1.00");
    const next = { ...born(idOf("next"), null, "1.00"), chain_root_id: ROOT } as NewEvent;
    await store.create({ threadId: idOf("next"), events: [next], requests: [] });
    expect(await store.balance(idOf("next"))).toBeUndefined();
    expect(await holds(store, idOf("next"), hold(ROOT, 7))).toMatchObject({ tailLanded: true });
    expect((await store.balance(ROOT))?.balance).toMatchObject({ held: 7, free: 999_999_993 });
    await create(store, idOf("child"), ROOT, "0.30");
    const { lease } = await holds(store, idOf("child"), hold(idOf("child"), 5));
    const waits_for = { kind: "person" as const, what: "x", who: "x", how: "x" };
    const rests: NewEvent = { type: "thread_suspended", reason: "budget", message: "x", waits_for };
    await store.commit(lease, { events: [rests] });
    expect((await store.balance(ROOT))?.account).toMatchObject({ held: 300_000_007, ended: false });
    expect((await store.balance(idOf("child")))?.account).toMatchObject({ held: 5, ended: false });
    await store.close();
  },
);

/** A root with a cap, a child with one, and one that shares; one call is under way, and one is settled. */
async function grown(path: string): Promise<Store> {
  const store = openSqlite(path);
  await create(store, ROOT, null, "1.00");
  await create(store, idOf("capped"), ROOT, "0.30");
  await create(store, idOf("below"), idOf("capped"));
  await create(store, idOf("shares"), ROOT);
  await create(store, idOf("ended"), ROOT, "0.20");
  const below = await holds(store, idOf("below"), hold(idOf("below"), 50));
  await store.commit(below.lease, { events: [answered(idOf("below"), 40)] });
  await holds(store, idOf("shares"), hold(idOf("shares"), 70));
  const ended = await holds(store, idOf("ended"), hold(idOf("ended"), 90));
  await store.commit(ended.lease, {
    events: [answered(idOf("ended"), 80), { type: "thread_completed", text: "" }],
  });
  return store;
}

test("verify adds up a whole tree, whoever pays for whom", async () => {
  const path = newPath();
  const store = await grown(path);
  expect((await store.balance(ROOT))?.account).toMatchObject({ spent: 80, held: 300_000_070 });
  expect(await verifyStore(store, path, dirname(path))).toMatchObject({ threads: 5, findings: [] });
  await store.close();
});

test.each([
  [`UPDATE accounts SET spent = spent + 1 WHERE account = '${ROOT}'`, ROOT, "the ledger says spent = 81"],
  [
    `UPDATE accounts SET held = held - 70 WHERE account = '${ROOT}'`,
    ROOT,
    "the ledger says held = 300000000",
  ],
  [
    `UPDATE accounts SET cap = cap + 1 WHERE parent IS NOT NULL AND cap = 300000000`,
    idOf("capped"),
    "cap = 300000001",
  ],
  [
    `UPDATE accounts SET ended = 0 WHERE account = '${idOf("ended")}'`,
    idOf("ended"),
    "the ledger says ended = false",
  ],
  ["UPDATE accounts SET under_way = '[]'", idOf("shares"), "the ledger holds 0 for it, the journal 70"],
  [`DELETE FROM accounts WHERE account = '${idOf("below")}'`, idOf("below"), "it has no account"],
])("%s: verify names the account that is wrong", async (sql, id, what) => {
  const path = newPath();
  const store = await grown(path);
  const other = openDriver(path);
  other.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  other.close();
  const { findings } = await verifyStore(store, path, dirname(path));
  expect(findings.map((found) => found.thread_id)).toContain(id);
  expect(findings.map((found) => found.what).join()).toContain(what);
  await store.close();
});

test.each(STORES)("%s: a parent hears once that the journal of its child is damaged", async (_, open) => {
  const store = open();
  const id = idOf("a");
  await create(store, ROOT, null, "1.00");
  await create(store, id, ROOT, "0.50");
  for (const seenEpoch of [0, 1]) {
    const claimed = await store.claim({ threadId: id, owner: "a", seenEpoch });
    if ("refused" in claimed) throw new Error(claimed.refused);
    expect(await store.markCorrupt(claimed.lease, { last_good: 1, why: "flipped" })).toBe(true);
  }
  expect(await store.openRequests(ROOT)).toMatchObject([
    { kind: "outcome", by: id, outcome: { child_id: id, reason: "corrupt", message: "flipped" } },
  ]);
});
