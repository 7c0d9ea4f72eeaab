/** Nothing waits for ever, nothing spins, and no state exists from which nothing wakes a thread. */
import { describe, expect, test } from "vitest";
import { StorageFailure } from "../../src/core/failure.ts";
import type { Tool } from "../../src/core/tool.ts";
import type { World } from "../../src/core/world.ts";
import { host, postRequest } from "../../src/runtime/index.ts";
import type { OpenedWorld } from "../../src/testing/universe.ts";
import { call, ID, rounds, stage } from "./stage.ts";

const HOSTED = { scope: ID, mayRecover: () => true, patienceMs: 1_000 };
const never = () => new Promise<never>(() => {});

/** Fails the test when a verb of the store is used more often than anything sane would. */
function bounded(world: World, verb: "leave" | "commit" | "claim", most: number): void {
  let times = 0;
  const act = world.store[verb] as (...given: unknown[]) => Promise<unknown>;
  const counted = (...given: unknown[]) => {
    times += 1;
    return times > most ? Promise.reject(new Error(`${verb} was used ${times} times`)) : act(...given);
  };
  Object.assign(world.store, { [verb]: counted });
}

/** Wraps the tools of a world. */
function changeTools(world: World, change: (tool: Tool) => Tool): void {
  const { tool } = world;
  Object.assign(world, {
    tool: (name: string) => {
      const found = tool(name);
      return found && change(found);
    },
  });
}

/** Claims the thread and dies before writing anything of its own. */
async function dieLoading(opened: OpenedWorld, look: World): Promise<void> {
  opened.world.store.load = never;
  host(opened.world, HOSTED).catch(() => {});
  while ((await look.store.find({ threadId: ID }))[0]?.owner !== opened.world.machine.owner) await rounds();
  await opened.kill();
}

describe("a host that is told to stop", () => {
  test("stops while a retried request hangs", async () => {
    const { world, seen, universe, make, row } = stage([{ fails: { status: 503 } }, { hangs: true }]);
    await make();
    const stop = new AbortController();
    const hosted = host(world, { ...HOSTED, signal: stop.signal });
    await seen("auto_retry_start");
    while (universe.clock.monotonic() < 2_000) await rounds();
    await rounds(30);
    bounded(world, "commit", 10);
    stop.abort();
    expect(await hosted).toEqual({ type: "idle" });
    expect(await row()).toMatchObject({ status: "running", owner: null });
  });

  test("stops a thread that was claimed and not loaded yet", async () => {
    const { world, make } = stage([{ hangs: true }]);
    await make();
    const stop = new AbortController();
    const { load } = world.store;
    world.store.load = (threadId) => {
      stop.abort();
      return load(threadId);
    };
    expect(await host(world, { ...HOSTED, signal: stop.signal })).toEqual({ type: "idle" });
  });
});

describe("a host that has nothing it may do", () => {
  test("leaves a damaged thread with a timer alone", async () => {
    const { world, make, row, seen } = stage([{ fails: { status: 503 } }, { says: "x" }]);
    await make();
    const stop = new AbortController();
    const before = host(world, { ...HOSTED, signal: stop.signal });
    await seen("auto_retry_start");
    stop.abort();
    await before;
    world.store.load = async () => ({ events: [], damage: { last_good: 3, why: "flipped" } });
    bounded(world, "leave", 20);
    expect(await host(world, HOSTED)).toEqual({ type: "idle" });
    expect((await row()).corrupt).toMatchObject({ last_good: 3 });
  });

  test("leaves a dead owner's thread with a due timer alone", async () => {
    const { play, seen, first, universe } = stage([{ fails: { status: 503 } }, { hangs: true }]);
    play().catch(() => {});
    await seen("auto_retry_start");
    while (universe.clock.monotonic() < 2_000) await rounds();
    await rounds(40);
    await first.kill();
    const { world } = universe.open();
    bounded(world, "leave", 5);
    expect(await host(world, { ...HOSTED, mayRecover: () => false })).toEqual({ type: "idle" });
  });

  test("still applies an end that somebody asked for", async () => {
    const { play, seen, first, universe, row } = stage([{ hangs: true }]);
    play().catch(() => {});
    await seen("step_start");
    const { nonce } = await row();
    await first.kill();
    const { world } = universe.open();
    await postRequest(world, {
      kind: "cancel",
      request_id: "c",
      thread_id: ID,
      by: "me",
      nonce,
      reason: "enough",
    });
    await host(world, { ...HOSTED, scope: "*", mayRecover: () => false });
    expect((await world.store.find({ threadId: ID }))[0]?.status).toBe("cancelled");
  });
});

describe("a thread that kills whoever loads it", () => {
  test("is parked although it never started, and its start is not lost in between", async () => {
    const { universe, first, make } = stage([{ says: "done" }]);
    await make();
    let opened = first;
    for (let death = 0; death < 3; death += 1) {
      await dieLoading(opened, universe.open().world);
      opened = universe.open();
    }
    await host(opened.world, HOSTED);
    const [row] = await opened.world.store.find({ threadId: ID });
    expect(row).toMatchObject({ status: "suspended", suspend_reason: "crash_loop", owner: null });
    const resume = {
      kind: "resume",
      request_id: "r",
      thread_id: ID,
      by: "me",
      nonce: row?.nonce ?? "",
    } as const;
    await postRequest(opened.world, resume);
    await host(opened.world, HOSTED);
    expect((await opened.world.store.find({ threadId: ID }))[0]?.status).toBe("completed");
  });

  test("can be cancelled", async () => {
    const { universe, first, make } = stage([{ says: "done" }]);
    await make();
    let opened = first;
    for (let death = 0; death < 3; death += 1) {
      await dieLoading(opened, universe.open().world);
      opened = universe.open();
    }
    const [row] = await opened.world.store.find({ threadId: ID });
    const nonce = row?.nonce ?? "";
    await postRequest(opened.world, {
      kind: "cancel",
      request_id: "c",
      thread_id: ID,
      by: "me",
      nonce,
      reason: "x",
    });
    await host(opened.world, HOSTED);
    expect((await opened.world.store.find({ threadId: ID }))[0]?.status).toBe("cancelled");
  });

  test("is not accused when its owners were fenced off alive", async () => {
    const { universe, play, seen } = stage([{ hangs: true }]);
    play().catch(() => {});
    await seen("step_start");
    for (let take = 0; take < 4; take += 1) {
      const opened = universe.open();
      host(opened.world, { ...HOSTED, mayTake: () => true }).catch(() => {});
      const owner = async () => (await opened.world.store.find({ threadId: ID }))[0]?.owner;
      while ((await owner()) !== opened.world.machine.owner) await rounds();
    }
    const { world } = universe.open();
    expect((await world.store.find({ threadId: ID }))[0]).toMatchObject({ status: "running", strikes: [] });
  });
});

