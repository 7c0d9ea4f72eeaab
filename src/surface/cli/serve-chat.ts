/**
 * The chat bot of a host that stays.
 *   T1. What only a person can mend is said before anything is hosted, or with the first answer of the platform.
 *   T2. Whatever else goes wrong with it ends neither the host nor its threads: it begins again.
 *   T3. Told to stop, it hears nothing more. What was said and is not answered yet is stored, and the next host goes on.
 */
import { type ChosenPlatform, choosePlatforms } from "../../core/chat-choice.ts";
import type { ChatSettings } from "../../core/chat-file.ts";
import { Problem } from "../../core/problem.ts";
import { redactor } from "../../core/redact.ts";
import { oneLine } from "../../core/text.ts";
import type { Notice } from "../../core/world.ts";
import { prepareTalk } from "../chat/beginning.ts";
import { ChatBot } from "../chat/bot.ts";
import { type ChatSdkPlatform, openChatSdk } from "../chat/platforms/chat-sdk.ts";
import { loadNear } from "../chat/platforms/package-places.ts";
import type { ChatProject } from "../chat/project.ts";
import { rulesOf } from "../chat/rules.ts";
import { openWebhooks, type Webhooks } from "../chat/webhooks.ts";
import { Feed } from "../sdk/feed.ts";
import type { OpenProject } from "./house.ts";
import { ServeLines } from "./serve-lines.ts";
import type { Session } from "./session.ts";
import { takeStrays } from "./stray.ts";

export interface ChatAsk {
  /** None: all that chat.yaml names. */
  readonly platforms: readonly string[];
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

interface Opened {
  readonly settings: ChatSettings;
  readonly project: ChatProject;
  readonly lines: ServeLines;
  readonly platforms: readonly (ChosenPlatform & { readonly speaks: ChatSdkPlatform })[];
  readonly trouble: (what: string, error?: unknown) => void;
  readonly webhooks: Webhooks | undefined;
}

const BOT_NAME = "selvage";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Of what is being sent nobody knows whether it arrives; whoever starts next looks for it. */
const STOP_MS = 2_000;

export class ServeChat {
  readonly #opened: Opened;
  readonly #over = new AbortController();
  #feed: Feed | undefined;
  #bot: ChatBot | undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** T1: nothing is hosted yet, and nothing is sent to anybody. */
  static async open(session: Session, project: OpenProject, ask: ChatAsk): Promise<ServeChat> {
    const { root, world } = project;
    const settings = await session.house.chatSettings(root);
    const chosen = choosePlatforms(settings.platforms, ask.platforms, process.env);
    const talks = { ...project, tools: () => project.tools, brought: () => [] };
    for (const name of directivesIn(settings)) prepareTalk(talks, name);
    const lines = new ServeLines(session);
    const trouble = troubleOf(lines, chosen);
    const platforms = [];
    for (const each of chosen) {
      const { name, adapter: platform, options } = each;
      const botName = typeof options["userName"] === "string" ? options["userName"] : BOT_NAME;
      const load = loadNear(root, `@chat-adapter/${platform}`);
      const needs = { name, platform, settings: options, botName, clock: world.clock, load, trouble };
      platforms.push({ ...each, speaks: await openChatSdk(needs) });
    }
    const heard = platforms.filter(({ hasWebhook }) => hasWebhook);
    const takers = new Map(
      heard.map(({ name, speaks }) => [name, (request: Request) => speaks.webhook(request)]),
    );
    const where = { port: ask.port ?? settings.port, ...(ask.host !== undefined && { host: ask.host }) };
    const webhooks =
      heard.length === 0 ? undefined : await openWebhooks({ ...where, takers, clock: world.clock, trouble });
    return new ServeChat({ settings, project: talks, lines, platforms, trouble, webhooks });
  }

  get names(): readonly string[] {
    return this.#opened.platforms.map(({ name }) => name);
  }

  /** How each platform is, by its name. */
  states(): Readonly<Record<string, string>> {
    return this.#bot?.states() ?? Object.fromEntries(this.names.map((name) => [name, "starting"]));
  }

  /** In a few words. */
  get text(): string {
    return Object.entries(this.states())
      .map(([name, state]) => `${name} ${state}`)
      .join(", ");
  }

  hear(notice: Notice): void {
    this.#feed?.hear(notice);
  }

  /** Once the project is ours. `onWrong`: a platform refuses its settings. */
  begin(onWrong: (problem: Problem) => void): void {
    const { lines, platforms, webhooks, trouble } = this.#opened;
    for (const { name, hasWebhook } of platforms)
      lines.say(
        `Chat: ${name} ${hasWebhook ? `sends to ${webhooks?.address}/chat/${name}` : "is asked for messages"}.`,
      );
    takeStrays((error) => trouble("something that nobody waited for failed", error));
    this.#running = this.#keep(onWrong);
  }

  async stop(): Promise<void> {
    this.#over.abort("stopped");
    const over = new AbortController();
    const stopped = Promise.all([this.#opened.webhooks?.close(), this.#running]);
    await Promise.race([stopped, this.#opened.project.world.clock.sleep(STOP_MS, over.signal)]);
    over.abort();
  }

  /** T2. */
  async #keep(onWrong: (problem: Problem) => void): Promise<void> {
    const { clock } = this.#opened.project.world;
    const { signal } = this.#over;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.#once();
      } catch (error) {
        if (error instanceof Problem && error.code === "E_CHAT_PLATFORM") return onWrong(error);
        this.#opened.trouble("the chat bot failed and begins again", error);
      }
      await clock.sleep(pauseMs, signal);
    }
  }

  /** Until it is stopped, or nothing is heard any more. */
  async #once(): Promise<void> {
    const { project, platforms, settings, trouble, lines } = this.#opened;
    const feed = new Feed(project.world);
    const bot = new ChatBot({
      ...{ premises: project, feed, rules: rulesOf(settings), trouble },
      platforms: platforms.map(({ speaks }) => speaks),
    });
    const heardLast = new Promise<unknown>((over) => feed.listen({ over }, "all"));
    const { signal } = this.#over;
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    [this.#feed, this.#bot] = [feed, bot];
    try {
      await Promise.race([bot.begin(), stopped]);
      const listening = Object.entries(bot.states()).flatMap(([name, how]) =>
        how === "listening" ? [name] : [],
      );
      if (listening.length > 0) lines.say(`Chat: ${listening.join(" and ")} can be talked to.`);
      const error = await Promise.race([heardLast, stopped]);
      if (error !== undefined) throw error;
    } finally {
      await bot.stop();
      feed.close();
    }
  }
}

function directivesIn({ directive, channels }: ChatSettings): ReadonlySet<string> {
  return new Set([directive, ...Object.values(channels).flatMap((each) => each.directive ?? [])]);
}

/** What an adapter says may hold what it was given. */
function troubleOf(lines: ServeLines, chosen: readonly ChosenPlatform[]): Opened["trouble"] {
  const { text } = redactor(chosen.flatMap(({ secrets }) => secrets));
  return (what, error) => {
    const why = error instanceof Error ? `: ${error.message}` : "";
    lines.trouble(`Chat: ${oneLine(text(`${what}${why}`), 300)}`);
  };
}
