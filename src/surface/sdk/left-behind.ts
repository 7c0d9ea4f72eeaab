/**
 * Threads that were left behind. A program brings back those that it has everything for: one whose tools, or whose model,
 * it does not have stays as it is, and is listed.
 */
import { isUsable, lackingOf } from "../../core/brought.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { surveyLive } from "../cli/survey.ts";

export interface Lacking {
  readonly thread_id: string;
  /** Tools that the program which started it had. */
  readonly tools: readonly string[];
  /** Its model, if that cannot be used here. */
  readonly model: string | null;
}

export class LeftBehind {
  readonly #world: World;
  readonly #recover: "auto" | "off";
  readonly #asked = new Set<string>();
  #lacking: readonly Lacking[] = [];

  constructor(world: World, recover: "auto" | "off") {
    this.#world = world;
    this.#recover = recover;
  }

  get lacking(): readonly Lacking[] {
    return this.#lacking;
  }

  /** Nobody's key is missing for a moment: with another model, or none, it would only fail. */
  readonly mayRun = ({ model }: ThreadRow): boolean => isUsable(model, this.#world);

  readonly mayRecover = ({ thread_id }: ThreadRow): boolean =>
    this.#recover === "auto" || this.#asked.has(thread_id);

  /** Somebody wants these to be taken up, whatever was said at the beginning. */
  ask(threadIds: readonly string[]): void {
    for (const id of threadIds) this.#asked.add(id);
  }

  /** At the beginning, and when there is more to run them with. */
  async look(): Promise<void> {
    const found: Lacking[] = [];
    for (const { row, owner, damage } of await surveyLive(this.#world)) {
      const lacks = owner === "dead" || owner === "none" ? lackingHere(row, this.#world) : undefined;
      if (lacks && !damage) found.push(lacks);
    }
    this.#lacking = found;
  }
}

/** Undefined: it has everything it takes. */
export function lackingHere(row: ThreadRow, world: World): Lacking | undefined {
  const tools = lackingOf(row, world).filter((name) => name !== row.model);
  const model = isUsable(row.model, world) ? null : row.model;
  return tools.length === 0 && model === null ? undefined : { thread_id: row.thread_id, tools, model };
}

export function notBrought({ thread_id: threadId, tools, model }: Lacking): Problem {
  const needs = [
    ...tools.map((name) => `the tool ${name}`),
    ...(model === null ? [] : [`the model ${model}`]),
  ];
  return new Problem("E_NOT_BROUGHT", {
    what: `${threadId} cannot go on here.`,
    why: `It needs ${needs.join(", ")}, which this program does not have. Nothing was changed.`,
    next: [{ cmd: "open(folder, { tools: […] })", why: "hands them in, and brings the thread back" }],
    threadId,
  });
}
