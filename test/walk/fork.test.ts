// A fork goes on from what another thread had said after one of its turns, and touches nothing of it (X5).
import { describe, expect, test } from "vitest";
import type { ForkPoint } from "../../src/core/fork.ts";
import type { ThreadId } from "../../src/core/id.ts";
import { toArray } from "../../src/core/log.ts";
import { leaveFor } from "../../src/core/rights.ts";
import { foldThread } from "../../src/core/thread.ts";
import { createFork, host, readForkPoints } from "../../src/runtime/index.ts";
import { readThread, type Story } from "../../src/testing/index.ts";
import * as stories from "../crash/stories.ts";
import { call, ID, stage } from "./stage.ts";

const FORK = "story-1767225600-forked" as ThreadId;
const send = { name: "send", effect: "manual" } as const;
const THREE = [
  { says: "one", calls: [call("send", { to: "a" })] },
  { says: "two", calls: [call("send", { to: "b" })] },
  { says: "three" },
  { says: "four" },
];

type Staged = ReturnType<typeof stage>;

async function pointOf(s: Staged, turn?: number, id: string = ID): Promise<ForkPoint> {
  const [row] = await s.world.store.find({ threadId: id });
  if (!row) throw new Error("no thread");
  const { points } = await readForkPoints(s.world, row);
  const found = turn === undefined ? points.at(-1) : points.find((point) => point.turn === turn);
  if (!found) throw new Error(`no turn ${turn} among ${points.map((point) => point.turn)}`);
  return found;
}

async function fork(s: Staged, point: ForkPoint, message?: string) {
  await createFork(s.world, FORK, point, { limits: point.now.limits, by: "me", message });
  await host(s.world, { scope: FORK, mayRecover: () => true, patienceMs: 1_000 });
  return readThread(s.world, FORK);
}

