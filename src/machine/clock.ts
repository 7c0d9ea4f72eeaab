/** The computer's clock. */
import type { Clock } from "../core/world.ts";

// setTimeout overflows at 2^31 ms (about 25 days) and would fire at once; an hour is safely below that.
const LONGEST_SLICE_MS = 3_600_000;

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic,
  sleep,
};

/** Not `performance`: that is loaded when it is first asked for, and every start would wait for it. */
function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const end = monotonic() + ms;
  while (!signal?.aborted) {
    const leftMs = end - monotonic();
    if (!(leftMs > 0)) return; // also when `ms` is no number
    await slice(Math.min(Math.ceil(leftMs), LONGEST_SLICE_MS), signal);
  }
}

/** One timer. Its listener goes with it: a thread's signal outlives thousands of sleeps. */
function slice(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
