/** Statuses and what may follow what (SPEC §3). */

export const NEXT = {
  created: ["running", "cancelled"],
  running: ["completed", "error", "suspended", "cancelled", "continued"],
  suspended: ["running", "cancelled", "error"],
  completed: ["continued"],
  error: ["continued"],
  cancelled: ["continued"],
  continued: [],
} as const satisfies Record<string, readonly string[]>;

export type Status = keyof typeof NEXT;
export const STATUSES = Object.keys(NEXT) as Status[];

export function canMove(from: Status, to: Status): boolean {
  return (NEXT[from] as readonly Status[]).includes(to);
}

/** It does nothing any more: its work has ended, or goes on in another thread. */
export function isTerminal(status: Status): boolean {
  return hasEnded(status) || status === "continued";
}

/** Its chain has come to an end: nothing of it is left to be done. */
export function hasEnded(status: Status): boolean {
  return status === "completed" || status === "error" || status === "cancelled";
}

/** The events with which a thread ends. */
export const ENDS: readonly string[] = ["thread_completed", "thread_failed", "thread_cancelled"];
