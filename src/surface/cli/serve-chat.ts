/**
 * The chat bot of a host that stays.
 *   T1. What only a person can mend is said before anything is hosted, or with the first answer of the platform.
 *   T2. Told to stop, it is gone in time, whatever a platform is at.
 */
import { type ChosenPlatform, choosePlatforms } from "../../core/chat-choice.ts";
import type { ChatSettings } from "../../core/chat-file.ts";
import type { Problem } from "../../core/problem.ts";
import { redactor } from "../../core/redact.ts";
import { oneLine } from "../../core/text.ts";
import type { Notice } from "../../core/world.ts";
import { prepareTalk } from "../chat/beginning.ts";
import { KeptBot } from "../chat/kept-bot.ts";
import { type ChatSdkPlatform, openChatSdk } from "../chat/platforms/chat-sdk.ts";
import { loadNear } from "../chat/platforms/package-places.ts";
import type { ChatProject } from "../chat/project.ts";
import { rulesOf } from "../chat/rules.ts";
import { openWebhooks, type Webhooks } from "../chat/webhooks.ts";
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
/** Of what is being sent nobody knows whether it arrives; whoever starts next looks for it. */
const STOP_MS = 2_000;

export class ServeChat {
  readonly #opened: Opened;
  readonly #bot: KeptBot;
  #onWrong: (problem: Problem) => void = () => {};

  private constructor(opened: Opened) {
    const { project, settings, platforms, trouble, lines } = opened;
    this.#opened = opened;
    this.#bot = new KeptBot({
      ...{ premises: project, rules: rulesOf(settings), trouble },
      platforms: platforms.map(({ speaks }) => speaks),
      listening: (names) => lines.say(`Chat: ${names.join(" and ")} can be talked to.`),
      wrong: (problem) => this.#onWrong(problem),
    });
  }

  /** T1: nothing is hosted yet, and nothing is sent to anybody. */
  static async open(session: Session, project: OpenProject, ask: ChatAsk): Promise<ServeChat> {
    const { root, world } = project;
    const settings = await session.house.chatSettings(root);
    const chosen = choosePlatforms(settings.platforms, ask.platforms, process.env);
    const keeps = await session.house.chatKeeps(root);
    const talks = { ...project, ...keeps, tools: () => project.tools, brought: () => [] };
    for (const name of directivesIn(settings)) prepareTalk(talks, name);
    const lines = new ServeLines(session);
    const trouble = troubleOf(lines);
    hide(session, project, chosen);
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
    return this.#bot.states();
  }

  /** In a few words. */
  get text(): string {
    return Object.entries(this.states())
      .map(([name, state]) => `${name} ${state}`)
      .join(", ");
  }

  hear(notice: Notice): void {
    this.#bot.hear(notice);
  }

  /** Once the project is ours. `onWrong`: a platform refuses its settings. */
  begin(onWrong: (problem: Problem) => void): void {
    const { lines, platforms, webhooks, trouble } = this.#opened;
    for (const { name, hasWebhook } of platforms)
      lines.say(
        `Chat: ${name} ${hasWebhook ? `sends to ${webhooks?.address}/chat/${name}` : "is asked for messages"}.`,
      );
    takeStrays((error) => trouble("something that nobody waited for failed", error));
    this.#onWrong = onWrong;
    this.#bot.begin();
  }

  async stop(): Promise<void> {
    const { webhooks, project } = this.#opened;
    const over = new AbortController();
    const stopped = Promise.all([webhooks?.close(), this.#bot.stop()]);
    await Promise.race([stopped, project.world.clock.sleep(STOP_MS, over.signal)]);
    over.abort();
  }
}

function directivesIn({ directive, channels }: ChatSettings): ReadonlySet<string> {
  return new Set([directive, ...Object.values(channels).flatMap((each) => each.directive ?? [])]);
}

/** What an adapter says may hold what it was given, whatever its variable is called. */
function hide({ terminal }: Session, { world }: OpenProject, chosen: readonly ChosenPlatform[]): void {
  const { value } = redactor(chosen.flatMap(({ secrets }) => secrets));
  terminal.redactWith((said) => value(world.redact?.(said) ?? said));
}

function troubleOf(lines: ServeLines): Opened["trouble"] {
  return (what, error) => {
    const why = error instanceof Error ? `: ${error.message}` : "";
    lines.trouble(`Chat: ${oneLine(`${what}${why}`, 300)}`);
  };
}
