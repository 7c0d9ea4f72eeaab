// The actors of all chats: what one of them cannot read holds up nobody, and is read again.
import { expect, test } from "vitest";
import type { Event, LiveEvent } from "../../src/core/event.ts";
import { StorageFailure } from "../../src/core/failure.ts";
import type { Store } from "../../src/core/store.ts";
import { Actors } from "../../src/surface/chat/actors.ts";
import type { ChatRules } from "../../src/surface/chat/rules.ts";
import { passes, quiet, talking, until } from "./stage.ts";

const hello = Array.from({ length: 20 }, (_, at) => ({ says: `Answer ${at + 1}.` }));
const room = { platform: "fake", chat: "room" };

/** A store whose journals can be made to fail, or never to come. */
function moody() {
  const mood: { load: (threadId: string) => "well" | "fails" | "hangs" } = { load: () => "well" };
  const dressed = (store: Store): Store => ({
    ...store,
    load: async (threadId) => {
      const how = mood.load(threadId);
      if (how === "fails") throw new StorageFailure("EIO", "the disk does not answer");
      if (how === "hangs") await new Promise(() => {});
      return store.load(threadId);
    },
  });
  return { mood, dressed };
}

/** A talk that was left with an answer nobody could be told. */
async function leftBehind() {
  const { mood, dressed } = moody();
  const stage = talking(hello, { dressed });
  const first = await stage.open();
  stage.platform.limits("room", 200_000);
  await stage.platform.say("room", "@selvage hi");
  const isAnswered = async () => {
    const [row] = await first.world.store.find({ address: "fake:room", limit: 1 });
    const { events } = row ? await first.world.store.load(row.thread_id) : { events: [] };
    return events.some(({ type }) => type === "message_answered");
  };
  while (!(await isAnswered())) await new Promise((resolve) => setImmediate(resolve));
  await first.close();
  expect(stage.shown()).toEqual([]);
  return { ...stage, mood };
}

test("what could not be read when the bot began is read a little later, and answered then", async () => {
  const { open, mood, shown, troubles } = await leftBehind();
  let fails = 2;
  mood.load = () => (fails-- > 0 ? "fails" : "well");
  const { close, bot } = await open();
  await bot.settled();
  await until(() => shown().includes("Answer 1."), "the answer");
  expect(troubles.filter((each) => each === "the disk does not answer")).toHaveLength(2);
  await close();
});

test("one that never comes back from the disk: the bot begins, the others are answered, and it ends", async () => {
  const { open, mood, shown, platform, universe } = await leftBehind();
  const [row] = await universe.open().world.store.find({ address: "fake:room", limit: 1 });
  let isFirst = true;
  mood.load = (threadId) => {
    const hangs = isFirst && threadId === row?.thread_id;
    if (hangs) isFirst = false;
    return hangs ? "hangs" : "well";
  };
  const { close } = await open();
  // What is stored is acknowledged, whether or not anybody can tell the answer.
  await platform.say("room", "are you there?");
  await quiet();
  await platform.say("other", "@selvage hi");
  await until(() => shown("other").includes("Answer 1."), "the other's answer");
  await close();
});

test("a flood: what others say is stored between its messages, not after them", async () => {
  const { open, platform, shown } = talking([{ says: "Answer 1." }, { hangs: true }]);
  const { close } = await open();
  await platform.say("flood", "@selvage hi");
  await until(() => shown("flood").length === 1, "an answer");
  let stored = 0;
  const flood = Array.from({ length: 100 }, (_, n) =>
    platform.say("flood", `@selvage ${n}`).then(() => {
      stored += 1;
    }),
  );
  await platform.say("other", "@selvage hi");
  expect(stored).toBeLessThan(20);
  await Promise.all(flood);
  await close();
});

const RULES: ChatRules = {
  access: () => ({ talk: "everybody", command: "everybody", approve: [] }),
  directive: () => "chat",
  hidesCosts: () => false,
  showsProgress: () => true,
  idleMs: 3_600_000,
  lateMs: 60_000,
  schedules: [],
  attachments: { max_mb: 1, types: [] },
};

/** The actors alone, over what a talk has left in the store. */
async function alone() {
  const stage = await leftBehind();
  const { world } = stage.universe.open();
  let isBroken = false;
  const store: Store = {
    ...world.store,
    load: async (threadId) => {
      if (isBroken) throw new StorageFailure("EIO", "the disk does not answer");
      return world.store.load(threadId);
    },
  };
  const actors = new Actors({
    ...{ world: { ...world, store }, platforms: [stage.platform], rules: RULES },
    trouble: () => {},
    up: async () => {},
  });
  const [row] = await world.store.find({ address: "fake:room", limit: 1 });
  const threadId = row?.thread_id ?? "";
  const { events } = await world.store.load(threadId);
  const breaks = (on: boolean) => {
    isBroken = on;
  };
  return { ...stage, actors, events, threadId, breaks };
}

test("a seat that failed once is read again", async () => {
  const { actors, breaks } = await alone();
  breaks(true);
  await expect(actors.of(room)).rejects.toThrow("the disk does not answer");
  await expect(actors.of(room)).rejects.toThrow("the disk does not answer");
  breaks(false);
  const actor = await actors.of(room);
  expect(actor.state.works).toHaveLength(1);
  expect(await actors.of(room)).toBe(actor);
  await actors.stop();
});

test("what could not be heard is heard again, though nobody says anything more", async () => {
  const { actors, breaks, events, shown, clock } = await alone();
  breaks(true);
  for (const event of events) actors.hear(event);
  await passes(clock, 5_000);
  expect(shown()).toEqual([]);
  breaks(false);
  await actors.settled();
  await until(() => shown().includes("Answer 1."), "the answer");
  await actors.stop();
});

test("what is only shown is lost on a chat that cannot be read, and nobody falls over it", async () => {
  const { actors, breaks, events, threadId } = await alone();
  const born = events.find(({ type }) => type === "thread_created") as Event;
  breaks(true);
  actors.hear(born);
  const asked = actors.of(room);
  const progress = { type: "tool_call_progress", thread_id: threadId, call_id: "c", progress: 0.5 };
  actors.see(progress as unknown as LiveEvent);
  await expect(asked).rejects.toThrow();
  await quiet();
  await actors.stop();
});

test("who has nothing to do is let go, also while another cannot be read; it comes back from the journal", async () => {
  const { mood, dressed } = moody();
  const { open, platform, clock, shown, texts } = talking(hello, { dressed, rules: { idleMs: 90_000 } });
  const first = await open();
  await platform.say("stuck", "@selvage hi");
  await until(() => shown("stuck").length === 1, "an answer");
  const [row] = await first.world.store.find({ address: "fake:stuck", limit: 1 });
  await first.close();
  let reads = 0;
  mood.load = (threadId) => {
    if (threadId === row?.thread_id) return "hangs";
    reads += 1;
    return "well";
  };
  const { close } = await open();
  await platform.say("room", "@selvage hi");
  await until(() => shown().length === 1, "an answer");
  const readsFor = async (n: number) => {
    const before = reads;
    await platform.say("room", "/status");
    await until(() => texts().filter((text) => text.startsWith("whisper")).length === n, "a status");
    return reads - before;
  };
  expect(await readsFor(1)).toBe(0);
  await passes(clock, 200_000);
  expect(await readsFor(2)).toBe(1);
  await close();
});
