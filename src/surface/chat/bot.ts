/** The chat bot: platforms on one side, threads on the other. Everything it must not forget is in the store. */
import type { ChatPlatform } from "../../core/chat-platform.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { Feed } from "../sdk/feed.ts";
import type { Premises } from "../sdk/premises.ts";
import { Actors } from "./actors.ts";
import { type AfreshNeeds, beginAfresh } from "./afresh.ts";
import { ChatRouter } from "./router.ts";
import type { ChatRules } from "./rules.ts";
import { Schedules } from "./schedules.ts";

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
  readonly #schedules: Schedules;
  #unlisten: () => void = () => {};
  readonly #underWay = new Set<Promise<void>>();

  private constructor(needs: BotNeeds) {
    const { premises, platforms, rules, trouble } = needs;
    this.#needs = needs;
    this.#actors = new Actors({ world: premises.world, platforms, rules, trouble });
    this.#router = new ChatRouter({ premises, rules, actors: this.#actors, trouble });
    this.#schedules = new Schedules({
      ...{ clock: premises.world.clock, schedules: rules.schedules, trouble },
      speaksIn: (place) => this.#actors.speaksIn(place),
      tell: (place, prompt) => this.#router.relay(place, prompt),
    });
  }

  /** Hears what happens before it takes up what was left, and takes that up before anybody says anything new. */
  static async start(needs: BotNeeds): Promise<ChatBot> {
    const bot = new ChatBot(needs);
    const { store } = needs.premises.world;
    const unheed = needs.premises.listen((notice) => {
      if (notice.type === "damaged") bot.#afresh(() => store.find({ threadId: notice.threadId, limit: 1 }));
    });
    const unlisten = needs.feed.listen(
      {
        event: (event) => bot.#actors.hear(event),
        live: (event) => bot.#actors.see(event),
        over: () => {},
      },
      "all",
    );
    bot.#unlisten = () => {
      unheed();
      unlisten();
    };
    await bot.#actors.begin();
    for (const platform of needs.platforms) await platform.start(bot.#router);
    bot.#schedules.start();
    bot.#afresh(() => bot.#actors.left());
    return bot;
  }

  /** Of those that are damaged. */
  #afresh(find: () => Promise<readonly ThreadRow[]>): void {
    const { premises, trouble } = this.#needs;
    const needs: AfreshNeeds = {
      store: premises.world.store,
      speaksIn: (place) => this.#actors.speaksIn(place),
      tell: (place, said) => this.#router.relay(place, said),
      say: async (place, said) => (await this.#actors.of(place)).say(said),
    };
    const done = (async () => {
      for (const row of await find()) await beginAfresh(row, needs);
    })()
      .catch((error) => trouble(error instanceof Error ? error.message : String(error)))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  /** Until what was taken in so far is with its actor. */
  async settled(): Promise<void> {
    await this.#router.settled();
    await Promise.all(this.#underWay);
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
    await this.#schedules.stop();
    for (const platform of this.#needs.platforms) await platform.stop();
    await this.#router.stop();
    this.#unlisten();
    await this.#actors.stop();
  }
}
