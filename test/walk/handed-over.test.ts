/** What a child's end wakes its parent to do lands in the flush of that end, or not at all. */
import { expect, test } from "vitest";
import type { HandOver } from "../../src/core/claim.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { play, readThread, type Story, storyUniverse } from "../../src/testing/index.ts";
import { diskError, scratch, watchedDriver } from "../store/disk.ts";
import { says, spawn } from "./family.ts";
import { call, ID, rounds, stage } from "./stage.ts";

const newPath = scratch();

/** A parent, a child and a child of that, each waiting for the one below. */
const generations: Story = {
  name: "three generations",
  steps: [{ calls: [spawn("middle", { wait: true })] }, { says: "done" }],
  tools: [],
  children: {
    middle: { steps: [{ calls: [spawn("last", { wait: true })] }, { says: "half" }] },
    last: { ...says("yes"), limits: { spend: "0.05" } },
  },
};

/** On a real database; `flushes` has the events of each, in order. */
function onDisk(story: Story, before: (sql: string, flush: number) => void = () => {}) {
  const oracle = { broken: [] as string[] };
  const path = newPath();
  const flushes: string[][] = [];
  let isOpen = false;
  const open = watchedDriver((sql) => {
    if (sql === "BEGIN IMMEDIATE") flushes.push([]);
    if (isOpen) before(sql, flushes.length);
  });
  const universe = storyUniverse(story, oracle, (needs) =>
    openSqliteStore({ ...needs, path, durability: "strict", open }),
  );
  const { world } = universe.open();
  flushes.length = 0;
  isOpen = true;
  const { commit } = world.store;
  const handed: boolean[] = [];
  world.store.commit = async (lease, batch, handOver) => {
    const noted: HandOver = (woken) => {
      const isTaken = handOver?.(woken) === true;
      handed.push(isTaken);
      return isTaken;
    };
    const answer = await commit(lease, batch, handOver && noted);
    if (!("refused" in answer))
      flushes
        .at(-1)
        ?.push(...answer.events.map(({ thread_id, type }) => `${thread_id.split("-")[0]} ${type}`));
    return answer;
  };
  return { world, universe, oracle, flushes, handed, play: () => play(world, story) };
}

test("the end of a child, and what its parent does then, are one flush", async () => {
  const { play, world, oracle, flushes, handed } = onDisk(generations);
  await play();
  expect((await readThread(world, ID)).thread.status).toBe("completed");
  expect(oracle.broken).toEqual([]);
  const ends = flushes.filter((each) => each.some((event) => event.endsWith("child_thread_completed")));
  expect(ends).toMatchObject([
    expect.arrayContaining(["last thread_completed", "middle child_thread_completed", "middle step_start"]),
    expect.arrayContaining(["middle thread_completed", "story child_thread_completed", "story step_start"]),
  ]);
  expect(handed).toEqual([true, true]);
});

test("where its end would stop a process, it waits until what woke it is durable", async () => {
  const server = call("managed_subprocess", { action: "start", command: "server" });
  const { play, world, handed, universe } = onDisk({
    ...{ name: "a server", tools: [], children: { last: says("yes") } },
    steps: [{ calls: [server] }, { calls: [spawn("last", { wait: true })] }, { says: "done" }],
  });
  await play();
  expect((await readThread(world, ID)).thread.status).toBe("completed");
  expect(
    universe.notices.some((each) => each.type === "event" && each.event.type === "process_stopped"),
  ).toBe(true);
  expect(handed).toEqual([false]);
});

test("nobody sees it before it is durable", async () => {
  const { play, world, flushes } = onDisk(generations);
  const { commit, find, load } = world.store;
  const seen: string[][] = [];
  const looks: Promise<unknown>[] = [];
  world.store.commit = (lease, batch, handOver) =>
    commit(lease, batch, (woken) => {
      const events = flushes.at(-1) ?? [];
      // What was acknowledged when they see something: whoever looks now, and a moment later.
      const look = async (see: () => Promise<unknown>) => {
        await see();
        seen.push([...events]);
      };
      looks.push(
        look(() => find({})),
        look(() => load(ID)),
      );
      looks.push(Promise.resolve().then(() => look(() => find({}))));
      return handOver?.(woken) === true;
    });
  await play();
  await Promise.all(looks);
  expect(seen).toHaveLength(6);
  for (const events of seen) expect(events.some((event) => event.endsWith("thread_completed"))).toBe(true);
});

test("the disk fails at any flush, once: nothing is lost, nothing is twice", async () => {
  const whole = onDisk(generations);
  await whole.play();
  // The first two make the thread and its host.
  for (let at = 3; at <= whole.flushes.length; at += 1) {
    let isBroken = true;
    const { play, world, universe, oracle } = onDisk(generations, (sql, flush) => {
      if (sql !== "COMMIT" || flush !== at || !isBroken) return;
      isBroken = false;
      throw diskError("ENOSPC");
    });
    await play();
    const { thread, events } = await readThread(world, ID);
    expect([at, thread.status, isBroken]).toEqual([at, "completed", false]);
    expect(events.filter(({ type }) => type === "child_thread_completed")).toHaveLength(1);
    expect(oracle.broken).toEqual([]);
    expect(universe.acknowledged.get(ID)).toEqual(events.slice(2)); // its birth is no commit
  }
});

test("a look that began before it was handed over does not take it for somebody else's", async () => {
  const steps = [{ calls: [spawn("last", { wait: true })] }, { says: "done" }];
  const last = { steps: [{ calls: [call("slow")] }, { says: "yes" }] };
  const slow = { name: "slow", effect: "pure" as const, rounds: 80 };
  const { play, world, universe, thread } = stage(steps, [slow], {}, { children: { last } });
  const { stirring, claim } = world.store;
  let claims = 0;
  world.store.claim = (ask) => {
    claims += ask.threadId === ID ? 1 : 0;
    return claim(ask);
  };
  let held = 0;
  world.store.stirring = async (...given) => {
    const found = await stirring(...given);
    const isParked = found.some(({ row }) => row.thread_id !== ID && row.owner !== null);
    if (!isParked || claims > 1) return found;
    const [parent] = await world.store.candidates(ID);
    held += 1;
    for (let round = 0; claims < 2 && round < 500; round += 1) await rounds();
    return parent ? [...found, parent] : found;
  };
  await play();
  expect(held).toBeGreaterThan(0);
  expect(claims).toBe(2);
  expect((await thread()).status).toBe("completed");
  expect(universe.notices.filter(({ type }) => type === "fenced")).toEqual([]);
});
