// A request that is made again has a hold of its own: what the one before it cost is booked, whatever stopped it.
import { expect, test } from "vitest";
import { StorageFailure } from "../../src/core/failure.ts";
import type { Model } from "../../src/core/model.ts";
import type { World } from "../../src/core/world.ts";
import { host } from "../../src/runtime/index.ts";
import { ID, stage } from "./stage.ts";

/** Counts the requests that leave this world. */
function counting(world: World, asked: { requests: number }): void {
  const { model } = world;
  const counted = (found: Model): Model => ({
    ...found,
    ask: (...given) => {
      asked.requests += 1;
      return found.ask(...given);
    },
  });
  Object.assign(world, {
    model: (name: string) => {
      const found = model(name);
      return found && counted(found);
    },
  });
}

async function holdsAndBills(world: World) {
  const { events } = await world.store.load(ID);
  const holds = events.flatMap((event) => (event.type === "step_start" && event.hold ? [event.hold.id] : []));
  const bills = events.flatMap((event) => ("bill" in event && event.bill ? [event.bill.hold] : []));
  return { holds: new Set(holds).size, bills: bills.length };
}

test("after a crash loop the request that was under way is charged, and the next one held for", async () => {
  const asked = { requests: 0 };
  const { play, universe, first } = stage([{ hangs: true }] as never);
  let opened = first;
  for (let death = 1; death <= 3; death += 1) {
    counting(opened.world, asked);
    play(opened).catch(() => {});
    while (asked.requests < death) await new Promise((resolve) => setImmediate(resolve));
    await opened.kill();
    opened = universe.open();
  }
  await play(opened);
  const { store } = opened.world;
  const [parked] = await store.find({ threadId: ID });
  expect(parked).toMatchObject({ status: "suspended", suspend_reason: "crash_loop" });
  counting(opened.world, asked);
  await store.post([
    { kind: "resume", request_id: "r", thread_id: ID, by: "me", nonce: parked?.nonce ?? "" },
  ]);
  play(opened).catch(() => {});
  while (asked.requests < 4) await new Promise((resolve) => setImmediate(resolve));
  expect(await holdsAndBills(opened.world)).toEqual({ holds: 4, bills: 3 });
  await opened.kill();
});

test("an answer that the disk did not take is paid for, and asked for again with a hold of its own", async () => {
  const asked = { requests: 0 };
  const { play, world, row, ask, rehost } = stage([{ says: "done" }]);
  counting(world, asked);
  let full = true;
  const { commit } = world.store;
  world.store.commit = (lease, batch) => {
    const large = batch.events.some((event) => event.type === "cognition_out");
    if (full && large) return Promise.reject(new StorageFailure("ENOSPC", "disk full"));
    return commit(lease, batch);
  };
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "storage" });
  full = false;
  await ask({ kind: "resume" });
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", held: 0 });
  expect(asked.requests).toBe(2);
  expect(await holdsAndBills(world)).toEqual({ holds: 2, bills: 2 });
});

test("a thread that is cancelled after its owner died pays for the request that was under way", async () => {
  const asked = { requests: 0 };
  const { play, universe, first, seen } = stage([{ hangs: true }] as never);
  counting(first.world, asked);
  play().catch(() => {});
  await seen("step_start");
  await first.kill();
  const { world } = universe.open();
  const [row] = await world.store.find({ threadId: ID });
  const { nonce = "", held = 0 } = row ?? {};
  expect(held).toBeGreaterThan(0);
  const cancel = { kind: "cancel" as const, request_id: "c", thread_id: ID, by: "me", reason: "enough" };
  await world.store.post([{ ...cancel, nonce }]);
  await host(world, { scope: ID, mayRecover: () => false, patienceMs: 1_000 });
  expect(await world.store.find({ threadId: ID })).toMatchObject([
    { status: "cancelled", spent: held, held: 0 },
  ]);
  expect(await world.store.balance(ID)).toMatchObject({
    account: { spent: held, held: 0, ended: true },
    open: [],
  });
});
