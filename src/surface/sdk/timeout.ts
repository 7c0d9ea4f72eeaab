/** Time limits of waits, in seconds as people say them. */
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../core/world.ts";

export interface Deadline {
  /** Aborts with what is to be told when the time is up. */
  readonly signal: AbortSignal;
  /** Nobody waits any more. */
  end(): void;
}

/** Undefined: there is none. */
export function deadline(
  clock: Clock,
  seconds: number | undefined,
  told: (seconds: number) => unknown,
): Deadline {
  const late = new AbortController();
  if (seconds === undefined) return { signal: late.signal, end: () => {} };
  if (typeof seconds !== "number" || !(seconds >= 0))
    throw new Problem("E_USAGE", {
      what: `A timeout of ${seconds} cannot be waited for.`,
      why: "It is in seconds.",
    });
  const over = new AbortController();
  clock.sleep(Math.min(seconds * 1_000, LONGEST_MS), over.signal).then(() => {
    if (!over.signal.aborted) late.abort(told(seconds));
  });
  return { signal: late.signal, end: () => over.abort() };
}

/** Timers hold no more: some 24 days, which is for ever to a program. */
const LONGEST_MS = 2_147_483_647;
