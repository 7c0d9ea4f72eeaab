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
  /** At `context_window_pressure`: notes that take the place of the answers before a turn. */
  readonly compaction?: { readonly summary: string; readonly pruneBeforeTurn?: number | undefined };
}

/** What is known at an event: plain nested objects, in the shape that `hook-facts.ts` declares. */
export type Facts = Readonly<Record<string, unknown>>;

/** The nearest to the work first. */
export const HOOK_LAYERS = ["directive", "project", "user", "system"] as const;
type HookLayer = (typeof HOOK_LAYERS)[number];

/** Asked on the spot, while the thread's owner waits. */
type LocalRun =
  | { readonly command: string }
  | { readonly call: (facts: Facts, signal: AbortSignal) => unknown };
/** Asked by starting a child thread: its outputs are the answer. */
type ChildRun = { readonly directive: string };

interface HookOf<Run extends LocalRun | ChildRun> {
  readonly id: string;
  readonly event: HookEvent;
  readonly layer: HookLayer;
  /** `file:line`, for people. */
  readonly where: string;
  readonly when?: Condition;
  /** May hold `{placeholders}` that name facts. */
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
  readonly run: Run;
  readonly timeoutSeconds: number;
}

export type LocalHook = HookOf<LocalRun>;
export type ChildHook = HookOf<ChildRun>;
export type Hook = LocalHook | ChildHook;
