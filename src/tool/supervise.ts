/**
 * A tool inside our own process cannot be killed: its signal is aborted, and if it does not come back the call
 * goes on without it (D3). What it does afterwards is lost, and the outcome says so.
 */

import { messageOf } from "../core/input.ts";
import type { Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { capped } from "./cap.ts";

const GRACE_MS = 3_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Patience {
  /** 0: as long as it takes. */
  readonly timeoutSeconds: number;
  /** From an abort until the call is given up. */
  readonly graceMs?: number;
  /** What is kept of a result (F9). */
  readonly maxBytes?: number;
}

export function supervised(tool: Tool, patience: Patience): Tool {
  const run: Tool["run"] = (input, context) => watch(tool, input, context, patience);
  // Not a spread: that would make the JSON Schema, which waits until somebody asks for it.
  const same = Object.getOwnPropertyDescriptors(tool);
  return Object.defineProperties({} as Tool, { ...same, run: { value: run, enumerable: true } });
}

/** For tools that are handed in while a program runs: each is watched once, however often it is asked for. */
export function supervisor(patience: Patience): (tool: Tool) => Tool {
  const watched = new WeakMap<Tool, Tool>();
  return (tool) => {
    const same = watched.get(tool) ?? supervised(tool, patience);
    watched.set(tool, same);
    return same;
  };
}

function watch(tool: Tool, input: unknown, context: ToolContext, patience: Patience): Promise<ToolOutcome> {
  const { timeoutSeconds, graceMs = GRACE_MS, maxBytes = Number.MAX_SAFE_INTEGER } = patience;
  let inner: AbortController | undefined;
  // Most tools never look at their signal, and to make one is not cheap.
  const innerSignal = () => {
    if (timeoutSeconds === 0) return context.signal;
    inner ??= new AbortController();
    if (isOver !== undefined) inner.abort(isOver);
    return inner.signal;
  };
  let isOver: unknown;
  const stop = (reason: unknown) => {
    isOver = reason;
    inner?.abort(reason);
  };
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void) =>
    timers.push(setTimeout(then, Math.min(ms, LONGEST_TIMER_MS)));
  return new Promise((resolve) => {
    const settle = (outcome: ToolOutcome) => {
      for (const timer of timers) clearTimeout(timer);
      context.signal.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const onAbort = () => {
      stop(context.signal.reason);
      after(graceMs, () => settle(LEFT_BEHIND));
    };
    const onTimeout = () => {
      settle(timedOut(timeoutSeconds)); // before the abort, whose echo would otherwise be the outcome
      stop(new Error(`timed out after ${timeoutSeconds} s`));
    };
    if (timeoutSeconds > 0) after(timeoutSeconds * 1_000, onTimeout);
    if (context.signal.aborted) onAbort();
    else context.signal.addEventListener("abort", onAbort);
    const own: ToolContext = {
      ...context,
      get signal() {
        return innerSignal();
      },
    };
    attempt(tool, input, own, maxBytes).then(settle);
  });
}

/** Tools that were not made by `defineTool` may throw. */
async function attempt(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  maxBytes: number,
): Promise<ToolOutcome> {
  try {
    return capped(await tool.run(input, context), maxBytes);
  } catch (cause) {
    return { status: context.signal.aborted ? "stopped" : "error", output: messageOf(cause) };
  }
}

const LEFT_BEHIND: ToolOutcome = {
  status: "unknown",
  output: "It was asked to stop and did not answer; it may still be running, and what it did is not known.",
};

function timedOut(seconds: number): ToolOutcome {
  return {
    status: "error",
    output: `Timed out after ${seconds} s. It was asked to stop, but may have done all or part of its work.`,
  };
}
