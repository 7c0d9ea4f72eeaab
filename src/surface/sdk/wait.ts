/** Waiting for several threads at once (O2), in a program: what each came to, and whether that is what was asked for. */
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../core/world.ts";
import type { ThreadHandle } from "./handle.ts";
import type { Result } from "./result.ts";
import { deadline } from "./timeout.ts";

export interface WaitAsk {
  /** As soon as one has failed or was cancelled. */
  readonly failFast?: boolean | undefined;
  /** When one has failed or was cancelled, those that are still under way by the end of the wait are told to stop. */
  readonly cancelSiblings?: boolean | undefined;
  /** As soon as so many have completed; all of them when nobody says. */
  readonly require?: number | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Waited {
  /** As many completed as were required. */
  readonly success: boolean;
  /** By thread, in the order of those that are waited for; one that is still under way is not there. */
  readonly results: Readonly<Record<string, Result>>;
  /** The first that failed or was cancelled. One that waits for a person has done neither. */
  readonly failed: string | null;
  readonly timedOut: boolean;
}

export async function waitFor(
  clock: Clock,
  threads: readonly ThreadHandle[],
  { failFast = false, cancelSiblings = false, require, timeout, signal }: WaitAsk,
): Promise<Waited> {
  const each = new Map(threads.map((thread) => [thread.id, thread]));
  const needed = required(require, each.size);
  const tally = new Tally(each.size, { needed, failFast });
  const { results } = tally;
  const late = deadline(clock, timeout, () => "late");
  const over = new AbortController();
  const ends = AbortSignal.any([over.signal, late.signal, ...(signal ? [signal] : [])]);
  const watch = async (thread: ThreadHandle) => {
    const result = await thread.result({ signal: ends }).catch((error) => {
      if (ends.aborted) return undefined;
      throw error;
    });
    if (result) tally.note(thread.id, result);
    if (tally.isDone) over.abort();
  };
  try {
    let left = [...each.values()];
    // Whoever was asked something may have been answered while the others went on.
    while (left.length > 0 && !tally.isDone && !ends.aborted) {
      await Promise.all(left.map(watch));
      const asking = left.filter(({ id }) => results[id]?.status === "suspended");
      const now = await Promise.all(asking.map((thread) => thread.atRest()));
      left = asking.filter((_, index) => now[index]?.status !== "suspended");
    }
  } finally {
    over.abort();
    late.end();
  }
  signal?.throwIfAborted();
  const { failed } = tally;
  // Time that has run out is nobody's failure.
  if (cancelSiblings && failed !== null && !late.signal.aborted)
    await Promise.all(
      [...each.values()]
        .filter(({ id }) => !hasEnded(results[id]))
        .map((thread) => thread.cancel(`Sibling thread ${failed} failed`)),
    );
  const success = tally.completed >= needed;
  return { success, results: inOrder(threads, results), failed, timedOut: late.signal.aborted };
}

/** As they were handed in, not as they came in. */
function inOrder(threads: readonly ThreadHandle[], results: Waited["results"]): Record<string, Result> {
  const found = threads.flatMap(({ id }) => (results[id] ? [[id, results[id]] as const] : []));
  return Object.fromEntries(found);
}

function required(require: number | undefined, count: number): number {
  if (require === undefined) return count;
  if (Number.isSafeInteger(require) && require >= 1 && require <= count) return require;
  throw new Problem("E_USAGE", {
    what: `${require} of ${count} threads cannot be required.`,
    why: "It is a number of those that are waited for, from 1.",
  });
}

function hasEnded(result: Result | undefined): boolean {
  return result !== undefined && result.status !== "suspended";
}

class Tally {
  readonly results: Record<string, Result> = {};
  failed: string | null = null;
  completed = 0;
  #ended = 0;
  readonly #count: number;
  readonly #ask: { readonly needed: number; readonly failFast: boolean };

  constructor(count: number, ask: { readonly needed: number; readonly failFast: boolean }) {
    this.#count = count;
    this.#ask = ask;
  }

  /** There is enough, or it can never be, or nobody wants to know any more. */
  get isDone(): boolean {
    const { needed, failFast } = this.#ask;
    return this.completed >= needed || this.#ended === this.#count || (failFast && this.failed !== null);
  }

  /** What has ended is noted once; what waits for a person, as often as it is looked at. */
  note(id: string, result: Result): void {
    this.results[id] = result;
    if (!hasEnded(result)) return;
    this.#ended += 1;
    if (result.status === "completed") this.completed += 1;
    else this.failed ??= id;
  }
}
