/** Hooks: what people want done at certain moments of a thread, before the defaults. They narrow or ask, never lift. */
import type { Condition } from "./condition.ts";

export const HOOK_EVENTS = [
  "before_step",
  "after_step",
  "error",
  "limit",
  "after_complete",
  "context_window_pressure",
  "before_tool",
  "after_tool",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export const HOOK_ACTIONS = ["retry", "fail", "abort", "continue", "suspend", "escalate"] as const;
export type HookAction = (typeof HOOK_ACTIONS)[number];

export interface HookResult {
  readonly action: HookAction;
  /** For people: why. */
  readonly message?: string;
  /** Text that is added to the conversation. */
  readonly context?: { readonly message: string };
}

/** What is known at an event: plain nested objects, in the shape that `hook-facts.ts` declares. */
export type Facts = Readonly<Record<string, unknown>>;

type HookLayer = "directive" | "project" | "user" | "system";

export interface Hook {
  readonly id: string;
  readonly event: HookEvent;
  readonly layer: HookLayer;
  /** `file:line`, for people. */
  readonly where: string;
  readonly when?: Condition;
  /** May hold `{placeholders}` that name facts. */
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
  readonly run:
    | { readonly command: string }
    | { readonly call: (facts: Facts, signal: AbortSignal) => unknown };
  readonly timeoutSeconds: number;
}

/** The nearest to the work first. */
const ORDER: readonly HookLayer[] = ["directive", "project", "user", "system"];

interface BrokenHook {
  readonly hook: Hook;
  readonly why: string;
}

interface Matches {
  /** In the order in which they run: by layer, and in a layer as they stand in the file. */
  readonly matched: readonly Hook[];
  /** Their conditions could not be told: they do not match, and say so. */
  readonly broken: readonly BrokenHook[];
}

export function matchHooks(hooks: readonly Hook[], event: HookEvent, facts: Facts): Matches {
  const matched: Hook[] = [];
  const broken: BrokenHook[] = [];
  for (const hook of hooksFor(hooks, event)) {
    const answer = hook.when?.test(facts) ?? true;
    if (answer === true) matched.push(hook);
    // A condition on arguments that this tool does not have does not hold: that is no fault of anybody's.
    else if (answer !== false && !answer.missing) broken.push({ hook, why: answer.error });
  }
  return { matched, broken };
}

/** All hooks of an event, in the order in which they are asked. */
export function hooksFor(hooks: readonly Hook[], event: HookEvent): readonly Hook[] {
  const ofEvent = hooks.filter((hook) => hook.event === event);
  return ORDER.flatMap((layer) => ofEvent.filter((hook) => hook.layer === layer));
}
