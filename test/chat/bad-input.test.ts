// What platforms deliver and should not, and messages for threads that are in no state to hear them.
import { expect, test } from "vitest";
import type { Store } from "../../src/core/store.ts";
import { MAYA } from "./fake-platform.ts";
import { quiet, talking, until } from "./stage.ts";

const answers = Array.from({ length: 20 }, (_, at) => ({ says: `Answer ${at + 1}.` }));

test("out of order: what is about a message comes before it, and old ones after a new beginning", async () => {
  const { open, platform, shown, texts } = talking(answers);
  const { close, bot } = await open();
  await platform.change("room", "m1", MAYA, "hello there");
  await platform.say("room", "@selvage hello", { id: "m1" });
  await until(() => shown().length === 1, "an answer");
  await platform.say("room", "/new");
  await until(() => texts().some((text) => text.includes("begins afresh")), "afresh");
  // Known, though the thread that had it has ended.
  await platform.say("room", "@selvage hello", { id: "m1" });
  await platform.change("room", "m1", MAYA, "hello again");
  await bot.settled();
  await quiet();
  expect(shown()).toEqual(["Answer 1."]);
  await platform.say("room", "@selvage hello", { id: "m2" });
  await until(() => shown().length === 2, "a second answer");
  await close();
});

test("empty, 200 KB and a storm of mentions: what is stored is bounded, and answered", async () => {
  const { open, platform, shown } = talking(answers);
  const { close, world } = await open();
  await platform.say("room", "   ");
  await platform.say("room", `@selvage ${"a".repeat(200_000)}`);
  await platform.say("room", `@selvage ${"<@U1> @everyone ".repeat(10_000)}`);
  await until(() => shown().length === 2, "two answers");
  const [row] = await world.store.find({ address: "fake:room", limit: 1 });
  const { events } = await world.store.load(row?.thread_id ?? "");
  const said = events.flatMap((event) => (event.type === "message_received" ? [event.text] : []));
  expect(said).toHaveLength(2);
  for (const text of said) expect(text.length).toBeLessThan(51_000);
  expect(said[1]?.match(/@everyone|<@U1>/g)?.length).toBeLessThanOrEqual(20);
  await close();
});

test("for a thread that stopped over a failure: it goes on with it, and says again what is wrong", async () => {
  const { open, platform, shown, texts } = talking([{ fails: { status: 401 } }]);
  const { close, world } = await open();
  await platform.say("room", "@selvage one");
  await until(() => shown().some((text) => text.includes("Something went wrong")), "an error");
  await platform.say("room", "two");
  await until(() => texts().filter((text) => text.includes("went wrong")).length === 2, "another go");
  const [row] = await world.store.find({ address: "fake:room", limit: 1 });
  const { events } = await world.store.load(row?.thread_id ?? "");
  expect(events.filter(({ type }) => type === "thread_resumed")).toHaveLength(1);
  await close();
});

test("for a thread that was cancelled: it goes on in its chain", async () => {
  const { open, platform, texts } = talking([{ hangs: true }]);
  const { close, world } = await open();
  await platform.say("room", "@selvage one");
  await until(() => platform.sent.some(({ verb }) => verb === "react"), "a sign");
  const [row] = await world.store.find({ address: "fake:room", limit: 1 });
  const stop = {
    kind: "cancel",
    by: "ops",
    reason: "r",
    request_id: "stop",
    nonce: row?.nonce ?? "",
  } as const;
  await world.store.post([{ ...stop, thread_id: row?.thread_id ?? "" }]);
  await until(() => texts().some((text) => text.includes("Stopped")), "that it has stopped");
  await platform.say("room", "two");
  const rows = await world.store.find({ address: "fake:room" });
  expect(rows).toMatchObject([{ continuation_of: row?.thread_id }, { thread_id: row?.thread_id }]);
  await close();
});

/** A store in which the journal of one thread is damaged. */
function damaging() {
  const damaged = new Set<string>();
  const dressed = (store: Store): Store => ({
    ...store,
    load: async (threadId) => {
      const { events } = await store.load(threadId);
      return damaged.has(threadId)
        ? { events, damage: { last_good: 1, why: "a hash does not fit" } }
        : { events };
    },
  });
  return { damaged, dressed };
}

test.each([
  ["found while the bot runs", false],
  ["found by the process before", true],
])(
  "for a thread whose journal is damaged, %s: people are told, and what they said is answered, once",
  async (_, restarts) => {
    const { damaged, dressed } = damaging();
    const { open, platform, shown, texts } = talking(answers, { dressed });
    const first = await open();
    await platform.say("room", "@selvage one");
    await until(() => shown().length === 1, "an answer");
    const { store } = first.world;
    const [row] = await store.find({ address: "fake:room", limit: 1 });
    damaged.add(row?.thread_id ?? "");
    if (restarts) Object.assign(platform, { speaksIn: () => false });
    await platform.say("room", "two", { id: "m2" });
    if (restarts) {
      await quiet();
      expect((await store.find({ address: "fake:room", limit: 1 }))[0]?.corrupt).not.toBeNull();
      Object.assign(platform, { speaksIn: undefined });
      await first.close();
    }
    const last = restarts ? await open() : first;
    await until(
      () => shown().filter((text) => text === "Answer 1.").length === 2,
      "the answer of a new thread",
    );
    await platform.say("room", "two", { id: "m2" });
    await quiet();
    const told = texts().filter((text) => text.includes("Starting fresh for this thread."));
    expect(told).toEqual([expect.stringContaining(`The old thread is kept as ${row?.thread_id}`)]);
    expect(shown().filter((text) => text.startsWith("Answer"))).toEqual(["Answer 1.", "Answer 1."]);
    await last.close();
  },
);
