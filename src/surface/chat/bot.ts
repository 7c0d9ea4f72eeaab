/** The chat bot: platforms on one side, threads on the other. Everything it must not forget is in the store. */
import type { ChatPlatform } from "../../core/chat-platform.ts";
import type { Feed } from "../sdk/feed.ts";
import { Actors } from "./actors.ts";
import type { ChatProject } from "./project.ts";
import { ChatRouter } from "./router.ts";
import type { ChatRules } from "./rules.ts";
import { type PlatformState, Starting } from "./starting.ts";

export interface BotNeeds {
  readonly premises: ChatProject;
  readonly feed: Feed;
  readonly platforms: readonly ChatPlatform[];
  readonly rules: ChatRules;
  /** For the operator. */
  readonly trouble: (message: string) => void;
}

const LOOK_EVERY_MS = 50;

export class ChatBot {
  readonly #needs: BotNeeds;
  readonly #starting: Starting;
  readonly #actors: Actors;
  readonly #router: ChatRouter;
  #unlisten: () => void = () => {};

  constructor(needs: BotNeeds) {
    const { premises, platforms, rules, trouble } = needs;
    const { world } = premises;
    this.#needs = needs;
    this.#starting = new Starting({ platforms, clock: world.clock, trouble });
    const up = (name: string) => this.#starting.up(name);
    this.#actors = new Actors({ world, platforms, rules, trouble, up });
    this.#router = new ChatRouter({ premises, rules, actors: this.#actors, trouble });
  }

  static async start(needs: BotNeeds): Promise<ChatBot> {
    const bot = new ChatBot(needs);
    await bot.begin();
    return bot;
  }

  /**
   * Hears what happens before it takes up what was left, and takes that up before anybody says anything new. A platform
   * that cannot be reached is not waited for.
   */
  async begin(): Promise<void> {
    const { feed } = this.#needs;
    this.#unlisten = feed.listen(
      {
        event: (event) => this.#actors.hear(event),
        live: (event) => this.#actors.see(event),
        over: () => {},
      },
      "all",
    );
    await feed.ready();
    await this.#actors.begin();
    await this.#starting.begin(this.#router);
  }

  /** Of each platform, by its name. */
  states(): Readonly<Record<string, PlatformState>> {
    return this.#starting.states();
  }

  /** Until what was taken in so far is with its actor. */
  async settled(): Promise<void> {
    await this.#router.settled();
    await this.#actors.settled();
  }

  /** Until nobody waits for an answer that comes by itself. */
  async rest(): Promise<void> {
    const { clock } = this.#needs.premises.world;
    for (;;) {
      await this.settled();
      if (await this.#actors.rests()) return;
      await clock.sleep(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#starting.stop();
    for (const platform of this.#needs.platforms) await platform.stop();
    await this.#router.settled();
    this.#unlisten();
    await this.#actors.stop();
  }
}
