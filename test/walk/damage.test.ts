import { expect, test } from "vitest";
import { call, ID, stage } from "./stage.ts";

const dead = { fails: { status: 503 } };

test("a damaged journal is set aside with its last good event, and can only be ended", async () => {
  const { play, world, row, ask, rehost, universe } = stage([dead, dead, dead, dead, { says: "never" }]);
  await play();
  const { load } = world.store;
  world.store.load = async (threadId) => {
    const { events } = await load(threadId);
    return { events: events.slice(0, 4), damage: { last_good: 4, why: "event 5 does not match its hash" } };
  };
  await ask({ kind: "resume" });
  await rehost();
  expect(await row()).toMatchObject({ status: "suspended", corrupt: { last_good: 4 }, owner: null });
  expect(universe.notices.some((notice) => notice.type === "damaged")).toBe(true);
  expect(await ask({ kind: "resume" })).toMatchObject({ accepted: false });
  await ask({ kind: "mark_error", reason: "beyond repair" });
  await rehost();
  expect(await row()).toMatchObject({ status: "error", error: "beyond repair" });
});

test("a transcript ahead of the store proves that the store lost events", async () => {
  const { play, world, row, ask, rehost, universe, events } = stage([
    dead,
    dead,
    dead,
    dead,
    { says: "never" },
  ]);
  await play();
  const [last] = (await events()).slice(-1);
  if (last) universe.transcripts.get(ID)?.push({ ...last, seq: last.seq + 1 });
  await ask({ kind: "resume" });
  await rehost();
  expect((await row()).corrupt?.why).toContain("ahead of the store");
  expect(await world.store.openRequests(ID)).toHaveLength(1);
});

test("a thread that takes its owners down three times in ten minutes is parked, without being loaded", async () => {
  const { play, universe, first } = stage([{ hangs: true }]);
  let opened = first;
  for (let death = 0; death < 3; death += 1) {
    play(opened).catch(() => {});
    while (
      (await universe.open().world.store.find({ threadId: ID }))[0]?.owner !== opened.world.machine.owner
    ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Dies right after its claim, before it wrote anything of its own.
    await opened.kill();
    opened = universe.open();
  }
  opened.world.store.load = () => Promise.reject(new Error("loading it kills us"));
  await play(opened);
  const [found] = await opened.world.store.find({ threadId: ID });
  expect(found).toMatchObject({ status: "suspended", suspend_reason: "crash_loop", owner: null });
});

test("a thread that makes progress between deaths is not blamed", async () => {
  const steps = [1, 2, 3, 4].map((n) => ({ calls: [call("send", { n })] }));
  const { universe, play, first } = stage([...steps, { says: "done" }], [{ name: "send", effect: "manual" }]);
  let opened = first;
  for (let turn = 1; turn <= 4; turn += 1) {
    const before = universe.effects.length;
    play(opened).catch(() => {});
    while (universe.effects.length === before) await new Promise((resolve) => setImmediate(resolve));
    await opened.kill();
    opened = universe.open();
  }
  await play(opened);
  const [found] = await opened.world.store.find({ threadId: ID });
  expect(found).toMatchObject({ status: "completed", recoveries: 4 });
});
