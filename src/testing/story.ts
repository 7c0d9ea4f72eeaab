/** A story: a thread with a scripted model and tools whose effects are counted outside the store. */
import type { Directive } from "../core/directive.ts";
import type { Event, EventType } from "../core/event.ts";
import type { Facts, Hook, HookEvent, HookResult } from "../core/hook.ts";
import type { ThreadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import { toArray } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import type { Model } from "../core/model.ts";
import type { Request } from "../core/request.ts";
import type { ScriptStep } from "../core/script.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { newThread, reduce, type Thread } from "../core/thread.ts";
import type { Effect as EffectClass, ProbeAnswer, Tool, ToolOutcome } from "../core/tool.ts";
import type { World } from "../core/world.ts";
import { scriptedModel } from "../provider/scripted.ts";
import { createThread, host } from "../runtime/index.ts";
import type { StoreNeeds } from "../store/stores/needs.ts";
import type { Mortal } from "./mortal.ts";
import { Universe } from "./universe.ts";

export interface StoryTool {
  readonly name: string;
  readonly effect: EffectClass;
  readonly lanes?: (input: unknown) => readonly string[];
  /** How many rounds of the event loop it takes. */
  readonly rounds?: number;
  /** What its probe says; by default the truth. */
  readonly probe?: "truth" | "cannot_tell";
}

export interface Story {
  readonly name: string;
  readonly steps: readonly ScriptStep[];
  readonly tools: readonly StoryTool[];
  readonly settings?: Partial<Settings>;
  readonly limits?: Limits;
  /** What its model says of itself: keys, gate, retries. */
  readonly model?: Omit<Partial<Model>, "ask">;
  /** Functions; each is told what is known at its moment, and its call is a write that may be the last. */
  readonly hooks?: readonly StoryHook[];
  /** What a bystander asks when an event of a type is acknowledged for the n-th time; each at most once. */
  readonly asks?: readonly StoryAsk[];
}

export interface StoryAsk {
  readonly after: EventType;
  readonly times?: number;
  readonly kind: "cancel" | "message" | "resume" | "approve" | "deny" | "retry_now" | "retry_stop";
  readonly limits?: Limits;
}

export interface StoryHook {
  readonly event: HookEvent;
  readonly says: (facts: Facts) => HookResult | { readonly problem: string };
}

/** Broken rules are collected here as sentences; a run without any is a good run. */
export interface Oracle {
  readonly broken: string[];
}

export function storyUniverse(
  story: Story,
  oracle: Oracle,
  openStore?: (needs: StoreNeeds) => Store,
): Universe {
  return new Universe({
    model: (_, universe) =>
      watchedModel(
        { ...scriptedModel(story.steps, { clock: universe.clock }), ...story.model },
        universe,
        oracle,
      ),
    tools: (universe, mortal) => story.tools.map((tool) => storyTool(tool, universe, mortal)),
    ...(story.settings ? { settings: story.settings } : {}),
    ...(story.hooks ? { hooks: story.hooks.map(storyHook) } : {}),
    ...(openStore ? { openStore } : {}),
    ...(story.asks ? { bystander: bystander(story.asks) } : {}),
  });
}

function bystander(asks: readonly StoryAsk[]): (event: Event, store: Store) => Promise<void> {
  const seen = new Map<string, number>();
  return async (event, store) => {
    const times = (seen.get(event.type) ?? 0) + 1;
    seen.set(event.type, times);
    const asked = asks.find((ask) => ask.after === event.type && (ask.times ?? 1) === times);
    if (!asked) return;
    const [row] = await store.find({ threadId: event.thread_id });
    const { kind } = asked;
    const common = {
      request_id: `${kind}-${event.type}-${times}`,
      thread_id: event.thread_id,
      by: "bystander",
    };
    const body = { nonce: row?.nonce ?? "", reason: "because", text: "and now?", limits: asked.limits };
    await store.post([{ ...common, ...body, ...kindOf(kind, event) } as Request]);
  };
}

function kindOf(kind: StoryAsk["kind"], event: Event): Partial<Request> {
  if (kind === "retry_now" || kind === "retry_stop") {
    return { kind: "retry", action: kind === "retry_now" ? "now" : "stop" };
  }
  if (kind !== "approve" && kind !== "deny") return { kind };
  const approval_id = event.type === "approval_requested" ? event.approval_id : "";
  return { kind: "decide", approval_id, approved: kind === "approve", via: "test", resume: true };
}

function storyHook({ event, says }: StoryHook, index: number): Hook {
  const id = `hook-${index + 1}`;
  const run = { call: (facts: Facts) => says(facts) };
  return {
    id,
    event,
    layer: "project",
    where: `hooks.yaml:${index + 1}`,
    inputs: {},
    run,
    timeoutSeconds: 1,
  };
}

/** Judges every request: no recorded answer is sampled again (P4), every call has exactly one result (T6). */
function watchedModel(model: Model, universe: Universe, oracle: Oracle): Model {
  return {
    ...model,
    ask(request, on, signal) {
      const stored = universe.acknowledged.get(request.threadId) ?? [];
      const answered = stored.filter((event) => event.type === "cognition_out").length;
      if (answered > request.answers) oracle.broken.push(`answer ${request.answers + 1} was sampled again`);
      for (const problem of unpaired(toArray(request.messages))) oracle.broken.push(problem);
      return model.ask(request, on, signal);
    },
  };
}

function unpaired(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const asked = message.blocks.flatMap((block) => (block.type === "call" ? [block.call_id] : []));
    const next = messages[index + 1];
    const got = next?.role === "tool" ? next.results.map((result) => result.call_id) : [];
    return asked.join() === got.join() ? [] : [`calls [${asked.join()}] have results [${got.join()}]`];
  });
}

function storyTool(tool: StoryTool, universe: Universe, mortal: Mortal): Tool {
  const output = (input: unknown) => `${tool.name} did ${JSON.stringify(input)}`;
  const run = async (
    input: unknown,
    context: { callKey: string; signal: AbortSignal },
  ): Promise<ToolOutcome> => {
    for (let round = 0; round < (tool.rounds ?? 1); round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (context.signal.aborted) return { status: "stopped", output: "stopped" };
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
  permissions: [],
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
  const { limits = {} } = story;
  if (!found)
    await createThread(world, threadId, {
      directive: STORY_DIRECTIVE,
      inputs: {},
      tools,
      limits,
      by: "test",
    });
  for (;;) {
    await host(world, { scope: threadId, mayRecover: () => true, patienceMs: 1_000 });
    const [row] = await world.store.find({ threadId });
    const until =
      row?.status === "suspended" && row.waits_for?.kind === "person" ? row.waits_for.until : undefined;
    if (until === undefined) return threadId;
    // Nobody hosts it for that long: somebody comes back when its time has come.
    await world.clock.sleep(Math.max(0, Date.parse(until) - world.clock.now()));
  }
}

export async function readThread(
  world: World,
  threadId: string,
): Promise<{ thread: Thread; events: readonly Event[] }> {
  const { events, damage } = await world.store.load(threadId);
  if (damage) throw new Error(`damaged: ${damage.why}`);
  return { thread: events.reduce(reduce, newThread(threadId)), events };
}
