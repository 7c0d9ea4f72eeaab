/** The open turn of a thread, event by event. */
import type { Event } from "./event.ts";
import type { Failure } from "./failure.ts";
import type { CallId } from "./id.ts";
import type { Block, CallResult } from "./message.ts";
import type { OpenCall, Step } from "./thread.ts";

/** Of a thread that goes on from no other, and of every turn but the first. */
export const NONE_EARLIER = { attempts: 0, holds: 0 } as const;

/** Every field from the start, and none ever taken away: objects of one shape are copied many times faster. */
export function newStep(
  turn: number,
  startedAt: string,
  { attempt, hold, holds }: Pick<Step, "attempt" | "hold" | "holds"> = { attempt: 1, holds: 0 },
): Step {
  return {
    turn,
    attempt,
    first: attempt,
    startedAt,
    blocks: [],
    calls: [],
    answer: undefined,
    later: undefined,
    retry: undefined,
    lastError: undefined,
    lastCategory: undefined,
    undecided: undefined,
    resetAt: undefined,
    urged: undefined,
    hold,
    holds,
    doubted: undefined,
    switches: 0,
    restedMs: 0,
    rest: undefined,
  };
}

export function failed(step: Step, event: Event<"error_classified">): Step {
  const { error, category, retry_after_ms: hint } = event;
  // A request that we stopped ourselves is no failure of anybody's.
  if (category === "cancelled") return awake(step, event.ts);
  const resetAt = hint === undefined ? undefined : new Date(Date.parse(event.ts) + hint).toISOString();
  return {
    ...awake(step, event.ts),
    attempt: event.attempt + 1,
    lastError: error,
    lastCategory: category,
    resetAt,
    urged: undefined,
    undecided: undecidedBy(event, step),
  };
}

function undecidedBy(event: Event<"error_classified">, { lastCategory }: Step): Step["undecided"] {
  const { undecided, category, rule, attempt } = event;
  if (!undecided) return undefined;
  const failure = undecided.failure as unknown as Failure;
  return { failure, classified: { category, rule, policy: undecided.policy }, attempt, lastCategory };
}

/** Ends the rest of a step: what was waited before something happened again. */
export function awake(step: Step, ts: string): Step {
  const { rest } = step;
  if (!rest) return step;
  const end = Math.min(
    Date.parse(ts),
    rest.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(rest.until),
  );
  const restedMs = step.restedMs + Math.max(0, end - Date.parse(rest.since));
  return { ...step, restedMs, rest: undefined };
}

export function started(step: Step, event: Event<"tool_call_start">): Step {
  const { at, tool, input, effect, executes } = event;
  const call_id = event.call_id as CallId;
  const how = executes ? { executes } : {};
  const blocks = [...step.blocks];
  let calls = step.calls;
  for (const earlier of event.preceding) {
    blocks[earlier.at] = earlier.block as Block;
    if (earlier.block.type === "call") {
      calls = withCall(calls, { ...(earlier.block as Block & { type: "call" }), at: earlier.at });
    }
  }
  blocks[at] = { type: "call", call_id, tool, input, ...how };
  return { ...step, blocks, calls: withCall(calls, { call_id, at, tool, input, effect, ...how }) };
}

/** Keeps calls in the order of the answer, whatever order they were started in. */
export function withCall(calls: readonly OpenCall[], call: OpenCall): readonly OpenCall[] {
  const { call_id, at, tool, input, executes, effect, result } = call;
  const how = { ...(executes && { executes }), ...(effect && { effect }), ...(result && { result }) };
  const clean = { call_id, at, tool, input, ...how };
  if (calls.length === 0) return [clean];
  const others = calls.filter((other) => other.call_id !== call_id);
  return [...others, clean].sort((left, right) => left.at - right.at);
}

export function resulted(step: Step, event: Event<"tool_call_result">): Step {
  const { tool, status, output, killed } = event;
  const call_id = event.call_id as CallId;
  const result: CallResult = { call_id, tool, status, output, ...(killed ? { killed } : {}) };
  return {
    ...step,
    calls: step.calls.map((call) => (call.call_id === event.call_id ? { ...call, result } : call)),
  };
}

export function startedOver(step: Step): Step {
  const forgotten = { lastError: undefined, lastCategory: undefined, resetAt: undefined };
  return { ...step, ...forgotten, attempt: 1, first: 1, switches: 0, urged: true };
}

/** Which request it is of those that were made for what is asked now. */
export function tryOf({ attempt, first }: Pick<Step, "attempt" | "first">): number {
  return attempt - first + 1;
}

export function withoutRetry(step: Step): Step {
  return { ...step, retry: undefined };
}
