/** A project for a program: found or made, trusted, and with what the program brings along. */
import type { Model } from "./core/model.ts";
import { RUNTIME_TOOLS } from "./core/orchestration.ts";
import { Problem } from "./core/problem.ts";
import type { ScriptStep } from "./core/script.ts";
import type { Tool } from "./core/tool.ts";
import type { Notice } from "./core/world.ts";
import { directivesOf } from "./directive/directives.ts";
import { realClock, sha256 } from "./machine/index.ts";
import { scriptedModel } from "./provider/scripted.ts";
import { chatKeeps } from "./real-chat.ts";
import { type Opened, projectAt } from "./real-program-folder.ts";
import { type RealWorld, realWorld } from "./real-world.ts";
import type { Premises } from "./surface/sdk/premises.ts";
import { type RuntimeOptions, Selvage } from "./surface/sdk/runtime.ts";
import { dyingAsTold } from "./testing/crash-at.ts";

export interface OpenOptions extends RuntimeOptions {
  /** Whoever wrote this program vouches for what is in the folder. */
  readonly trust?: boolean | undefined;
  /** Told what nobody asked for: a tool file that is left out, a disk that takes no writes. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** Opens the project of a folder, or of one above it; where there is none, it is made there. */
export async function open(folder = ".", options: OpenOptions = {}): Promise<Selvage> {
  const opened = await projectAt(folder, options.trust === true);
  return Selvage.open(premisesAt(opened, options), options);
}

function premisesAt({ root, trust }: Opened, { onNotice = warn }: OpenOptions): Premises {
  const handed = { tools: [] as Tool[], models: new Map<string, Model>() };
  const listeners = new Set<(notice: Notice) => void>([onNotice]);
  const notify = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  // A test may want to see it die (`selvage/testing`).
  const world = dyingAsTold(realWorld({ root, notify, purpose: "work", trust, ...handed }), process.env);
  return {
    root,
    world,
    ...chatKeeps(root),
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ...directivesOf(root, world),
    requireModel: (name) => world.requireModel(name),
    modelOfTier: (tier) => world.modelOfTier(tier),
    tools: () => world.toolNames,
    brought: () => world.brought(),
    addTool: (tool) => addTool(world, handed.tools, tool),
    addScript: (steps) => addScript(handed.models, steps),
    close: () => world.close(),
  };
}

/** What a program does wrong must not go unseen when it does not ask for notices. */
function warn(notice: Notice): void {
  if (notice.type === "answer_refused") process.emitWarning(notice.message, "SelvageWarning");
}

/** The same one may be handed in as often as one likes. */
function addTool(world: RealWorld, handed: Tool[], tool: Tool): void {
  const there = handed.find(({ name }) => name === tool.name);
  if (there === tool) return;
  const isTaken = there || world.tool(tool.name) || (RUNTIME_TOOLS as readonly string[]).includes(tool.name);
  if (isTaken)
    throw new Problem("E_TOOL_INVALID", {
      what: `There is a tool ${tool.name} already.`,
      why: "A thread that a crash left behind would not know which one is meant.",
      next: [
        { cmd: "defineTool(…)", why: "once, outside of what runs again and again; or with another name" },
      ],
    });
  handed.push(tool);
}

/** Named after what it says: a program that hands in the same script again goes on with the same model. */
function addScript(handed: Map<string, Model>, steps: readonly ScriptStep[]): string {
  const name = `scripted/program-${sha256(JSON.stringify(steps)).slice(0, 12)}`;
  if (!handed.has(name)) handed.set(name, scriptedModel(steps, { clock: realClock }));
  return name;
}
