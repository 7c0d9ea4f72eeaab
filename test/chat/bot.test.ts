// People talk, the bot answers: in order, once, whatever happens to it.
import { expect, test } from "vitest";
import type { World } from "../../src/core/world.ts";
import { gate } from "../sdk/stage.ts";
import { MAYA } from "./fake-platform.ts";
import { quiet, talking, until } from "./stage.ts";

test("a message is answered where it was said; the next one by the same thread", async () => {
  const { open, platform, shown, troubles } = talking([{ says: "Hello." }, { says: "Fine." }]);
  const { close, world } = await open();
  await platform.say("room", "@selvage hi");
  await until(() => shown().length === 1, "an answer");
  await platform.say("room", "how are you?");
  await until(() => shown().length === 2, "a second answer");
  expect(shown()).toEqual(["Hello.", "Fine."]);
  expect(await world.store.find({})).toMatchObject([{ address: "fake:room", directive: "chat" }]);
  expect(troubles).toEqual([]);
  await close();
});

test("where nobody mentioned us we are quiet, and our own words and those of bots are nobody's", async () => {
  const { open, platform, shown } = talking([{ says: "Hello." }]);
  const { close, world } = await open();
  await platform.say("room", "hi all");
  await platform.say("room", "@selvage hi", { by: { id: "us", name: "us", isBot: true, isSelf: true } });
  await platform.say("room", "@selvage hi", { by: { id: "b", name: "b", isBot: true, isSelf: false } });
  await quiet();
  expect(shown()).toEqual([]);
  expect(await world.store.find({})).toEqual([]);
  await close();
});

test("delivered three times, a message has one answer", async () => {
  const { open, platform, shown } = talking([{ says: "Once." }, { says: "Never." }]);
  const { close, bot } = await open();
  await platform.say("room", "@selvage hi", { id: "m" });
  await platform.say("room", "@selvage hi", { id: "m" });
  await until(() => shown().length === 1);
  await platform.say("room", "@selvage hi", { id: "m" });
  await bot.settled();
  await quiet();
  expect(shown()).toEqual(["Once."]);
  await close();
});

test("commands are answered to who asked, and change nothing they should not", async () => {
  const { open, platform, texts, shown } = talking([{ says: "Hello." }, { says: "Afresh." }]);
  const { close, world } = await open();
  await platform.say("room", "@selvage hi");
  await until(() => shown().length === 1);
  await platform.say("room", "/status");
  await until(() => texts().some((text) => text.includes("waits for a message")), "a status");
  await platform.say("room", "/help");
  await until(() => texts().some((text) => text.startsWith("whisper: /status")), "help");
  await platform.say("room", "/new");
  await until(() => texts().some((text) => text.includes("begins afresh")), "afresh");
  await platform.say("room", "@selvage and now?");
  await until(
    () => shown().includes("Afresh.") || shown().filter((text) => text === "Hello.").length === 2,
    "last",
  );
  const rows = await world.store.find({});
  expect(rows).toHaveLength(2);
  expect(rows[0]?.continuation_of).toBeNull();
  await close();
});

test("a platform that limits, then fails, gets the answer in the end; one that never takes it is marked", async () => {
  const { open, platform, shown, troubles } = talking([
    { says: "Hello." },
    { says: "Lost." },
    { says: "Back." },
  ]);
  const { close, bot } = await open();
  platform.limits("room", 5_000, 2);
  await platform.say("room", "@selvage hi");
  await until(() => shown().includes("Hello."));
  const dead = { fails: Object.assign(new Error("no"), { status: 503 }) };
  platform.next("room", dead, dead, dead, dead, dead, dead, dead, dead);
  await platform.say("room", "again");
  await until(() => troubles.length > 0, "trouble");
  await platform.say("room", "/status");
  await until(
    () => bot !== undefined && shown().some((text) => text.includes("could not deliver")),
    "a mark",
  );
  await close();
});

test("a progress message gets its last text in the end, also when the platform does not take it for a while", async () => {
  const { tool, release } = gate();
  const { open, platform, shown, clock } = talking(
    [{ calls: [{ tool: "gate", input: {} }] }, { says: "Done." }],
    {
      tools: [tool],
    },
  );
  const { close } = await open();
  await platform.say("room", "@selvage wait for it");
  await until(() => shown().some((text) => text.startsWith("●")), "progress");
  // Long enough that the answer is a message of its own.
  await clock.sleep(60_000);
  const dead = { fails: Object.assign(new Error("no"), { status: 503 }) };
  release();
  await until(() => shown().includes("Done."), "the answer");
  platform.next("room", dead, dead, dead, dead, dead, dead);
  await until(() => !shown().some((text) => text.startsWith("●")), "a last text");
  expect(shown().at(0)).toMatch(/^✓/);
  await close();
});

