/** The chat bot: platforms on one side, threads on the other. Everything it must not forget is in the store. */
import type { ChatPlatform } from "../../core/chat-platform.ts";
import type { Feed } from "../sdk/feed.ts";
import type { Premises } from "../sdk/premises.ts";
import { Actors } from "./actors.ts";
import { ChatRouter } from "./router.ts";
import type { ChatRules } from "./rules.ts";

export interface BotNeeds {
  readonly premises: Premises;
  readonly feed: Feed;
  readonly platforms: readonly ChatPlatform[];
  readonly rules: ChatRules;
  /** For the operator. */
  readonly trouble: (message: string) => void;
}

const LOOK_EVERY_MS = 50;

export class ChatBot {
  readonly #needs: BotNeeds;
  readonly #actors: Actors;
  readonly #router: ChatRouter;
  #unlisten: () => void = () => {};

  private constructor(needs: BotNeeds) {
    const { premises, platforms, rules, trouble } = needs;
    this.#needs = needs;
    const { world, chatLog: log, chatFiles: files } = premises;
    this.#actors = new Actors({ world, platforms, rules, trouble, log, files });
    this.#router = new ChatRouter({ premises, rules, actors: this.#actors, trouble });
  }

  /** Hears what happens before it takes up what was left, and takes that up before anybody says anything new. */
  static async start(needs: BotNeeds): Promise<ChatBot> {
    const bot = new ChatBot(needs);
    bot.#unlisten = needs.feed.listen(
      {
        event: (event) => bot.#actors.hear(event),
        live: (event) => bot.#actors.see(event),
        over: () => {},
      },
      "all",
    );
    await bot.#actors.begin();
    await bot.#router.begin();
    for (const platform of needs.platforms) await platform.start(bot.#router);
    return bot;
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
    for (const platform of this.#needs.platforms) await platform.stop();
    await this.#router.stop();
    this.#unlisten();
    await this.#actors.stop();
  }
}
