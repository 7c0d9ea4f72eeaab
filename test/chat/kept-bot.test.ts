// A bot that stays: whatever goes wrong with it as a whole, it begins again.
import { expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { KeptBot, type KeptBotNeeds } from "../../src/surface/chat/kept-bot.ts";
import { partsOf } from "../../src/surface/sdk/parts.ts";
import { FakePlatform } from "./fake-platform.ts";
import { quiet, talking, until } from "./stage.ts";

async function keeping(more: Partial<KeptBotNeeds> = {}) {
  const stage = talking([{ says: "Hello." }, { says: "Fine." }]);
  const { runtime, bot: another } = await stage.open();
  await another.stop();
  const { premises } = partsOf(runtime);
  const platform = new FakePlatform(stage.clock);
  const told: string[] = [];
  const needs: KeptBotNeeds = {
    ...{ premises, platforms: [platform] },
    rules: {
      ...{ access: () => ({ talk: "everybody", command: "everybody", approve: [] }), idleMs: 3_600_000 },
      ...{ directive: () => "chat", hidesCosts: () => false, showsProgress: () => false, schedules: [] },
      lateMs: 60_000,
      attachments: { max_mb: 1, types: [] },
    },
    trouble: (message) => told.push(message),
    listening: (names) => told.push(`listening: ${names.join(" ")}`),
    wrong: (problem) => told.push(`wrong: ${problem.code}`),
    ...more,
  };
  const bot = new KeptBot(needs);
  const unlisten = premises.listen((notice) => bot.hear(notice));
  const end = async () => {
    await bot.stop();
    unlisten();
    await runtime.close();
  };
  return { ...stage, bot, needs, premises, platform, told, end };
}

const posts = (platform: FakePlatform) =>
  platform.sent.flatMap(({ verb, text }) => (verb === "post" ? [text] : []));

test("it answers, and says where people can talk", async () => {
  const { bot, platform, told, end } = await keeping();
  expect(bot.states()).toEqual({ fake: "starting" });
  bot.begin();
  await until(() => told.length === 1);
  expect(told).toEqual(["listening: fake"]);
  await platform.say("room", "@selvage hi");
  await until(() => posts(platform).includes("Hello."));
  expect(bot.states()).toEqual({ fake: "listening" });
  await end();
  await expect(platform.say("room", "@selvage hi")).rejects.toThrow();
});

test("where the store cannot be read it begins again until it can, and nothing is lost", async () => {
  const { premises, end } = await keeping();
  let failures = 2;
  const store = new Proxy(premises.world.store, {
    get: (target, key) => {
      if (key === "find" && failures > 0) {
        failures -= 1;
        return () => Promise.reject(new Error("the disk is away"));
      }
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const told: string[] = [];
  const again = await keeping({
    premises: { ...premises, world: { ...premises.world, store } },
    trouble: (message) => told.push(message),
  });
  premises.listen((notice) => again.bot.hear(notice));
  again.bot.begin();
  await until(() => again.told.includes("listening: fake"));
  expect(told).toEqual([
    "the bot failed and begins again: the disk is away",
    "the bot failed and begins again: the disk is away",
  ]);
  await again.platform.say("room", "@selvage hi");
  await until(() => posts(again.platform).includes("Hello."));
  await again.end();
  await end();
});

test("a platform that refuses its settings is told to who can end it, and not tried again", async () => {
  const { bot, platform, told, end } = await keeping();
  const refused = Promise.reject(new Problem("E_CHAT_PLATFORM", { what: "no", cause: { status: 401 } }));
  refused.catch(() => {});
  platform.startsWith.push(refused);
  bot.begin();
  await until(() => told.length === 1);
  await quiet();
  expect(told).toEqual(["wrong: E_CHAT_PLATFORM"]);
  await end();
});

test("stopped while a platform is on its way, it waits for nothing", async () => {
  const { bot, platform, told, end } = await keeping();
  platform.startsWith.push(new Promise(() => {}));
  bot.begin();
  await quiet();
  await end();
  expect(told).toEqual([]);
});
