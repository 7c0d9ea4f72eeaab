/**
 * A clock that tests hold in their hands. Time passes only when nothing else can happen: as soon as the event
 * loop has been quiet for a while, the clock moves to the next sleeper. Wall time can jump; monotonic time cannot.
 */
import type { Clock } from "../core/world.ts";

export interface FakeClock extends Clock {
  /** Every sleep that was asked for, in ms. */
  readonly slept: readonly number[];
  /** Moves wall time alone, as a person or a time server may. */
  jump(ms: number): void;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Rounds of the event loop without a new sleeper that count as "nothing else can happen". */
const QUIET_ROUNDS = 24;

export function fakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  const slept: number[] = [];
  let sleepers: Sleeper[] = [];
  let elapsed = 0;
  let skew = 0;
  let quiet = 0;
  let watching = false;

  const round = () => {
    if (sleepers.length === 0) {
      watching = false;
      return;
    }
    quiet += 1;
    if (quiet >= QUIET_ROUNDS) wakeNext();
    setImmediate(round);
  };
  const wakeNext = () => {
    quiet = 0;
    const at = Math.min(...sleepers.map((sleeper) => sleeper.at));
    elapsed = Math.max(elapsed, at);
    const due = sleepers.filter((sleeper) => sleeper.at <= elapsed);
    sleepers = sleepers.filter((sleeper) => sleeper.at > elapsed);
    for (const sleeper of due) sleeper.wake();
  };
  const watch = () => {
    quiet = 0;
    if (watching) return;
    watching = true;
    setImmediate(round);
  };

  return {
    slept,
    now: () => startMs + elapsed + skew,
    monotonic: () => elapsed,
    jump: (ms) => {
      skew += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        slept.push(ms);
        const sleeper: Sleeper = { at: elapsed + ms, wake: () => done() };
        const done = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        signal?.addEventListener("abort", done, { once: true });
        sleepers.push(sleeper);
        watch();
      }),
  };
}
