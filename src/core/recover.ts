/** Diagnosis of a thread whose owner died, and what is done about each call in flight (R3–R5, D6). */
import { type Estimate, estimateToFinish } from "./estimate.ts";
import { livingChildren } from "./family.ts";
import type { CallId } from "./id.ts";
import { livingOf } from "./known-below.ts";
import type { OpenCall, Thread } from "./thread.ts";
import type { Effect, ProbeAnswer, ToolOutcome } from "./tool.ts";

export interface InFlight {
  readonly call_id: CallId;
  readonly tool: string;
  readonly effect: Effect;
  readonly input: unknown;
}

/** Calls with a durable intent and no result: they may have run, wholly, partly or not at all. */
export function inFlight(thread: Thread): InFlight[] {
  // A wait is a fact, not an effect: it goes on as it was.
  const waits = thread.wait?.callId;
  return (thread.step?.calls ?? []).flatMap((call: OpenCall) =>
    call.effect && !call.result && call.call_id !== waits
      ? [{ call_id: call.call_id, tool: call.tool, effect: call.effect, input: call.input }]
      : [],
  );
}

export type CallDecision =
  | { readonly type: "rerun"; readonly why: string }
  | { readonly type: "take"; readonly outcome: ToolOutcome; readonly why: string }
  | { readonly type: "unknown"; readonly why: string };

/** Unknown outcomes are never guessed (P5). */
export function decideCall(effect: Effect, probe: ProbeAnswer | undefined): CallDecision {
  switch (effect) {
    case "pure":
      return { type: "rerun", why: "pure: safe to run again" };
    case "keyed":
      return { type: "rerun", why: "keyed: run again with the same key" };
    case "manual":
      return { type: "unknown", why: "manual: never run again by the machine" };
    case "probe":
      return decideProbed(probe ?? { type: "cannot_tell" });
  }
}

function decideProbed(answer: ProbeAnswer): CallDecision {
  switch (answer.type) {
    case "done":
      return { type: "take", outcome: answer.outcome, why: "probe: it had finished" };
    case "not_done":
      return { type: "rerun", why: "probe: it had not happened" };
    case "cannot_tell":
      return { type: "unknown", why: "probe: cannot tell" };
  }
}

export const UNKNOWN_OUTCOME =
  "Outcome unknown: the process that ran this call died before its result was recorded. " +
  "It may have taken full effect, partial effect or none. Check the state of things before repeating it.";

/** The model is asked again when it had been asked and nothing of its answer was acted on. */
export function asksAgain(thread: Thread): boolean {
  const { step } = thread;
  return (
    thread.status === "running" &&
    step !== undefined &&
    !step.answer &&
    step.blocks.length === 0 &&
    !step.retry
  );
}

interface PlannedCall {
  readonly call_id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly effect: Effect;
  readonly decision: CallDecision["type"];
  readonly why: string;
}

export interface PlannedProcess {
  readonly handle_id: string;
  readonly command: string;
  readonly pid: number;
  readonly decision: "adopted" | "gone";
}

export interface PlanLine {
  readonly thread_id: string;
  readonly directive: string;
  readonly status: string;
  readonly turn: number;
  readonly owner: string;
  readonly last_activity: string;
  readonly age_seconds: number;
  readonly turns: number;
  readonly tokens: number;
  /** A request was under way when nobody was left to hear its answer: it is made again, and what was held is charged. */
  readonly model_call_again: boolean;
  /** False: its owner put it down in good order, and what is held is for a request that was never sent. */
  readonly is_in_doubt: boolean;
  readonly in_flight: readonly PlannedCall[];
  readonly processes: readonly PlannedProcess[];
  /** Children it waits for; it waits again, and costs nothing meanwhile. */
  readonly joins: readonly string[];
  /** What it may still take; left out where nothing tells. */
  readonly estimate?: Estimate;
  /** Set when the journal is damaged: nothing is resumed from it. */
  readonly damage?: { readonly last_good: number; readonly why: string };
}

export function planLine(
  thread: Thread,
  facts: {
    readonly owner: string;
    readonly now: number;
    readonly decisions: ReadonlyMap<CallId, CallDecision>;
    readonly processes?: readonly PlannedProcess[];
  },
): PlanLine {
  const { input, cache_read, cache_write, output } = thread.usage;
  const estimate = estimateToFinish(thread);
  const is_in_doubt = facts.owner !== "" || thread.step?.doubted === true;
  return {
    thread_id: thread.id,
    directive: thread.directive,
    status: thread.status,
    turn: thread.step?.turn ?? thread.turns,
    owner: facts.owner,
    last_activity: thread.updatedAt,
    age_seconds: Math.max(0, Math.round((facts.now - Date.parse(thread.updatedAt)) / 1000)),
    turns: thread.turns,
    tokens: input + cache_read + cache_write + output,
    model_call_again: is_in_doubt && asksAgain(thread),
    is_in_doubt,
    processes: facts.processes ?? [],
    joins: joinsOf(thread),
    ...(estimate ? { estimate } : {}),
    in_flight: inFlight(thread).map(({ call_id, tool, input, effect }) => {
      const decision = facts.decisions.get(call_id) ?? decideCall(effect, undefined);
      return { call_id, tool, input, effect, decision: decision.type, why: decision.why };
    }),
  };
}

/** Those of a wait that still live; of a thread that is about to end, all that live. */
function joinsOf(thread: Thread): string[] {
  const { wait, stopping } = thread;
  if (!wait && !stopping) return [];
  return wait ? livingOf(thread, wait.ids) : livingChildren(thread).map(({ id }) => id);
}
