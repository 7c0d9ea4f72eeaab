// A host that stays: it hosts everything but what another process hosts, and no thread ends it.
import { expect, test } from "vitest";
import type { ThreadId } from "../../src/core/id.ts";
import type { World } from "../../src/core/world.ts";
import { createThread, host } from "../../src/runtime/index.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";
import { call, ID, rounds, stage, unreplayed } from "./stage.ts";

const OTHER = "other-1767225600-000001" as ThreadId;
const ask = { directive: STORY_DIRECTIVE, inputs: {}, tools: ["look"], by: "test" };

function hostAll(world: World) {
  const stop = new AbortController();
  const options = { scope: "*", stays: true, mayRecover: () => true, patienceMs: 1, signal: stop.signal };
  const hosted = host(world, options);
  return { stop: () => stop.abort(), hosted };
}

async function until(look: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 20_000; round += 1) {
    if (await look()) return;
    await rounds();
  }
  throw new Error("it never came");
}

const statusOf = async (world: World, threadId: string) =>
  (await world.store.find({ threadId, limit: 1 }))[0]?.status;

test("a thread that fails in a way of its own is parked after three tries; the others go on", async () => {
  const { world, universe } = stage([{ says: "done" }], [{ name: "look", effect: "pure" }]);
  // What fails is a port that is exchanged.
  unreplayed(universe);
  await createThread(world, ID, ask);
  await createThread(world, OTHER, ask);
  const reconcile: World["exports"]["reconcile"] = (threadId, events) => {
    if (threadId === ID) throw new Error("no such thing as luck");
    return world.exports.reconcile(threadId, events);
  };
  const { stop, hosted } = hostAll({ ...world, exports: { ...world.exports, reconcile } });
  await until(async () => (await statusOf(world, OTHER)) === "completed");
  await until(async () => (await statusOf(world, ID)) === "suspended");
  const [row] = await world.store.find({ threadId: ID });
  expect(row).toMatchObject({ suspend_reason: "crash_loop", owner: null });
  expect(row?.error).toBe("It failed 3 times within ten minutes: no such thing as luck");
  expect(universe.notices.filter(({ type }) => type === "walk_failed")).toHaveLength(3);
  // What comes later is hosted all the same.
  const third = "third-1767225600-000002" as ThreadId;
  await createThread(world, third, ask);
  await until(async () => (await statusOf(world, third)) === "completed");
  stop();
  expect(await hosted).toEqual({ type: "idle" });
});

test("a root that another live process hosts is left to it, until that one is gone", async () => {
  const { universe, first, seen, world } = stage(
    [{ says: "a", calls: [call("look")] }, { says: "done" }],
    [{ name: "look", effect: "pure", rounds: 400 }],
  );
  await createThread(world, ID, ask);
  const row = { host_id: "single", owner: first.world.machine.owner, socket: null, scope: ID, beats: 0 };
  await world.store.enroll(row, "join");
  const second = universe.open();
  const { stop, hosted } = hostAll(second.world);
  await createThread(second.world, OTHER, ask);
  await until(async () => (await statusOf(second.world, OTHER)) === "completed");
  expect(await statusOf(second.world, ID)).toBe("created");
  await first.kill();
  await until(async () => (await statusOf(second.world, ID)) === "completed");
  await seen("thread_completed", 2);
  stop();
  expect(await hosted).toEqual({ type: "idle" });
});

test("what is asked is told to the host of the root, before the host of everything", async () => {
  const { world, universe } = stage([{ says: "done" }]);
  await createThread(world, ID, ask);
  const { owner } = world.machine;
  await world.store.enroll({ host_id: "1", owner, socket: "all", scope: "*", beats: 0 }, "join");
  const post = async (request_id: string) => {
    const request = { kind: "message" as const, request_id, thread_id: ID, by: "me", text: "hi" };
    const [posted] = await world.store.post([request]);
    return posted?.accepted ? posted.host?.socket : undefined;
  };
  expect(await post("a")).toBe("all");
  const single = universe.open().world.machine.owner;
  await world.store.leave("1", () => true);
  await world.store.enroll({ host_id: "2", owner: single, socket: "one", scope: ID, beats: 0 }, "join");
  await world.store.enroll({ host_id: "1", owner, socket: "all", scope: "*", beats: 0 }, "join");
  expect(await post("b")).toBe("one");
});
