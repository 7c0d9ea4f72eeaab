/**
 * A bot that stays for as long as its host does.
 *   R1. What goes wrong with it as a whole is told, and it begins again; whoever hosts the threads is not touched by that.
 *   R2. A platform that refuses its settings with its first answer ends it: only a person can mend that.
 *   R3. Stopped, it hears nothing more. What was said and is not answered yet is stored, and the next one goes on with it.
 */
import { Problem } from "../../core/problem.ts";
import type { Notice } from "../../core/world.ts";
import { Feed } from "../sdk/feed.ts";
import { type BotNeeds, ChatBot } from "./bot.ts";
import type { PlatformState } from "./starting.ts";

export interface KeptBotNeeds extends Omit<BotNeeds, "feed" | "heed"> {
  /** People can talk on these platforms now. */
  readonly listening: (names: readonly string[]) => void;
  /** R2. */
  readonly wrong: (problem: Problem) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class KeptBot {
  readonly #needs: KeptBotNeeds;
  readonly #over = new AbortController();
  readonly #heeding = new Set<(notice: Notice) => void>();
  #feed: Feed | undefined;
  #bot: ChatBot | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(needs: KeptBotNeeds) {
    this.#needs = needs;
  }

  begin(): void {
    this.#running = this.#keep();
  }

  /** What happens in the process that hosts; of others it hears by itself. */
  hear(notice: Notice): void {
    this.#feed?.hear(notice);
    for (const listener of this.#heeding) listener(notice);
  }

  states(): Readonly<Record<string, PlatformState>> {
    const none = this.#needs.platforms.map(({ name }) => [name, "starting"] as const);
    return this.#bot?.states() ?? Object.fromEntries(none);
  }

  async stop(): Promise<void> {
    this.#over.abort("stopped");
    await this.#running;
  }

  /** R1. */
  async #keep(): Promise<void> {
    const { premises, trouble, wrong } = this.#needs;
    const { signal } = this.#over;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.#once();
      } catch (error) {
        if (error instanceof Problem && error.code === "E_CHAT_PLATFORM") return wrong(error);
        const why = error instanceof Error ? error.message : String(error);
        trouble(`the bot failed and begins again: ${why}`);
      }
      await premises.world.clock.sleep(pauseMs, signal);
    }
  }

  /** Until it is stopped, or nothing is heard any more. */
  async #once(): Promise<void> {
    const feed = new Feed(this.#needs.premises.world);
    const heed: BotNeeds["heed"] = (listener) => {
      this.#heeding.add(listener);
      return () => this.#heeding.delete(listener);
    };
    const bot = new ChatBot({ ...this.#needs, feed, heed });
    const { signal } = this.#over;
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const lastHeard = new Promise<unknown>((over) => feed.listen({ over }, "all"));
    [this.#feed, this.#bot] = [feed, bot];
    try {
      await Promise.race([bot.begin(), stopped]);
      const up = Object.entries(bot.states()).flatMap(([name, how]) => (how === "listening" ? [name] : []));
      if (up.length > 0 && !signal.aborted) this.#needs.listening(up);
      const error = await Promise.race([lastHeard, stopped]);
      if (error !== undefined) throw error;
    } finally {
      await bot.stop();
      feed.close();
    }
  }
}
