/**
 * Walks that failed for a reason of their own, in a host that stays (P18): the others go on. One that fails is tried
 * again after a pause; after three failures within ten minutes it is parked for a person, and should that fail too,
 * it is tried ever more rarely.
 */
import type { ThreadRow } from "../core/row.ts";

interface FailedWalk {
  readonly times: number;
  readonly at: number;
  readonly why: string;
}

const STRIKES = 3;
const FORGOTTEN_MS = 600_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

export class FailedWalks {
  readonly #failed = new Map<string, FailedWalk>();

  note(threadId: string, why: string, now: number): void {
    const before = this.#failed.get(threadId);
    const times = before && now - before.at < FORGOTTEN_MS ? before.times + 1 : 1;
    this.#failed.set(threadId, { times, at: now, why });
  }

  /** How long until it may be tried again; undefined when nothing speaks against it. */
  msLeft(threadId: string, now: number): number | undefined {
    const failed = this.#failed.get(threadId);
    if (!failed) return undefined;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failed.times - 1), LONGEST_PAUSE_MS);
    const leftMs = failed.at + pauseMs - now;
    return leftMs > 0 ? leftMs : undefined;
  }

  /** Why it is not walked any more; undefined while it is worth a try. */
  verdict(threadId: string): string | undefined {
    const failed = this.#failed.get(threadId);
    if (!failed || failed.times < STRIKES) return undefined;
    return `It failed ${failed.times} times within ten minutes: ${failed.why}`;
  }

  /** Forgets threads that are gone, and those that were parked: what a person lets go on gets its tries again. */
  keep(live: readonly Pick<ThreadRow, "thread_id" | "suspend_reason">[]): void {
    const left = live.filter(({ suspend_reason }) => suspend_reason !== "crash_loop");
    const ids = new Set(left.map(({ thread_id }) => thread_id));
    for (const known of this.#failed.keys()) if (!ids.has(known)) this.#failed.delete(known);
  }
}
