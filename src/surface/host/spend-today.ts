/**
 * What a project spent since midnight, for who asks again and again: journals are read once, and again only when
 * something was written to them.
 */
import { costsOf } from "../../core/costs.ts";
import type { World } from "../../core/world.ts";

const PAGE = 500;

export class SpendToday {
  readonly #world: World;
  readonly #amounts = new Map<string, number>();
  #day = "";
  #cursor: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** Nano-dollars. What nobody knows the price of is not in it. */
  async look(): Promise<number> {
    const midnight = new Date(this.#world.clock.now());
    midnight.setHours(0, 0, 0, 0);
    const day = midnight.toISOString();
    const changed = this.#cursor === undefined ? await this.#first(day) : await this.#since(this.#cursor);
    if (day !== this.#day) this.#amounts.clear();
    this.#day = day;
    for (const threadId of changed) await this.#add(threadId, day);
    return [...this.#amounts.values()].reduce((sum, amount) => sum + amount, 0);
  }

  async #first(day: string): Promise<Set<string>> {
    const { store } = this.#world;
    this.#cursor = await store.feedEnd();
    const rows = await store.find({});
    return new Set(rows.filter(({ updated_at }) => updated_at >= day).map(({ thread_id }) => thread_id));
  }

  async #since(cursor: number): Promise<Set<string>> {
    const changed = new Set<string>();
    for (let at = cursor; ; ) {
      const page = await this.#world.store.feed(at, PAGE);
      for (const { event } of page.events) changed.add(event.thread_id);
      at = page.cursor;
      this.#cursor = at;
      if (page.events.length < PAGE) return changed;
    }
  }

  async #add(threadId: string, day: string): Promise<void> {
    const { events } = await this.#world.store.load(threadId);
    const charges = costsOf(events).charges.filter(({ at }) => at >= day);
    this.#amounts.set(
      threadId,
      charges.reduce((sum, { amount }) => sum + (amount ?? 0), 0),
    );
  }
}
