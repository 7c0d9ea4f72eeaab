/**
 * Threads that a crash left behind. A program brings back those that it has everything for: one whose tools or whose
 * script it has not handed in would only be told that there are none.
 */
import { RUNTIME_TOOLS } from "../../core/orchestration.ts";
import type { ThreadRow } from "../../core/row.ts";
import { surveyLive } from "../cli/survey.ts";
import type { Premises } from "./premises.ts";

export interface Lacking {
  readonly thread_id: string;
  readonly tools: readonly string[];
  readonly model: string | null;
}

export class LeftBehind {
  readonly #premises: Premises;
  readonly #recover: "auto" | "off";
  readonly #ready = new Set<string>();
  #lacking: readonly Lacking[] = [];

  constructor(premises: Premises, recover: "auto" | "off") {
    this.#premises = premises;
    this.#recover = recover;
  }

  get lacking(): readonly Lacking[] {
    return this.#lacking;
  }

  mayRecover({ thread_id }: ThreadRow): boolean {
    return this.#recover === "auto" && this.#ready.has(thread_id);
  }

  /** At the beginning, and when there is more to run them with. */
  async look(): Promise<void> {
    const { world } = this.#premises;
    const found: Lacking[] = [];
    for (const { row, owner } of await surveyLive(world)) {
      if (owner !== "dead" || this.#ready.has(row.thread_id)) continue;
      const lacking = await this.#lacks(row);
      if (lacking) found.push(lacking);
      else this.#ready.add(row.thread_id);
    }
    this.#lacking = found;
  }

  async #lacks({ thread_id, model }: ThreadRow): Promise<Lacking | undefined> {
    const { world } = this.#premises;
    const [created] = (await world.store.load(thread_id)).events;
    const wanted = created?.type === "thread_created" ? created.tools : [];
    const own: readonly string[] = RUNTIME_TOOLS;
    const tools = wanted.filter((name) => !own.includes(name) && !world.tool(name));
    const isKnown = world.model(model) !== undefined;
    return tools.length === 0 && isKnown ? undefined : { thread_id, tools, model: isKnown ? null : model };
  }
}
