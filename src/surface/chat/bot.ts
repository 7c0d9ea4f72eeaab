/** The chat bot: platforms on one side, threads on the other. Everything it must not forget is in the store. */
import type { ChatPlatform } from "../../core/chat-platform.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { Notice } from "../../core/world.ts";
import type { Feed } from "../sdk/feed.ts";
import { Actors } from "./actors.ts";
import { type AfreshNeeds, beginAfresh } from "./afresh.ts";
import type { ChatProject } from "./project.ts";
import { ChatRouter } from "./router.ts";
import type { ChatRules } from "./rules.ts";
import { Schedules } from "./schedules.ts";
import { type PlatformState, Starting } from "./starting.ts";

export interface BotNeeds {
  readonly premises: ChatProject;
  readonly feed: Feed;
  /** Beside what is in the feed, what the host of these threads tells. */
  readonly heed: (listener: (notice: Notice) => void) => () => void;
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
  readonly #schedules: Schedules;
  #unlisten: () => void = () => {};
  readonly #underWay = new Set<Promise<void>>();

  constructor(needs: BotNeeds) {
    const { premises, platforms, rules, trouble } = needs;
    const { world } = premises;
    this.#needs = needs;
    this.#starting = new Starting({ platforms, clock: world.clock, trouble });
    const up = (name: string) => this.#starting.up(name);
    const { chatLog: log, chatFiles: files } = premises;
    this.#actors = new Actors({ world, platforms, rules, trouble, up, log, files });
    this.#router = new ChatRouter({ premises, rules, actors: this.#actors, trouble });
    this.#schedules = new Schedules({
      ...{ clock: premises.world.clock, schedules: rules.schedules, trouble },
      speaksIn: (place) => this.#actors.speaksIn(place),
      tell: (place, prompt) => this.#router.relay(place, prompt),
    });
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
    const { feed, heed, premises } = this.#needs;
    const { store } = premises.world;
    const unheed = heed((notice) => {
      if (notice.type === "damaged") this.#afresh(() => store.find({ threadId: notice.threadId, limit: 1 }));
    });
    const unlisten = feed.listen(
      {
        event: (event) => this.#actors.hear(event),
        live: (event) => this.#actors.see(event),
        over: () => {},
      },
      "all",
    );
    this.#unlisten = () => {
      unheed();
      unlisten();
    };
    await feed.ready();
    await this.#actors.begin();
    await this.#router.begin();
    // One that hangs keeps nobody from these; what they say waits for its own platform.
    this.#schedules.start();
    this.#afresh(() => this.#actors.left());
    await this.#starting.begin(this.#router);
  }

  /** Of each platform, by its name. */
  states(): Readonly<Record<string, PlatformState>> {
    return this.#starting.states();
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
    this.#starting.stop();
    await this.#schedules.stop();
    for (const platform of this.#needs.platforms) await platform.stop();
    await this.#router.stop();
    this.#unlisten();
    await this.#actors.stop();
  }
}
