/**
 * Runs one hook. The thread waits for it, so:
 *   K1. It never throws and always comes back: a hook that fails, hangs, floods or babbles is a problem in one sentence.
 *   K2. A command runs as command tools do: in a group of its own that ends whole, with no secret in its environment.
 *   K3. A function in our own process cannot be killed: its signal is aborted, and nobody waits for it any longer.
 */
import type { Facts, HookResult, LocalHook } from "../core/hook.ts";
import { toldOf } from "../core/hook-child.ts";
import { hookInputs } from "../core/hook-inputs.ts";
import { parseHookResult } from "../core/hook-result.ts";
import { messageOf } from "../core/input.ts";
import { oneLine } from "../core/text.ts";
import { childEnvironment } from "./environment.ts";
import type { GroupEnd } from "./process-group.ts";
import type { Sandbox } from "./sandbox.ts";
import { runShell } from "./shell.ts";

export interface HookSurroundings {
  /** The root of the project. */
  readonly cwd: string;
  /** For a command; a function runs in our own process. */
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Whether a command may reach the network. */
  readonly network?: boolean;
  /** Names this run of the hook, so that a command can tell one it has seen before. */
  readonly key?: string;
  /** Between TERM and KILL. */
  readonly graceMs?: number;
}

type Answer = HookResult | { readonly problem: string };

const MOST_BYTES = 65_536;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const STOPPED = "stopped before it answered";
const NOTHING_SAID: HookResult = { action: "continue" };

export async function runHookCommand(
  hook: LocalHook,
  facts: Facts,
  around: HookSurroundings,
): Promise<Answer> {
  const { run } = hook;
  try {
    const answer = await ("command" in run
      ? runCommand(hook, run.command, facts, around)
      : call(hook, run.call, facts, around));
    return "problem" in answer ? { problem: toldOf(hook, answer.problem) } : answer;
  } catch (cause) {
    // K1. Facts that are no JSON, a result whose fields throw, a disk without room for the input.
    return { problem: toldOf(hook, wordsOf(cause)) };
  }
}

async function runCommand(
  hook: LocalHook,
  command: string,
  facts: Facts,
  { cwd, sandbox, signal, network = false, key = `hook/${hook.id}`, graceMs }: HookSurroundings,
): Promise<Answer> {
  const input = { hook: hook.id, event: hook.event, ...facts, inputs: hookInputs(hook, facts) };
  const end = await runShell(command, {
    sandbox,
    streams: "split",
    directory: cwd,
    input: `${JSON.stringify(input)}\n`,
    environment: childEnvironment({ callKey: key, threadId: String(facts["thread_id"]) }),
    signal,
    network,
    timeoutMs: hook.timeoutSeconds * 1_000,
    maxOutputBytes: MOST_BYTES,
    ...(graceMs !== undefined && { graceMs }),
  });
  return answerOf(end, hook.timeoutSeconds);
}

function answerOf(end: GroupEnd, seconds: number): Answer {
  switch (end.type) {
    case "exited":
      return end.code === 0 ? spoken(end.stdout ?? "") : { problem: exitText(end.code, end.output) };
    case "killed":
      return { problem: `ended by ${end.signal}` };
    case "timed_out":
      return { problem: `no answer within ${seconds} s, stopped` };
    case "output_too_large":
      return { problem: `more than ${MOST_BYTES} bytes of output, stopped` };
    case "aborted":
      return { problem: STOPPED };
    case "could_not_start":
      return { problem: `could not start: ${end.why}` };
  }
}

function exitText(code: number, output: string): string {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  return last === "" ? `exit code ${code}` : `exit code ${code}: ${oneLine(last, 200)}`;
}

function spoken(stdout: string): Answer {
  if (stdout.trim() === "") return NOTHING_SAID;
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return { problem: `its output is no JSON: ${JSON.stringify(oneLine(stdout, 60))}` };
  }
  return parseHookResult(value);
}

/** K3. */
async function call(
  hook: LocalHook,
  act: (facts: Facts, signal: AbortSignal) => unknown,
  facts: Facts,
  { signal }: HookSurroundings,
): Promise<Answer> {
  if (signal.aborted) return { problem: STOPPED };
  const inner = new AbortController();
  const { promise: stopped, resolve: stop } = pending<{ problem: string }>();
  const onAbort = () => stop({ problem: STOPPED });
  const late = setTimeout(
    () => stop({ problem: `no answer within ${hook.timeoutSeconds} s; what it still does is lost` }),
    Math.min(hook.timeoutSeconds * 1_000, LONGEST_TIMER_MS),
  );
  signal.addEventListener("abort", onAbort);
  try {
    // A copy: what it does to its facts must not reach the thread's.
    const answered = (async () => ({ value: await act(structuredClone(facts), inner.signal) }))();
    answered.catch(() => {}); // when it fails after we have left, nobody listens
    const first = await Promise.race([stopped, answered]);
    if ("problem" in first) return first;
    return first.value === undefined ? NOTHING_SAID : parseHookResult(first.value);
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", onAbort);
    inner.abort();
  }
}

function pending<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function wordsOf(cause: unknown): string {
  try {
    return oneLine(messageOf(cause), 300);
  } catch {
    return "it threw something that has no words"; // its own toString throws
  }
}