describe("a lease in our own name that nobody walks", () => {
  test("a claim that landed although it failed", async () => {
    const { world, make, row } = stage([{ says: "done" }]);
    await make();
    const { claim } = world.store;
    let claims = 0;
    world.store.claim = async (ask) => {
      const answer = await claim(ask);
      claims += 1;
      if (claims === 1) throw new StorageFailure("EIO", "sync failed");
      return answer;
    };
    await host(world, HOSTED);
    expect((await row()).status).toBe("completed");
  });

  test("a load that failed once", async () => {
    const { world, make, row } = stage([{ says: "done" }]);
    await make();
    const { load } = world.store;
    let loads = 0;
    world.store.load = (threadId) => {
      loads += 1;
      return loads === 1 ? Promise.reject(new StorageFailure("EIO", "read failed")) : load(threadId);
    };
    await host(world, HOSTED);
    expect((await row()).status).toBe("completed");
  });

  test("a host that gave up on a full disk can take its threads up again", async () => {
    const { world, play, row, rehost } = stage(
      [{ calls: [call("send")] }, { says: "done" }],
      [{ name: "send", effect: "manual" }],
    );
    const { commit } = world.store;
    let full = true;
    let commits = 0;
    world.store.commit = (lease, batch) => {
      commits += 1;
      return full && commits >= 2
        ? Promise.reject(new StorageFailure("ENOSPC", "full"))
        : commit(lease, batch);
    };
    await expect(play()).rejects.toThrow("full");
    full = false;
    await rehost();
    expect((await row()).status).toBe("completed");
  });
});

test("two that take one thread from a third do not take it from each other for ever", async () => {
  const { universe, play, seen } = stage([{ hangs: 30 }, { says: "done" }]);
  play().catch(() => {});
  await seen("step_start");
  const worlds = [universe.open().world, universe.open().world];
  await Promise.all(worlds.map((world) => host(world, { ...HOSTED, mayTake: () => true })));
  const [row] = (await worlds[0]?.store.find({ threadId: ID })) ?? [];
  expect(row?.status).toBe("completed");
  expect(row?.epoch).toBeLessThan(5);
});

test("a probe that never answers cannot tell, and a cancel does not wait for it", async () => {
  const { play, seen, first, universe } = stage(
    [{ calls: [call("pay")] }, { says: "x" }],
    [{ name: "pay", effect: "probe", rounds: 1e9 }],
  );
  play().catch(() => {});
  await seen("tool_call_start");
  await first.kill();
  const opened = universe.open();
  changeTools(opened.world, (tool) => ({ ...tool, probe: never }));
  await host(opened.world, HOSTED);
  const { events } = await opened.world.store.load(ID);
  expect(events.find((event) => event.type === "crash_recovered")).toMatchObject({
    decisions: [{ tool: "pay", effect: "probe", decision: "unknown" }],
    model_call_again: false,
  });
});

test("after a surrender nothing runs that was not recorded", async () => {
  const { world, play, row, ask, rehost } = stage(
    [{ calls: [call("send")] }, { says: "done" }],
    [{ name: "send", effect: "manual" }],
  );
  const { commit } = world.store;
  let full = true;
  world.store.commit = (lease, batch) => {
    const intends = (batch.tail ?? []).some((event) => event.type === "tool_call_start");
    return full && intends ? Promise.reject(new StorageFailure("ENOSPC", "full")) : commit(lease, batch);
  };
  const ran: string[] = [];
  changeTools(world, (tool) => ({
    ...tool,
    // It does not look at its signal: only the runtime can keep it from running.
    run: async (_, { callKey }) => {
      ran.push(callKey);
      return { status: "ok", output: "sent" };
    },
  }));
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "storage" });
  expect(ran).toEqual([]);
  full = false;
  await ask({ kind: "resume" });
  await rehost();
  expect((await row()).status).toBe("completed");
  expect(ran).toHaveLength(1);
});

test("a host elsewhere that gives no sign loses its root", async () => {
  const { play, seen, universe, first } = stage([{ hangs: 1 }, { says: "done" }]);
  play().catch(() => {});
  await seen("step_start");
  first.mortal.isDead = true;
  const { world } = universe.open();
  const { machine, clock } = world;
  const gone = first.world.machine.owner;
  const ownerState = (owner: string) => (owner === gone ? "elsewhere" : machine.ownerState(owner));
  Object.assign(world, { machine: { ...machine, ownerState } });
  const before = clock.monotonic();
  expect(await host(world, HOSTED)).toEqual({ type: "idle" });
  expect((await world.store.find({ threadId: ID }))[0]?.status).toBe("completed");
  expect(clock.monotonic() - before).toBeGreaterThan(60_000);
});
