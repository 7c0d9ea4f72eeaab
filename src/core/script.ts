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
