/** Waiting for several threads at once (O2), in a program: what each came to, and whether that is what was asked for. */
import type { Clock } from "../../core/world.ts";
import type { ThreadHandle } from "./handle.ts";
import type { Result } from "./result.ts";

export interface WaitAsk {
  /** As soon as one did not complete. */
  readonly failFast?: boolean;
  /** When one did not complete, those that are still under way by the end of the wait are told to stop. */
  readonly cancelSiblings?: boolean;
  /** As soon as so many have completed; all of them when nobody says. */
  readonly require?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export interface Waited {
  /** As many completed as were required. */
  readonly success: boolean;
  /** By thread; one that is still under way is not there. */
  readonly results: Readonly<Record<string, Result>>;
  /** The first that did not complete. */
  readonly failed: string | null;
  readonly timedOut: boolean;
}

export async function waitFor(
  clock: Clock,
  threads: readonly ThreadHandle[],
  { failFast = false, cancelSiblings = false, require = threads.length, timeout, signal }: WaitAsk,
): Promise<Waited> {
  const results: Record<string, Result> = {};
  const over = new AbortController();
  const ends = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  let failed: string | null = null;
  let completed = 0;
  const isDone = () =>
    completed >= require ||
    Object.keys(results).length === threads.length ||
    // What is left cannot be enough any more, or nobody wants to know.
    (failFast && failed !== null);
  const watch = async (thread: ThreadHandle) => {
    const result = await thread.result({ signal: ends }).catch((error) => {
      if (ends.aborted) return undefined;
      throw error;
    });
    if (!result) return;
    results[thread.id] = result;
    if (result.status === "completed") completed += 1;
    else failed ??= thread.id;
    if (isDone()) over.abort();
  };
  let timedOut = false;
  if (timeout !== undefined)
    clock.sleep(timeout * 1_000, over.signal).then(() => {
      if (over.signal.aborted) return;
      timedOut = true;
      over.abort();
    });
  try {
    if (!isDone()) await Promise.all(threads.map(watch));
  } finally {
    over.abort();
  }
  signal?.throwIfAborted();
  const left = threads.filter(({ id }) => results[id] === undefined);
  // Time that has run out is nobody's failure.
  if (cancelSiblings && failed !== null && !timedOut)
    await Promise.all(left.map((thread) => thread.cancel("its sibling failed")));
  return { success: completed >= require, results, failed, timedOut };
}
