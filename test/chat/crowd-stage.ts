// A thousand chats on one platform, in one process, on the real database and the real clock.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatPlace } from "../../src/core/chat-platform.ts";
import type { Model } from "../../src/core/model.ts";
import type { ScriptStep } from "../../src/core/script.ts";
import type { Store } from "../../src/core/store.ts";
import { premisesIn } from "../../src/in-memory.ts";
import { realClock } from "../../src/machine/clock.ts";
import { scriptedModel } from "../../src/provider/scripted.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { ChatBot } from "../../src/surface/chat/bot.ts";
import { partsOf } from "../../src/surface/sdk/parts.ts";
import { Selvage } from "../../src/surface/sdk/runtime.ts";
import { Universe } from "../../src/testing/universe.ts";
import { FakePlatform } from "./fake-platform.ts";

const ANSWER = "Here you are.";
const ANSWERS: ScriptStep[] = Array.from({ length: 20_000 }, () => ({ says: ANSWER }));

export interface CrowdOptions {
  /** What chats of this directive do instead of answering. */
  readonly scripts?: Readonly<Record<string, readonly ScriptStep[]>>;
  readonly limits?: Readonly<Record<string, { turns?: number; spend?: string }>>;
  /** Which directive a chat runs; all others answer. */
  readonly directive?: (place: ChatPlace) => string;
  /** To make one of its readers wait, or fail. */
  readonly dressed?: (store: Store) => Store;
}

/** From a message to its answer, in ms: as a person waits for it, and what of that this process was at work. */
export interface Latency {
  readonly wall: number;
  readonly cpu: number;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export type Crowd = Awaited<ReturnType<typeof crowd>>;

export async function crowd(options: CrowdOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "selvage-crowd-"));
  const clock = { ...realClock, slept: [], jump: () => {} };
  const models = new Map<string, Model>([["scripted/answers", scriptedModel(ANSWERS, { clock })]]);
  for (const [name, steps] of Object.entries(options.scripts ?? {}))
    models.set(`scripted/${name}`, scriptedModel(steps, { clock }));
  const { dressed = (store) => store } = options;
  const path = join(folder, "registry.db");
  const universe = new Universe({
    ...{ model: (name) => models.get(name), tools: () => [], clock },
    openStore: (needs) => dressed(openSqliteStore({ ...needs, path, durability: "relaxed" })),
  });
  const base = premisesIn(universe);
  const premises = {
    ...base,
    modelOfTier: () => "scripted/answers",
    directive: (name: string) => ({
      ...{ name, description: "Talks.", body: "Be kind.", inputs: {}, outputs: {} },
      model: options.scripts?.[name] ? `scripted/${name}` : "scripted/answers",
      limits: { turns: 30_000, spend: "900.00", ...options.limits?.[name] },
      ...{ permissions: [], ask: [], delegates: [], hooks: [] },
    }),
  };
  const platform = new Listening(clock);
  const troubles: string[] = [];
  const runtime = await Selvage.open(premises);
  const bot = await ChatBot.start({
    ...{ premises, feed: partsOf(runtime).feed, platforms: [platform] },
    heed: (listener) => premises.listen(listener),
    rules: {
      access: () => ({ talk: "everybody", command: "everybody", approve: [] }),
      directive: options.directive ?? (() => "chat"),
      hidesCosts: () => false,
      showsProgress: () => true,
      idleMs: 3_600_000,
      lateMs: 60_000,
      schedules: [],
      attachments: { max_mb: 1, types: [] },
    },
    trouble: (message) => troubles.push(message),
  });
  const ask = async (chat: string): Promise<Latency> => {
    const [wall, cpu] = [clock.monotonic(), cpuMs()];
    const answered = platform.answer(chat);
    await platform.say(chat, "@selvage hi");
    await answered;
    return { wall: clock.monotonic() - wall, cpu: cpuMs() - cpu };
  };
  /** So many at a time. */
  const askAll = async (chats: readonly string[], together: number) => {
    const all: Latency[] = [];
    for (let at = 0; at < chats.length; at += together)
      all.push(...(await Promise.all(chats.slice(at, at + together).map(ask))));
    return all;
  };
  const close = async () => {
    await bot.stop();
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ask, askAll, platform, troubles, bot, close, store: premises.world.store };
}

/** Says when an answer has arrived. */
class Listening extends FakePlatform {
  readonly #waiting = new Map<string, () => void>();

  answer(chat: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(chat, resolve));
  }

  override async post(place: ChatPlace, said: { text: string }): Promise<{ id: string }> {
    const posted = await super.post(place, said);
    this.#hear(place, said);
    return posted;
  }

  override async edit(place: ChatPlace, messageId: string, said: { text: string }): Promise<void> {
    await super.edit(place, messageId, said);
    this.#hear(place, said);
  }

  #hear({ chat }: ChatPlace, { text }: { text: string }): void {
    if (text === ANSWER) this.#waiting.get(chat)?.();
  }
}

export function p99(all: readonly Latency[]): Latency {
  const of = (values: number[]) =>
    values.sort((left, right) => left - right)[Math.floor(values.length * 0.99)] ?? 0;
  return { wall: of(all.map(({ wall }) => wall)), cpu: of(all.map(({ cpu }) => cpu)) };
}
