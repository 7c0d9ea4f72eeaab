// A host that stays: it hosts everything but what another process hosts, and no thread ends it.
import { expect, test } from "vitest";
import type { ThreadId } from "../../src/core/id.ts";
import { Problem } from "../../src/core/problem.ts";
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

test.each([
  ["an idle one hears of it with its beat", undefined],
  ["with its beat one whose tools run, and stops them first", "cognition_out"],
  ["with its next commit one whose thread writes", "tool_call_start"],
] as const)("a store that is gone ends its host: %s", async (_, after) => {
  const { world, universe, seen } = stage(
    [{ says: "a", calls: [call("look")] }, { says: "done" }],
    [{ name: "look", effect: "pure", rounds: 1_000_000 }],
  );
  // Nothing of what it did at the end is stored.
  unreplayed(universe);
  if (after) await createThread(world, ID, ask);
  const ended = hostAll(world).hosted.catch((error) => error);
  if (after) await seen(after);
  else await rounds(50);
  const gone = () => Promise.reject(new Problem("E_STORE_GONE", { what: "gone" }));
  Object.assign(world.store, { beat: gone, commit: gone, claim: gone, leave: gone });
  expect(await ended).toMatchObject({ code: "E_STORE_GONE" });
  expect([...world.machine.walking]).toEqual([]);
  expect(universe.effects).toEqual([]);
  // It is nobody's own failure.
  expect(universe.notices.filter(({ type }) => type === "walk_failed")).toEqual([]);
});

test("a store that is gone ends its host, whatever a tool does that hears nothing", async () => {
  const { world, universe, seen } = stage(
    [{ says: "a", calls: [call("look")] }, { says: "done" }],
    [{ name: "look", effect: "pure" }],
  );
  unreplayed(universe);
  const { tool } = world;
  const deaf: World["tool"] = (name) => {
    const found = tool(name);
    return found && { ...found, run: () => new Promise(() => {}) };
  };
  Object.assign(world, { tool: deaf });
  await createThread(world, ID, ask);
  const ended = hostAll(world).hosted.catch((error) => error);
  await seen("cognition_out");
  const gone = () => Promise.reject(new Problem("E_STORE_GONE", { what: "gone" }));
  Object.assign(world.store, { beat: gone, commit: gone, claim: gone, leave: gone });
  expect(await ended).toMatchObject({ code: "E_STORE_GONE" });
});
