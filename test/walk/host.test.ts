import { expect, test } from "vitest";
import { createThread, host, planRecovery } from "../../src/runtime/index.ts";
import { findOrphans } from "../../src/runtime/recovery.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";
import { call, ID, stage } from "./stage.ts";

const steps = [{ says: "a", calls: [call("send"), call("look"), call("pay")] }, { says: "done" }];
const tools = [
  { name: "send", effect: "manual" as const, rounds: 1e9 },
  { name: "look", effect: "pure" as const, rounds: 1e9 },
  { name: "pay", effect: "probe" as const, rounds: 1e9 },
];

test("a root has one live host; the second is told who it is", async () => {
  const { play, universe, seen, ask, first } = stage([{ hangs: true }]);
  const played = play();
  await seen("step_start");
  const second = universe.open();
  const end = await host(second.world, { scope: ID, mayRecover: () => true, patienceMs: 1 });
  expect(end).toMatchObject({ type: "refused", by: { owner: first.world.machine.owner } });
  await ask({ kind: "cancel" });
  await played;
});

test("the plan tells every call in flight with its class and what would be done, and changes nothing", async () => {
  const { play, seen, first, universe } = stage(steps, tools);
  play().catch(() => {});
  await seen("tool_call_start", 3);
  await first.kill();
  const { world } = universe.open();
  const orphans = await findOrphans(world);
  const [line] = await planRecovery(world, orphans);
  expect(line?.in_flight.map((each) => [each.tool, each.effect, each.decision])).toEqual([
    ["send", "manual", "unknown"],
    ["look", "pure", "rerun"],
    ["pay", "probe", "rerun"],
  ]);
  const [row] = await world.store.find({ threadId: ID });
  expect(row).toMatchObject({ epoch: 1, owner: first.world.machine.owner });
});

test("a dead owner's thread waits for a person unless told otherwise", async () => {
  const { play, seen, first, universe } = stage(steps, tools);
  play().catch(() => {});
  await seen("tool_call_start", 3);
  await first.kill();
  const { world } = universe.open();
  expect(await host(world, { scope: ID, mayRecover: () => false, patienceMs: 1 })).toEqual({ type: "idle" });
  expect((await world.store.find({ threadId: ID }))[0]?.epoch).toBe(1);
});

test("of two recoverers one wins and the other writes nothing", async () => {
  const { play, seen, first, universe } = stage(
    [{ calls: [call("send")] }, { says: "done" }],
    [{ name: "send", effect: "manual", rounds: 60 }],
  );
  play().catch(() => {});
  await seen("tool_call_start");
  await first.kill();
  const worlds = [universe.open(), universe.open()];
  const options = { scope: ID, mayRecover: () => true, patienceMs: 1 };
  const ends = await Promise.all(worlds.map(({ world }) => host(world, options)));
  expect(ends.map((end) => end.type).sort()).toEqual(["idle", "refused"]);
  const [row] = (await worlds[0]?.world.store.find({ threadId: ID })) ?? [];
  expect(row).toMatchObject({ status: "completed", recoveries: 1 });
});

test("an owner that is alive is not robbed, whatever the clock says; --take fences it and its late commits are refused", async () => {
  const { play, seen, universe, first } = stage(
    [{ calls: [call("slow")] }, { says: "done" }],
    [{ name: "slow", effect: "pure", rounds: 300 }],
  );
  const played = play();
  await seen("tool_call_start");
  universe.clock.jump(10 * 365 * 86_400_000);
  const { world } = universe.open();
  const options = { scope: ID, mayRecover: () => true, patienceMs: 1 };
  expect(await host(world, options)).toMatchObject({ type: "refused" });
  const taken = host(world, { ...options, mayTake: () => true });
  await Promise.all([taken, played]);
  const [row] = await world.store.find({ threadId: ID });
  expect(row).toMatchObject({ status: "completed", epoch: 2, recoveries: 1 });
  expect(universe.notices).toContainEqual({ type: "fenced", threadId: ID });
  expect(first.mortal.isDead).toBe(false);
});

test.each(["stream", "tool"] as const)(
  "a host that stops in a %s parks its threads; the next one goes on",
  async (where) => {
    const rounds = where === "tool" ? 1e9 : 1;
    const step = {
      says: "a",
      calls: [call("look")],
      ...(where === "stream" ? { hangs: true as const } : {}),
    };
    const { universe, seen, world, row, play } = stage(
      [step, { says: "done" }],
      [{ name: "look", effect: "manual", rounds }],
    );
    const stop = new AbortController();
    const tools = ["look"];
    await createThread(world, ID, { directive: STORY_DIRECTIVE, inputs: {}, tools, by: "test" });
    const hosted = host(world, { scope: ID, mayRecover: () => true, patienceMs: 1, signal: stop.signal });
    await seen(where === "tool" ? "tool_call_start" : "tool_call_result");
    stop.abort();
    expect(await hosted).toEqual({ type: "idle" });
    expect(await row()).toMatchObject({ status: "running", owner: null, waits_for: null });
    expect(await world.store.hosts()).toEqual([]);
    const second = universe.open();
    expect((await findOrphans(second.world)).map((orphan) => orphan.thread_id)).toEqual([ID]);
    await play(second);
    expect(await row()).toMatchObject({ status: "completed", recoveries: 0 });
  },
);

test("who is orphaned", async () => {
  const { world, play, universe, seen, first } = stage([{ fails: { status: 503 } }, { says: "done" }]);
  await createThread(world, ID, { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" });
  expect(await findOrphans(world)).toHaveLength(1);
  play().catch(() => {});
  await seen("auto_retry_start");
  expect(await findOrphans(world)).toEqual([]);
  await first.kill();
  const second = universe.open();
  expect(await findOrphans(second.world)).toHaveLength(1);
  await play(second);
  expect(await findOrphans(second.world)).toEqual([]);
});

test("an owner on another host is taken for dead when its beats stand still, and not while they move", async () => {
  const { universe, seen, play, first } = stage(
    [{ calls: [call("send")] }, { says: "done" }],
    [{ name: "send", effect: "manual", rounds: 1e9 }],
  );
  play().catch(() => {});
  await seen("tool_call_start");
  const second = universe.open();
  const { machine, store, clock } = second.world;
  const elsewhere = (owner: string) =>
    owner === first.world.machine.owner ? "elsewhere" : machine.ownerState(owner);
  Object.assign(second.world, { machine: { ...machine, ownerState: elsewhere } });
  first.mortal.isDead = true;
  // It is gone, but from here that cannot be seen: only that its beats, for another root, move for a while.
  const [row] = await store.hosts();
  const foreign = { ...row, host_id: "foreign", scope: "other", beats: 1 } as NonNullable<typeof row>;
  await store.leave(row?.host_id ?? "", () => true);
  await store.enroll(foreign, "join");
  const beating = (async () => {
    for (let beats = 0; beats < 10; beats += 1) {
      await clock.sleep(10_000);
      await store.beat("foreign");
    }
  })();
  const before = clock.monotonic();
  await host(second.world, { scope: ID, mayRecover: () => true, patienceMs: 1 });
  expect((await store.find({ threadId: ID }))[0]).toMatchObject({ status: "completed", recoveries: 1 });
  await beating;
  expect(clock.monotonic() - before).toBeGreaterThan(150_000);
});
