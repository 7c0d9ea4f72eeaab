/** A bot on a platform in memory, in a universe that outlives it. */

import type { ChatFiles } from "../../src/core/chat-files.ts";
import type { ChatLog } from "../../src/core/chat-log.ts";
import type { ChatManners } from "../../src/core/chat-platform.ts";
import type { ScriptStep } from "../../src/core/script.ts";
import type { Store } from "../../src/core/store.ts";
import type { Tool } from "../../src/core/tool.ts";
import { memoryUniverse, premisesIn } from "../../src/in-memory.ts";
import { ChatBot } from "../../src/surface/chat/bot.ts";
import type { ChatRules } from "../../src/surface/chat/rules.ts";
import { partsOf } from "../../src/surface/sdk/parts.ts";
import { Selvage } from "../../src/surface/sdk/runtime.ts";
import { type FakeClock, fakeClock } from "../../src/testing/clock.ts";
import type { Death } from "../../src/testing/mortal.ts";
import type { OpenedWorld } from "../../src/testing/universe.ts";
import { FakePlatform } from "./fake-platform.ts";

const RULES: ChatRules = {
  access: () => ({ talk: "everybody", command: "everybody", approve: ["fake:maya"] }),
  directive: () => "chat",
  hidesCosts: () => false,
  showsProgress: () => true,
  attachments: { max_mb: 1, types: ["text/*", "image/*", "application/json"] },
  idleMs: 3_600_000,
  lateMs: 60_000,
  schedules: [],
};

export interface TalkOptions {
  readonly tools?: readonly Tool[];
  readonly rules?: Partial<ChatRules>;
  readonly clock?: FakeClock;
  readonly manners?: Partial<ChatManners>;
  /** To make one of its readers wait, or fail. */
  readonly dressed?: (store: Store) => Store;
  readonly chatFiles?: ChatFiles;
  readonly chatLog?: ChatLog;
}

export function talking(steps: readonly ScriptStep[], options: TalkOptions = {}) {
  const { clock = fakeClock(), tools = [], rules = {}, dressed = (store) => store } = options;
  const universe = memoryUniverse({ clock });
  const platform = new FakePlatform(clock, options.manners);
  const troubles: string[] = [];
  /** One process. */
  const begin = (death?: Death) => {
    const opened = universe.open(death);
    return { opened, ready: start(opened) };
  };
  const open = async (death?: Death) => begin(death).ready;
  const start = async (opened: OpenedWorld) => {
    const { world } = opened;
    const base = premisesIn(universe, { ...opened, world: { ...world, store: dressed(world.store) } });
    for (const tool of tools) base.addTool(tool);
    const model = base.addScript(steps);
    const premises = {
      ...base,
      chatLog: options.chatLog && mortalFiles(options.chatLog, opened),
      chatFiles: options.chatFiles && mortalFiles(options.chatFiles, opened),
      modelOfTier: () => model,
      directive: (name: string) => ({
        ...{ name, description: "Talks.", body: "Be kind.", model },
        limits: { turns: 500, spend: "9.00", duration: 86_400 },
        ...{ inputs: {}, outputs: {}, ask: [], delegates: [], hooks: [] },
        permissions: ["selvage.execute.tool.*"],
      }),
    };
    const runtime = await Selvage.open(premises);
    const { feed } = partsOf(runtime);
    const bot = await ChatBot.start({
      ...{ premises, feed, platforms: [platform], rules: { ...RULES, ...rules } },
      heed: (listener) => premises.listen(listener),
      trouble: (message) => troubles.push(message),
    });
    const close = async () => {
      await bot.stop();
      await runtime.close();
    };
    return { bot, runtime, world: premises.world, opened, close };
  };
  const texts = (chat = "room") =>
    platform.sent.flatMap((sent) =>
      sent.chat === chat && sent.verb !== "react" ? [`${sent.verb}: ${sent.text}`] : [],
    );
  /** What people see in the end: posts as they were last edited. */
  const shown = (chat = "room") => {
    const posts = new Map<string, string>();
    for (const { verb, id, text, chat: where } of platform.sent) {
      if (where === chat && (verb === "post" || verb === "edit" || verb === "upload")) posts.set(id, text);
    }
    return [...posts.values()];
  };
  return { universe, platform, clock, begin, open, texts, shown, troubles };
}

/** Of a process that is dead nothing is written any more. */
function mortalFiles<T extends object>(files: T, { mortal }: OpenedWorld): T {
  return new Proxy(files, {
    get: (target, name) => {
      if (mortal.isDead) throw new Error("the process is dead");
      const found: unknown = target[name as keyof T];
      if (typeof found !== "function") return found;
      return (...given: unknown[]) => {
        const done: unknown = found.apply(target, given);
        const unlessDead = (value: unknown) => (mortal.isDead ? new Promise(() => {}) : value);
        return done instanceof Promise ? done.then(unlessDead) : done;
      };
    },
  });
}

/** Long enough for whatever would happen by itself: the loop turns, and no clock is waited for. */
export async function quiet(): Promise<void> {
  for (let round = 0; round < 500; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Until so much time has passed of itself, with all that happens in it. */
export async function passes(clock: FakeClock, ms: number): Promise<void> {
  await clock.sleep(ms);
}

/** Lets everything happen that can. */
export async function until(isSo: () => boolean, what = "it"): Promise<void> {
  for (let round = 0; round < 100_000; round += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${what} did not happen`);
}
