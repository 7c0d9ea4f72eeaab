/** Which threads someone may take up (SPEC §3). Computed from facts; a claim consumes nothing. */

import { needsNoLoad, type Request } from "./request.ts";
import type { ThreadRow } from "./row.ts";
import { isTerminal } from "./status.ts";

/** What is known of an owner. `elsewhere`: another host or pid namespace, where only missing beats prove a death. */
export type OwnerState = "none" | "alive" | "dead" | "elsewhere";

export interface Candidate {
  readonly row: ThreadRow;
  readonly requests: readonly Request[];
  readonly timerDue: number | undefined;
}

/** Takes up whom a commit woke, see `Store.commit`; false when somebody has to look for one of them. */
export type HandOver = (woken: readonly Candidate[]) => boolean;

export type ClaimReason = "dead_lease" | "request" | "timer" | "unparked";

export function claimReason(candidate: Candidate, owner: OwnerState, now: number): ClaimReason | undefined {
  const { row, requests } = candidate;
  if (isTerminal(row.status) || owner === "alive" || owner === "elsewhere") return undefined;
  if (row.corrupt) return requests.some((request) => isAnsweredBlind(row, request)) ? "request" : undefined;
  if (owner === "dead") return "dead_lease";
  if (requests.length > 0) return "request";
  if (candidate.timerDue !== undefined && candidate.timerDue <= now) return "timer";
  if (row.status === "running" && row.waits_for === null) return "unparked";
  return undefined;
}

/** A damaged thread takes note of its children, and is ended when the last of them has. */
function isAnsweredBlind({ living, stopping }: ThreadRow, { kind }: Request): boolean {
  if (kind === "outcome") return true;
  return needsNoLoad(kind) && (living === 0 || stopping === null);
}

/**
 * Whether somebody may have to do something about it before `until`, by the wall clock: all others stand still until
 * they are asked. The time of one that is under way is kept by another clock, so it is always among them.
 */
export function isStirring({ row, requests, timerDue }: Candidate, until: number): boolean {
  if (row.owner !== null || requests.length > 0) return true;
  if (row.status === "running" && (row.waits_for === null || timerDue !== undefined)) return true;
  return timerDue !== undefined && timerDue <= until;
}

/**
 * `orphaned` = its owner died, or it could go on and no live host covers it; shown, never stored. Such a thread
 * waits for somebody to host it: `recover` does.
 */
export function isOrphaned(candidate: Candidate, owner: OwnerState, hosted: boolean, now: number): boolean {
  const { row, requests, timerDue } = candidate;
  if (isTerminal(row.status) || row.corrupt || owner === "alive" || owner === "elsewhere") return false;
  if (owner === "dead") return true;
  // A suspended thread that goes on by itself one day is in nobody's way until then.
  const timed = timerDue !== undefined && (row.status === "running" || timerDue <= now);
  const canGoOn = requests.length > 0 || timed || (row.status === "running" && row.waits_for === null);
  return canGoOn && !hosted;
}

const STRIKES = 3;
const STRIKE_WINDOW_MS = 600_000;

/** The strikes after one more claim. Only a death counts: an owner that was fenced off alive proves nothing. */
export function struck(
  row: ThreadRow,
  needs: { readonly now: () => number; readonly ownerState: (owner: string) => OwnerState },
): readonly number[] {
  const died = row.owner !== null && needs.ownerState(row.owner) === "dead";
  return died ? [...row.strikes, needs.now()].slice(-STRIKES) : row.strikes;
}

/** Three deaths in ten minutes without progress: the thread itself is taken to be the cause (R5). */
export function isCrashLoop(strikes: readonly number[], now: number): boolean {
  return strikes.filter((at) => Math.abs(now - at) <= STRIKE_WINDOW_MS).length >= STRIKES;
}
