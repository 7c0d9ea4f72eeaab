/** A story: a thread with a scripted model and tools whose effects are counted outside the store. */
import type { Directive } from "../core/directive.ts";
import type { Event } from "../core/event.ts";
import type { Facts, Hook, HookEvent, HookResult } from "../core/hook.ts";
import type { ThreadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import type { Model } from "../core/model.ts";
import { Problem } from "../core/problem.ts";
import type { ScriptStep } from "../core/script.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { foldThread, type Thread } from "../core/thread.ts";
import type { Effect as EffectClass, ProbeAnswer, Tool, ToolOutcome } from "../core/tool.ts";
import type { World } from "../core/world.ts";
import { scriptedModel } from "../provider/scripted.ts";
import { createThread, host, tellChat } from "../runtime/index.ts";
import type { StoreNeeds } from "../store/stores/needs.ts";
import { bystander, type StoryAsk } from "./bystander.ts";
import type { Mortal } from "./mortal.ts";
import { Universe } from "./universe.ts";
import { type Oracle, watchedModel, watchedTool } from "./watched.ts";

export interface StoryTool {
  readonly name: string;
  readonly effect: EffectClass;
  readonly lanes?: (input: unknown) => readonly string[];
  /** How many rounds of the event loop it takes. */
  readonly rounds?: number;
  /** It does not stop when it is told to, and is killed. */
  readonly isStubborn?: true;
  /** What its probe says; by default the truth. */
  readonly probe?: "truth" | "cannot_tell";
}

export interface Story {
  readonly name: string;
  readonly steps: readonly ScriptStep[];
  readonly tools: readonly StoryTool[];
  readonly settings?: Partial<Settings>;
  readonly limits?: Limits;
  /** Over the directive's, which may call every tool. */
  readonly rights?: Partial<Pick<Directive, "permissions" | "ask" | "delegates">>;
  /** Directives that it may start, by name. */
  readonly children?: Readonly<Record<string, StoryChild>>;
  readonly items?: World["items"];
  /** What its model says of itself: keys, gate, retries. */
  readonly model?: Omit<Partial<Model>, "ask">;
  /** A function is told what is known at its moment, and its call is a write that may be the last. */
  readonly hooks?: readonly StoryHook[];
  /** What people say to it, one after the other: then it lasts, and rests when all is answered. */
  readonly chat?: readonly string[];
  /** What the project says about itself when one of them is taken up. */
  readonly systemNow?: World["systemNow"];
  /** What a bystander asks when an event of a type is acknowledged for the n-th time; each at most once. */
  readonly asks?: readonly StoryAsk[];
}

/** A child, or a child's child: all of them may start one another, as far as their rights go. */
export type StoryChild = Pick<Story, "steps" | "rights"> &
  Partial<Pick<Directive, "limits" | "outputs" | "onExit">>;

/** A function, or one of the children by its directive. */
export type StoryHook = { readonly event: HookEvent; readonly when?: (facts: Facts) => boolean } & (
  | { readonly says: (facts: Facts) => HookResult | { readonly problem: string } }
  | { readonly directive: string; readonly timeoutSeconds?: number }
);

export function storyUniverse(
  story: Story,
  oracle: Oracle,
  openStore?: (needs: StoreNeeds) => Store,
): Universe {
  return new Universe({
    model: (name, universe) =>
      watchedModel(
        { ...scriptedModel(stepsOf(story, name), { clock: universe.clock }), ...story.model },
        universe,
        oracle,
      ),
    tools: (universe, mortal) =>
      story.tools.map((tool) =>
        watchedTool(
          storyTool(tool, universe, mortal),
          { id: STORY_THREAD, declared: storyDirective(story) },
          universe,
          oracle,
        ),
      ),
    ...(story.settings ? { settings: story.settings } : {}),
    ...(story.children ? { prepare: preparing(story) } : {}),
    ...(story.items ? { items: story.items } : {}),
    ...(story.systemNow ? { systemNow: story.systemNow } : {}),
    ...(story.hooks ? { hooks: story.hooks.map(storyHook) } : {}),
    ...(openStore ? { openStore } : {}),
    ...(story.asks ? { bystander: bystander(story.asks) } : {}),
  });
}

function stepsOf({ steps, children = {} }: Story, model: string): Story["steps"] {
  return children[model.replace(/^scripted\//, "")]?.steps ?? steps;
}

/** With everything it may have, as long as nothing else is said: what counts is what comes through. */
function preparing({ children = {}, tools }: Story): NonNullable<World["prepare"]> {
  return async ({ directive: name, inputs, offers = {} }) => {
    const child = Object.hasOwn(children, name) ? children[name] : undefined;
    if (!child) throw new Problem("E_DIRECTIVE_NOT_FOUND", { what: `There is no directive ${name}.` });
    const { rights, limits = { spend: "0.20" }, outputs = {}, onExit } = child;
    const own = { name, model: `scripted/${name}`, limits, outputs, permissions: ["selvage.*"] };
    const directive = { ...STORY_DIRECTIVE, ...own, ...rights, ...(onExit ? { onExit } : {}) };
    return { directive, system: "", inputs: { ...offers, ...inputs }, tools: tools.map((tool) => tool.name) };
  };
}

/** The directive of the story itself. */
export function storyDirective({ rights, children }: Pick<Story, "rights" | "children">): Directive {
  const permissions = children ? ["selvage.*"] : STORY_DIRECTIVE.permissions;
  return { ...STORY_DIRECTIVE, permissions, ...rights };
}

function storyHook(hook: StoryHook, index: number): Hook {
  const { event, when } = hook;
  const id = `hook-${index + 1}`;
  const place = { id, event, layer: "project" as const, where: `hooks.yaml:${index + 1}`, inputs: {} };
  const made = { ...place, ...(when ? { when: { source: "…", test: when } } : {}) };
  if ("directive" in hook) {
    const { directive, timeoutSeconds = 60 } = hook;
    return { ...made, run: { directive }, timeoutSeconds };
  }
  return { ...made, run: { call: (facts: Facts) => hook.says(facts) }, timeoutSeconds: 1 };
}

function storyTool(tool: StoryTool, universe: Universe, mortal: Mortal): Tool {
  const output = (input: unknown) => `${tool.name} did ${JSON.stringify(input)}`;
  const run = async (
    input: unknown,
    context: { callKey: string; signal: AbortSignal },
  ): Promise<ToolOutcome> => {
    for (let round = 0; round < (tool.rounds ?? 1); round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const how = tool.isStubborn ? { killed: true as const } : {};
      if (context.signal.aborted) return { status: "stopped", output: "stopped", ...how };
    }
    // The effect itself is a write: the process may die before it, in it, or after it.
    await mortal.write(`effect ${tool.name}`, async () => {
      universe.effects.push({ key: context.callKey, tool: tool.name, effect: tool.effect });
    });
    return { status: "ok", output: output(input) };
  };
  const probe = async (input: unknown, context: { callKey: string }): Promise<ProbeAnswer> => {
    if (tool.probe === "cannot_tell") return { type: "cannot_tell" };
    const done = universe.effects.some((effect) => effect.key === context.callKey);
    return done ? { type: "done", outcome: { status: "ok", output: output(input) } } : { type: "not_done" };
  };
  return {
    name: tool.name,
    description: tool.name,
    input: { type: "object" },
    effect: tool.effect,
    ...(tool.lanes ? { lanes: tool.lanes } : {}),
    run,
    ...(tool.effect === "probe" ? { probe } : {}),
  };
}

export const STORY_DIRECTIVE: Directive = {
  name: "story",
  description: "A story.",
  model: "scripted/story",
  limits: {},
  inputs: {},
  outputs: {},
  permissions: ["selvage.execute.tool.*"],
  ask: [],
  delegates: [],
  hooks: [],
  body: "Do it.",
};

/** One name in every run, so that journals can be compared. */
export const STORY_THREAD = "story-1767225600-000000" as ThreadId;

/** Creates the thread if it is not there yet, and hosts it until nothing can move. */
export async function play(world: World, story: Story): Promise<ThreadId> {
  const threadId = STORY_THREAD;
  const tools = story.tools.map((tool) => tool.name);
  const [found] = await world.store.find({ threadId });
  const { limits = {}, chat = [] } = story;
  const ask = { directive: storyDirective(story), inputs: {}, tools, limits, by: "test" };
  const said = chat.map((text, n) => ({ address: ADDRESS, text, by: "test", messageId: `said_${n}` }));
  const [first, ...others] = said;
  if (!found) await createThread(world, threadId, first ? { ...ask, chat: first } : ask);
  // Whoever did not hear that it was stored says it again.
  for (const each of others) await tellChat(world, each, async () => ask);
  for (;;) {
    await host(world, { scope: threadId, mayRecover: () => true, patienceMs: 1_000 });
    const [row] = await world.store.find({ chainRootId: threadId, onlyHeads: true });
    const until =
      row?.status === "suspended" && row.waits_for?.kind === "person" ? row.waits_for.until : undefined;
    if (until === undefined) return threadId;
    // Nobody hosts it for that long: somebody comes back when its time has come.
    await world.clock.sleep(Math.max(0, Date.parse(until) - world.clock.now()));
  }
}

/** Where people write to the thread of a story. */
const ADDRESS = "test:story";

export async function readThread(
  world: World,
  threadId: string,
): Promise<{ thread: Thread; events: readonly Event[] }> {
  const { events, damage } = await world.store.load(threadId);
  if (damage) throw new Error(`damaged: ${damage.why}`);
  return { thread: foldThread(threadId, events), events };
}
