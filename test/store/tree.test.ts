/** The accounts of a tree in a store: nobody comes in whom nobody pays for, and verify adds the whole of it up. */
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import type { Store } from "../../src/core/store.ts";
import { openDriver } from "../../src/store/driver.ts";
import { memoryDisk, openMemoryStore } from "../../src/store/stores/memory.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
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
