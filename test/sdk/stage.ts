/** Programs on one universe in memory: opened, killed and opened again as processes would be. */
import type { Event, LiveEvent } from "../../src/core/event.ts";
import type { Settings } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { memoryUniverse, premisesIn } from "../../src/in-memory.ts";
import type { Premises } from "../../src/surface/sdk/premises.ts";
import { type RuntimeOptions, Selvage } from "../../src/surface/sdk/runtime.ts";
import { defineTool } from "../../src/tool/define.ts";

export interface Program {
  readonly rt: Selvage;
  readonly premises: Premises;
  readonly store: Store;
  /** As kill -9: nothing of it happens any more. */
  kill(): Promise<void>;
}

export function stage(settings: Partial<Settings> = {}) {
  const universe = memoryUniverse({ settings });
  const open = async (options: RuntimeOptions = {}): Promise<Program> => {
    const opened = universe.open();
    const premises = premisesIn(universe, opened);
    const rt = await Selvage.open(premises, options);
    return { rt, premises, store: premises.world.store, kill: () => opened.kill() };
  };
  return { universe, open };
}

/** A tool that waits until it is let go; it says how often it ran. */
export function gate(name = "gate", effect: "pure" | "manual" = "pure") {
  const waiting: (() => void)[] = [];
  const state = { runs: 0, isOpen: false };
  const tool = defineTool({
    name,
    description: "Waits.",
    input: { type: "object" },
    effect,
    run: async (_, { signal }) => {
      state.runs += 1;
      if (!state.isOpen)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal.addEventListener("abort", () => resolve());
        });
      return "through";
    },
  });
  const release = () => {
    state.isOpen = true;
    for (const each of waiting.splice(0)) each();
  };
  return { tool, state, release };
}

export async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of from) items.push(item);
  return items;
}

export function typesOf(events: readonly (Event | LiveEvent)[]): string[] {
  return events.filter((event) => "seq" in event).map(({ type }) => type);
}

/** Until something is true; a fact, never a time. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 20_000; round += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it did not come to that");
}
