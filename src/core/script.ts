/** Scripts of the scripted model (SPEC §16): a list of steps, chosen by the fold, so that they survive a kill. */
import type { Usage } from "./message.ts";

export interface ScriptCall {
  readonly tool: string;
  readonly input: unknown;
}

export interface ScriptFailure {
  readonly status?: number | undefined;
  /** What the provider calls it, such as `insufficient_quota`. */
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly retry_after_ms?: number | undefined;
}

/**
 * One step. `says` and `calls` are an answer (text first); `streams` is text in chunks; `fails` fails, after
 * whatever stands beside it was sent; `hangs` sends what stands beside it and then nothing more, for that many
 * seconds or for ever.
 */
export interface ScriptStep {
  readonly says?: string | undefined;
  readonly streams?:
    | { readonly chunks: readonly string[]; readonly every_ms?: number | undefined }
    | undefined;
  readonly calls?: readonly ScriptCall[] | undefined;
  readonly fails?: ScriptFailure | undefined;
  readonly hangs?: number | true | undefined;
  readonly usage?: Partial<Usage> | undefined;
}

/**
 * The step for the answer after `answers` answers at request `attempt` of its turn. Failing steps before an
 * answering one are its failed attempts; a failure after calls is an answer too, because it is kept (T3).
 */
export function scriptStep(
  steps: readonly ScriptStep[],
  answers: number,
  attempt: number,
): ScriptStep | undefined {
  let group = 0;
  let failures: ScriptStep[] = [];
  for (const step of steps) {
    const answering = !step.fails || (step.calls !== undefined && step.calls.length > 0);
    if (!answering) {
      failures.push(step);
      continue;
    }
    if (group === answers) return failures[attempt - 1] ?? step;
    group += 1;
    failures = [];
  }
  return group === answers ? (failures[attempt - 1] ?? failures.at(-1)) : undefined;
}

const REFERENCE = /^\{(thread_id|handle_id):([1-9]\d*)\}$/;

/**
 * A script cannot know the ids that threads and processes will have: `{thread_id:2}` in an input stands for the second
 * one that a tool has told of in this conversation. What was not told stays as it is, and is complained about by the tool.
 */
export function filledStep(step: ScriptStep, told: () => readonly string[]): ScriptStep {
  const { calls = [] } = step;
  if (!calls.some(({ input }) => /\{(thread|handle)_id:/.test(JSON.stringify(input) ?? ""))) return step;
  const outputs = told().flatMap((output) => idsIn(output));
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
    const [, field, place] = typeof value === "string" ? (REFERENCE.exec(value) ?? []) : [];
    const named = outputs.filter((each) => each.field === field);
    return (field && named[Number(place) - 1]?.id) || value;
  };
  return { ...step, calls: calls.map(({ tool, input }) => ({ tool, input: fill(input) })) };
}

function idsIn(output: string): { field: string; id: string }[] {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([field, id]) => (typeof id === "string" ? [{ field, id }] : []));
  } catch {
    return []; // the output of another tool
  }
}