test("a fork goes on after its turn, with an account of its own, and the original stays as it is", async () => {
  const s = stage(THREE, [send], {}, { limits: { spend: "1.00" } });
  await s.play();
  const before = await s.events();
  const original = await s.thread();
  const { thread, events } = await fork(s, await pointOf(s, 1), "another way");
  expect(thread).toMatchObject({ status: "completed", parentId: null, rootId: FORK, chainRootId: FORK });
  expect(thread.forkedFrom).toEqual({
    thread_id: ID,
    turn: 1,
    seq: before.find(({ type }) => type === "step_finish")?.seq,
  });
  const [created] = events;
  if (created?.type !== "thread_created") throw new Error("no beginning");
  expect(created.conversation?.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(events[1]).toMatchObject({ type: "cognition_in", source: "me", text: "another way" });
  // The script goes on with its second answer: turns are counted on.
  expect(thread.turns).toBe(3);
  expect(toArray(thread.messages).slice(0, 3)).toEqual(toArray(original.messages).slice(0, 3));
  // Its own money: what it spent is its own, and nothing moved on the other's account.
  const account = await s.world.store.balance(FORK);
  expect(account?.account).toMatchObject({ parent: null, spent: thread.spent, held: 0 });
  expect(thread.spent).toBeGreaterThan(0);
  expect(thread.spent).toBeLessThan(original.spent);
  expect(await s.events()).toEqual(before);
  expect((await s.world.store.balance(ID))?.account.spent).toBe(original.spent);
});

describe("whatever state the original is in", () => {
  test("running, with calls in flight: cut where the last turn ended", async () => {
    const slow = { name: "slow", effect: "manual", rounds: 1e9 } as const;
    const steps = [THREE[0] ?? {}, { calls: [call("slow")] }, { says: "never" }];
    const s = stage(steps, [send, slow]);
    const playing = s.play();
    await s.seen("tool_call_start", 2);
    const before = await s.events();
    const point = await pointOf(s);
    expect(point.turn).toBe(1);
    await createFork(s.world, FORK, point, { limits: {}, by: "me" });
    const made = await readThread(s.world, FORK);
    expect(toArray(made.thread.messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(made.thread.step).toBeUndefined();
    expect(await s.events()).toEqual(before);
    await s.ask({ kind: "cancel" });
    await playing;
  });

  test("suspended at a limit, and cancelled", async () => {
    const s = stage(THREE, [send], {}, { limits: { turns: 1 } });
    await s.play();
    expect((await s.row()).status).toBe("suspended");
    expect((await pointOf(s)).turn).toBe(1);
    await s.ask({ kind: "cancel" });
    await s.rehost();
    expect((await s.row()).status).toBe("cancelled");
    expect((await pointOf(s)).turn).toBe(1);
  });

  test("never begun: turn 0 is its beginning", async () => {
    const s = stage(THREE, [send]);
    await s.make();
    const point = await pointOf(s);
    expect(point).toMatchObject({ turn: 0, seq: 2 });
    expect((await fork(s, point)).thread).toMatchObject({ status: "completed", turns: 3 });
  });

  test("a fork of a fork begins where that one began", async () => {
    const s = stage(THREE, [send]);
    await s.play();
    await fork(s, await pointOf(s, 1));
    const point = await pointOf(s, 1, FORK);
    expect(point).toMatchObject({ turn: 1, thread: { id: FORK } });
    expect(toArray(point.thread.messages)).toHaveLength(3);
  });
});

test("a chain is followed to the thread that holds the turn, with all that was said there", async () => {
  const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
  const work = (at: number, input: number) => ({
    says: `step ${at}`,
    calls: [call("send", { at })],
    usage: used(input),
  });
  const s = stage(
    [work(1, 3_000), work(2, 6_000), work(3, 9_500), { says: "all done", usage: used(1_000) }],
    [send],
    {},
    {
      model: { window: 10_000 },
      children: { thread_summary: { steps: [{ says: "notes", usage: used(300) }] } },
      limits: { spend: "1.00" },
    },
  );
  await s.play();
  const { continuation_thread_id: second } = await s.row();
  for (const named of [ID, second ?? ""]) {
    expect(await pointOf(s, 2, named)).toMatchObject({ turn: 2, thread: { id: ID } });
    expect(await pointOf(s, 4, named)).toMatchObject({ turn: 4, thread: { id: second } });
  }
  expect(toArray((await pointOf(s, 3)).thread.messages)).toHaveLength(7);
});

test("a child becomes a root that may do no more than it might, and what was taken since stays taken", async () => {
  const s = stage(
    [
      { calls: [call("thread_tool", { directive: "helper", wait: true, limits: { spend: "0.10" } })] },
      { says: "done" },
    ],
    [send],
    {},
    {
      limits: { spend: "1.00" },
      rights: {
        permissions: [
          ...["selvage.execute.tool.send", "selvage.execute.tool.thread_tool"],
          "selvage.execute.directive.*",
        ],
      },
      children: {
        helper: {
          steps: [{ says: "h", calls: [call("send")] }, { calls: [call("send")] }, { says: "ok" }],
          rights: { permissions: ["selvage.*"] },
        },
      },
    },
  );
  await s.play();
  const rows = await s.world.store.find({ rootId: ID });
  const child = rows.find(({ parent_id }) => parent_id !== null);
  if (!child) throw new Error("no child");
  const point = await pointOf(s, 1, child.thread_id);
  const { thread } = await fork(s, point);
  expect(thread).toMatchObject({ parentId: null, rootId: FORK, status: "completed" });
  const had = (await readThread(s.world, child.thread_id)).thread.rights;
  expect(thread.rights).toEqual(had);
  expect(leaveFor(thread.rights, "selvage.execute.tool.send")).toBe("free");
  expect(leaveFor(thread.rights, "selvage.execute.tool.bash")).toBe("denied");
});

test.each(["recorded", "only asked for"])(
  "a right that was revoked after the turn (%s) does not come back",
  async (how) => {
    const s = stage(THREE, [send], {}, { limits: { turns: 2 } });
    await s.play();
    await s.ask({ kind: "revoke", rights: ["selvage.execute.tool.send"] });
    if (how === "recorded") await s.rehost();
    const { thread } = await fork(s, await pointOf(s, 1));
    expect(leaveFor(thread.rights, "selvage.execute.tool.send")).toBe("denied");
  },
);

const STORIES = Object.values(stories).filter(
  (story): story is Story => typeof story === "object" && "steps" in story,
);

test.each(STORIES.map((story) => [story.name, story] as const))(
  "of %s, every point is a prefix of the conversation, whole",
  async (_, story) => {
    const { storyUniverse, play } = await import("../../src/testing/index.ts");
    const { world } = storyUniverse(story, { broken: [] }).open();
    await play(world, story);
    for (const row of await world.store.find({})) {
      const { events } = await world.store.load(row.thread_id);
      const compacted = events.some(({ type }) => type === "context_compaction_end");
      const whole = toArray(foldThread(row.thread_id, events).messages);
      for (const { thread, seq } of (await readForkPoints(world, row)).points) {
        if (thread.id !== row.thread_id || compacted) continue;
        const said = toArray(thread.messages);
        expect(said).toEqual(whole.slice(0, said.length));
        expect(events[seq - 1]?.seq).toBe(seq);
        expect(thread.step).toBeUndefined();
        const calls = said.flatMap((each) => (each.role === "assistant" ? each.blocks : []));
        const results = said.flatMap((each) => (each.role === "tool" ? each.results : []));
        expect(results.map(({ call_id }) => call_id).sort()).toEqual(
          calls.flatMap((block) => (block.type === "call" ? [block.call_id] : [])).sort(),
        );
      }
    }
  },
);

test.each(["landed", "lost"] as const)(
  "a death at any write of a fork (%s): it is there whole, or not at all",
  async (fate) => {
    for (let at = 1, writes = 1; at <= writes; at += 1) {
      const s = stage(THREE, [send]);
      await s.play();
      const before = await s.events();
      const point = await pointOf(s, 1);
      const { world, mortal, kill } = s.universe.open({ at, fate });
      const forked = (async () => {
        await createFork(world, FORK, point, { limits: {}, by: "me", message: "again" });
        await host(world, { scope: FORK, mayRecover: () => true, patienceMs: 1_000 });
      })();
      forked.catch(() => {});
      await Promise.race([forked, mortal.died]);
      writes = Math.max(writes, mortal.writes + (mortal.isDead ? 1 : 0));
      await kill();
      const after = s.universe.open().world;
      await host(after, { scope: FORK, mayRecover: () => true, patienceMs: 1_000 });
      const [row] = await after.store.find({ threadId: FORK });
      if (row)
        expect((await readThread(after, FORK)).thread).toMatchObject({ status: "completed", turns: 3 });
      else expect({ at, fate }).toEqual({ at: 1, fate: "lost" });
      expect((await readThread(after, ID)).events).toEqual(before);
      if (!mortal.isDead) break;
    }
  },
);
