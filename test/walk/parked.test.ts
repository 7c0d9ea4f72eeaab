// Threads that stand still: a host reads nothing of them until something is asked of one, and misses nothing.
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import type { World } from "../../src/core/world.ts";
import { host, postRequest } from "../../src/runtime/index.ts";
import { rounds, stage, unreplayed } from "./stage.ts";

const idOf = (index: number) => `still-1767225600-${String(index).padStart(6, "0")}`;

/** More than the folders that are watched. */
async function parked(count: number, until?: number) {
  const staged = stage([{ says: "done" }]);
  unreplayed(staged.universe);
  const { world } = staged;
  const date =
    until === undefined ? {} : { until: new Date(until).toISOString(), follows: "resume" as const };
  const waits_for = { kind: "person", what: "w", who: "p", how: "h", ...date } as const;
  for (let index = 0; index < count; index += 1) {
    const id = idOf(index);
    const created: NewEvent = {
      ...{ type: "thread_created", directive: "story", inputs: {}, model: "scripted/story", system: "" },
      ...{
        tools: [],
        limits: {},
        chain_root_id: id,
        root_id: id,
        parent_id: null,
        run: 1,
        nonce: `n${index}`,
      },
    };
    const suspended: NewEvent = { type: "thread_suspended", reason: "error", message: "m", waits_for };
    const events = [created, { type: "thread_started", run: 1 } as const, suspended];
    await world.store.create({ threadId: id, events, requests: [] });
  }
  return staged;
}

function hosted(world: World) {
  const seen = { rows: 0, all: 0 };
  let names = 0;
  const { store } = world;
  const watched: World["store"] = {
    ...store,
    candidates: (scope) => {
      seen.all += 1;
      return store.candidates(scope);
    },
    names: (scope, slice) => {
      names += 1;
      return store.names(scope, slice);
    },
    stirring: async (scope, until) => {
      const found = await store.stirring(scope, until);
      seen.rows += found.length;
      return found;
    },
  };
  const over = new AbortController();
  const options = { scope: "*", stays: true, mayRecover: () => true, patienceMs: 1, signal: over.signal };
  const ended = host({ ...world, store: watched }, options);
  const stop = async () => {
    over.abort();
    await ended;
  };
  return { seen, stop, names: () => names };
}

async function status(world: World, index: number): Promise<string | undefined> {
  const [row] = await world.store.find({ threadId: idOf(index) });
  return row?.status;
}

async function comes(look: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 20_000; round += 1) {
    if (await look()) return;
    await rounds();
  }
  throw new Error("it never came");
}

test("nothing of them is read, however long the host stays, and one that is asked moves alone", async () => {
  const { world, universe } = await parked(40);
  const { seen, stop } = hosted(world);
  const begun = universe.clock.monotonic();
  await comes(async () => universe.clock.monotonic() - begun > 30_000);
  expect(seen).toEqual({ rows: 0, all: 0 });
  const { nonce = "" } = (await world.store.find({ threadId: idOf(7) }))[0] ?? {};
  await postRequest(world, {
    ...{ kind: "cancel", request_id: "c", thread_id: idOf(7), by: "t", nonce, reason: "r" },
  });
  await comes(async () => (await status(world, 7)) === "cancelled");
  await stop();
  expect(seen.all).toBe(0);
  expect(seen.rows).toBeLessThan(5);
  expect((await world.store.tally()).suspended).toBe(39);
});

test("a file for a thread whose folder nobody watches is taken with a beat", async () => {
  const { world, universe } = await parked(1_250);
  universe.cancelFiles.push({ threadId: idOf(1_249), nonce: "n1249", reason: "r" });
  const { stop } = hosted(world);
  await comes(async () => (await status(world, 1_249)) === "cancelled");
  const asked = universe.clock.monotonic();
  universe.cancelFiles.push({ threadId: idOf(1_100), nonce: "n1100", reason: "r" });
  await comes(async () => (await status(world, 1_100)) === "cancelled");
  expect(universe.clock.monotonic() - asked).toBeLessThanOrEqual(11_000);
  await stop();
});

test("who rings all the time does not have all folders looked into each time; a file that came with it is soon found", async () => {
  const { world, universe } = await parked(40);
  const { stop, names } = hosted(world);
  await comes(async () => universe.clock.monotonic() >= 1_000);
  const [before, from] = [names(), universe.clock.monotonic()];
  for (let ring = 0; ring < 200; ring += 1) {
    world.machine.ring(world.machine.owner);
    await rounds(2);
  }
  expect(names() - before).toBeLessThan(2 + (universe.clock.monotonic() - from) / 250);
  universe.cancelFiles.push({ threadId: idOf(3), nonce: "n3", reason: "r" });
  const asked = universe.clock.monotonic();
  world.machine.ring(world.machine.owner);
  await comes(async () => (await status(world, 3)) === "cancelled");
  expect(universe.clock.monotonic() - asked).toBeLessThanOrEqual(300);
  await stop();
});

test("a date that is far away is kept, and not missed when it comes", async () => {
  const { world, universe } = await parked(3, Date.UTC(2026, 0, 1) + 600_000);
  const begun = universe.clock.now();
  const { seen, stop } = hosted(world);
  await comes(async () => universe.clock.now() - begun > 300_000);
  expect(seen.rows).toBe(0);
  await comes(async () => (await status(world, 2)) !== "suspended");
  expect(universe.clock.now() - begun).toBeGreaterThanOrEqual(599_000);
  expect(universe.clock.now() - begun).toBeLessThan(603_000);
  await stop();
});
