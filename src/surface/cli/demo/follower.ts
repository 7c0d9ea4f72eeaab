/** Reads the journals as they grow, in the order in which they were written, and has them told. */
import type { Event } from "../../../core/event.ts";
import type { World } from "../../../core/world.ts";
import { Money } from "./money.ts";
import { Narration } from "./narration.ts";
import type { Stage } from "./stage.ts";

const PAGE = 500;

export class Follower {
  readonly events: Event[] = [];
  readonly #world: World;
  readonly #narration: Narration;
  #cursor = 0;
  #version: number | undefined;

  constructor(world: World, stage: Stage) {
    this.#world = world;
    const voice = {
      tell: (text: string) => stage.tell(text),
      act: (name: string, ok: boolean) => stage.act(name, ok),
      saidBy: (process: { readonly handle: string; readonly chainRootId: string }) =>
        world.processes?.tail(process, 1).at(-1) ?? "",
    };
    this.#narration = new Narration(voice, new Money());
  }

  async catchUp(): Promise<void> {
    const version = this.#world.store.version();
    if (version === this.#version) return;
    this.#version = version;
    for (;;) {
      const page = await this.#world.store.feed(this.#cursor, PAGE);
      this.#cursor = page.cursor;
      for (const { event } of page.events) {
        this.events.push(event);
        this.#narration.hear(event);
      }
      if (page.events.length < PAGE) return;
    }
  }
}
