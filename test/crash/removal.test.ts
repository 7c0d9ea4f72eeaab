/** Death while threads are removed: all of them are there, or none; and whoever comes next can do it again. */
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import type { Store } from "../../src/core/store.ts";
import { memoryDisk, openMemoryStore } from "../../src/store/stores/memory.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { faultyStore } from "../../src/testing/fault.ts";
import { createdAs } from "../store/bench.ts";
import { diskError, needs, scratch, watchedDriver } from "../store/disk.ts";

const newPath = scratch();
const [ROOT, CHILD, LAST] = ["a-1767225600-root00", "a-1767225600-child0", "a-1767225601-last00"];
const OLD = [ROOT, CHILD] as const;
const started: NewEvent = { type: "thread_started", run: 1 };
const done: NewEvent = { type: "thread_completed", text: "x".repeat(70_000) };

async function fill(store: Store): Promise<void> {
  const child = { ...createdAs(CHILD), root_id: ROOT, parent_id: ROOT, limits: { spend: "0.10" } };
  await store.create({
    threadId: ROOT,
    events: [{ ...createdAs(ROOT), limits: { spend: "1.00" } }],
    requests: [],
  });
  await store.create({ threadId: CHILD, events: [child], requests: [] });
  await store.create({ threadId: LAST, events: [createdAs(LAST)], requests: [] });
  for (const threadId of [CHILD, ROOT, LAST]) {
    const claimed = await store.claim({ threadId, owner: "o", seenEpoch: 0 });
    if ("refused" in claimed) throw new Error(claimed.refused);
    const consumes = (await store.openRequests(threadId)).map(({ request_id }) => request_id);
    const ended = await store.commit(claimed.lease, { events: [started, done], consumes });
    if ("refused" in ended) throw new Error(ended.refused);
  }
}

const idsOf = async (store: Store) => (await store.find({})).map(({ thread_id }) => thread_id).sort();

test.each(["failed", "landed"] as const)("in memory: a write that %s", async (fate) => {
  const disk = memoryDisk();
  const store = openMemoryStore(disk, needs);
  await fill(store);
  const faulty = faultyStore(store, (verb) => (verb === "remove" ? fate : "fine"));
  await expect(faulty.remove(OLD)).rejects.toThrow("test disk");
  const again = openMemoryStore(disk, needs);
  expect(await idsOf(again)).toEqual(fate === "landed" ? [LAST] : [CHILD, LAST, ROOT].sort());
});

test("on the database: death at every statement of it leaves everything or nothing", {
  timeout: 60_000,
}, async () => {
  let deaths = 0;
  for (let isOver = false; !isOver; ) {
    const at = deaths + 1;
    const path = newPath();
    const first = openSqliteStore({ ...needs, path, durability: "relaxed" });
    await fill(first);
    await first.close();
    let seen = 0;
    let isArmed = false;
    const open = watchedDriver((sql) => {
      if (!isArmed || /^PRAGMA/.test(sql)) return;
      seen += 1;
      if (seen === at) throw diskError("EIO");
    });
    const dying = openSqliteStore({ ...needs, path, durability: "strict", open });
    isArmed = true;
    const outcome = await dying.remove(OLD).catch(() => "died" as const);
    isArmed = false;
    isOver = outcome === undefined;
    if (!isOver) deaths += 1;
    await dying.close().catch(() => {});
    const again = openSqliteStore({ ...needs, path, durability: "relaxed" });
    const found = await idsOf(again);
    expect(found, `death at ${at}`).toEqual(outcome === undefined ? [LAST] : [CHILD, LAST, ROOT].sort());
    expect(await verifyStore(again, path, dirname(path)), `death at ${at}`).toMatchObject({ findings: [] });
    if (outcome === "died") expect(await again.remove(OLD)).toBeUndefined();
    expect(await idsOf(again)).toEqual([LAST]);
    expect(await verifyStore(again, path, dirname(path))).toMatchObject({ threads: 1, findings: [] });
    await again.close();
  }
  expect(deaths).toBeGreaterThan(8);
});
