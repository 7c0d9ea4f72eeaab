/**
 * When parked threads are due, by a clock that does not jump. A due time in the store is wall time; it is turned
 * into monotonic time once, when first seen, and never lies further ahead than the longest wait there is.
 */
import type { Candidate } from "../core/claim.ts";
import type { ThreadRow } from "../core/row.ts";
import type { World } from "../core/world.ts";

export class Deadlines {
  readonly #world: World;
  readonly #seen = new Map<string, { due: number; at: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  msLeft(candidate: Candidate): number {
    const { timerDue, row } = candidate;
    if (timerDue === undefined) return Number.POSITIVE_INFINITY;
    // A date that somebody named is a date: a day of sleep, or a clock put right, moves us with it.
    if (row.status === "suspended") return timerDue - this.#world.clock.now();
    return this.#deadline(row, timerDue) - this.#world.clock.monotonic();
  }

  /** Forgets what is no longer there. */
  keep(chainRootIds: ReadonlySet<string>): void {
    for (const known of this.#seen.keys()) if (!chainRootIds.has(known)) this.#seen.delete(known);
  }

  #deadline({ chain_root_id, updated_at }: ThreadRow, due: number): number {
    const seen = this.#seen.get(chain_root_id);
    if (seen?.due === due) return seen.at;
    const { clock } = this.#world;
    const longest = Math.max(0, due - Date.parse(updated_at));
    const at = clock.monotonic() + Math.min(Math.max(0, due - clock.now()), longest);
    this.#seen.set(chain_root_id, { due, at });
    return at;
  }
}
