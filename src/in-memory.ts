/**
 * A project that is in memory alone, with a clock that does not wait: what a program does with its threads can be tried
 * in milliseconds, backoffs and all. Nothing is read from the disk and nothing is written to it.
 */
import { Problem } from "./core/problem.ts";
import type { ScriptStep } from "./core/script.ts";
import type { Settings } from "./core/settings.ts";
import { systemPrompt } from "./core/system-prompt.ts";
import type { Tool } from "./core/tool.ts";
import type { Notice, World } from "./core/world.ts";
import { scriptedModel } from "./provider/scripted.ts";
import type { Premises } from "./surface/sdk/premises.ts";
import { type RuntimeOptions, Selvage } from "./surface/sdk/runtime.ts";
import { type FakeClock, fakeClock } from "./testing/clock.ts";
import { type OpenedWorld, Universe } from "./testing/universe.ts";

export interface InMemoryOptions extends RuntimeOptions {
  readonly clock?: FakeClock | undefined;
  /** Over the defaults. */
  readonly settings?: Partial<Settings> | undefined;
}

/** As `open()`, for the life of the program: with prompts, tools and scripts, and without directives. */
export function openInMemory(options: InMemoryOptions = {}): Promise<Selvage> {
  return Selvage.open(premisesIn(memoryUniverse(options)), options);
}

/** What outlives a process that opens it. */
export function memoryUniverse({ clock = fakeClock(), settings = {} }: InMemoryOptions = {}): Universe {
  return new Universe({ model: () => undefined, tools: () => [], settings, clock });
}

/** One process of a universe. */
export function premisesIn(universe: Universe, opened: OpenedWorld = universe.open()): Premises {
  const tools = new Map<string, Tool>();
  const models = new Map<string, ReturnType<typeof scriptedModel>>();
  const listeners = new Set<(notice: Notice) => void>();
  const world: World = {
    ...opened.world,
    tool: (name) => tools.get(name) ?? opened.world.tool(name),
    model: (name) => models.get(name) ?? opened.world.model(name),
    notify: (notice) => {
      if (opened.mortal.isDead) return;
      opened.world.notify(notice);
      for (const listener of listeners) listener(notice);
    },
  };
  return {
    root: ":memory:",
    world,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    directive: (name) => {
      throw new Problem("E_DIRECTIVE_NOT_FOUND", { what: `There is no directive ${name} in memory.` });
    },
    checkInputs: (_, given) => given,
    systemPrompt: (directive) => systemPrompt({ directive, parts: [] }),
    requireModel: (name) => {
      if (!world.model(name)) throw noModel(name);
    },
    modelOfTier: (tier) => {
      throw noModel(tier);
    },
    tools: () => [...tools.keys()],
    brought: () => [...tools.keys(), ...models.keys()],
    addTool: (tool) => {
      if ((tools.get(tool.name) ?? tool) !== tool)
        throw new Problem("E_TOOL_INVALID", { what: `There is a tool ${tool.name} already.` });
      tools.set(tool.name, tool);
    },
    addScript: (steps: readonly ScriptStep[]) => {
      const name = `scripted/program-${world.sha256(JSON.stringify(steps)).slice(0, 12)}`;
      models.set(name, scriptedModel(steps, { clock: world.clock }));
      return name;
    },
    close: () => opened.kill(),
  };
}

function noModel(name: string): Problem {
  return new Problem("E_MODEL_UNKNOWN", {
    what: `There is no model ${name} in memory.`,
    why: "Only scripts are followed there.",
    next: [{ cmd: 'start({ model: scripted(["…"]) })', why: "says what the model answers" }],
  });
}