/** Until the answer is about to be posted, and waits for the platform. */
async function isMeant({ store }: Pick<World, "store">): Promise<void> {
  const noted = async () => {
    const [row] = await store.find({ address: "fake:room", limit: 1 });
    const { events } = row ? await store.load(row.thread_id) : { events: [] };
    return events.some((event) => event.type === "delivery_noted" && event.what === "answer");
  };
  for (let round = 0; round < 5_000 && !(await noted()); round += 1)
    await new Promise((resolve) => setImmediate(resolve));
}

test("an answer that was about to go out when the bot stopped goes out with the next one, once", async () => {
  const { open, platform, shown } = talking([{ says: "Hello." }]);
  const first = await open();
  platform.limits("room", 200_000);
  await platform.say("room", "@selvage hi");
  await isMeant(first.world);
  await first.close();
  const second = await open();
  await until(() => shown().includes("Hello."), "the answer");
  expect(shown()).toEqual(["Hello."]);
  await second.close();
});

test("what belongs to another room is left to who speaks there", async () => {
  const { open, platform, shown } = talking([{ says: "Hello." }]);
  const first = await open();
  platform.limits("room", 200_000);
  await platform.say("room", "@selvage hi");
  await isMeant(first.world);
  await first.close();
  Object.assign(platform, { speaksIn: ({ chat }: { chat: string }) => chat !== "room" });
  const elsewhere = await open();
  await elsewhere.bot.settled();
  await elsewhere.close();
  Object.assign(platform, { speaksIn: undefined });
  const back = await open();
  await until(() => shown().includes("Hello."), "the answer");
  await back.close();
});

test("another process goes on where the last one ended", async () => {
  const { open, platform, shown } = talking([{ says: "Hello." }, { says: "Fine." }]);
  const first = await open();
  await platform.say("room", "@selvage hi");
  await until(() => shown().length === 1);
  await first.close();
  const second = await open();
  await platform.say("room", "still there?");
  await until(() => shown().length === 2);
  expect(shown()).toEqual(["Hello.", "Fine."]);
  await second.close();
});

/** Killed at every write, landed and lost; then another process takes over. What people see in the end. */
async function dieEverywhere(steps: Parameters<typeof talking>[0], dressed = (text: string) => text) {
  const outcomes: string[] = [];
  for (let at = 1; ; at += 1) {
    for (const fate of ["lost", "landed"] as const) {
      const { begin, open, platform, shown, texts } = talking(steps);
      const recent = platform.recent.bind(platform);
      platform.recent = async (...where) =>
        (await recent(...where)).map((each) => ({ ...each, text: dressed(each.text) }));
      const { opened, ready } = begin({ at, fate });
      const { mortal } = opened;
      let isStored = false;
      const story = ready.then(async ({ bot }) => {
        await platform.say("room", "@selvage hi", { id: "m" });
        isStored = true;
        await until(() => shown().includes("Hello."), "an answer");
        await bot.settled();
      });
      story.catch(() => {});
      await Promise.race([story, mortal.died]);
      const isDead = mortal.isDead;
      await opened.kill();
      const second = await open();
      // A platform that was not told that we have it delivers it again.
      if (!isStored) await platform.say("room", "@selvage hi", { id: "m" });
      await until(
        () => shown().some((text) => text === "Hello." || /restarted|not sure|deliver/.test(text)),
        `${at} ${fate}: ${texts()}`,
      );
      await second.bot.settled();
      for (let n = 0; n < 50; n += 1) await new Promise((resolve) => setImmediate(resolve));
      outcomes.push(`${at} ${fate}: ${shown().join(" | ")}`);
      await second.close();
      if (!isDead && fate === "landed") return outcomes;
    }
  }
}

test.each([
  ["as they are", (text: string) => text],
  ["with marks of its own", (text: string) => `*${text.replaceAll(".", "\\.")}*`],
])(
  "killed at any write, a message has one answer, or is visibly marked: our words are handed back %s",
  async (_, dressed) => {
    const outcomes = await dieEverywhere([{ says: "Hello." }], dressed);
    expect(outcomes.length).toBeGreaterThan(16);
    for (const outcome of outcomes) {
      expect(outcome.match(/Hello\./g)?.length ?? 0, outcome).toBeLessThanOrEqual(1);
      expect(outcome, outcome).not.toMatch(/Working/);
    }
    expect(outcomes.filter((outcome) => outcome.includes("Hello.")).length).toBeGreaterThan(
      outcomes.length / 2,
    );
  },
);

test("an edit that changes no word is no news; one that comes too late is told so", async () => {
  const { open, platform, texts } = talking([{ hangs: true }]);
  const { close, bot } = await open();
  await platform.say("room", "@selvage hi", { id: "m" });
  await until(() => platform.sent.some(({ verb }) => verb === "react"), "a sign");
  await platform.change("room", "m", MAYA, "hi");
  await bot.settled();
  expect(texts().filter((text) => text.startsWith("whisper"))).toEqual([]);
  await platform.change("room", "m", MAYA, "hi there");
  await until(() => texts().some((text) => text.includes("already working")), "a word about it");
  await close();
});
