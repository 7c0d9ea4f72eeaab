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

<<<<<<< HEAD
export function isEnd(type: string): boolean {
  return ENDS.includes(type);
}
=======
/** What a parent may let go on without a person: limits and errors, never a question (L6). */
export function mayLetGoOn(reason: string | null | undefined): boolean {
  return reason === "limit" || reason === "budget" || reason === "error";
}

/** What a parked thread waits for; written in the same commit as the status (P12). */
export type WaitsFor =
  | { readonly kind: "timer"; readonly what: "retry"; readonly until: string }
  | {
      readonly kind: "children";
      readonly what: string;
      readonly ids: readonly string[];
      readonly until?: string | undefined;
    }
  | {
      readonly kind: "person";
      readonly what: string;
      readonly who: string;
      readonly how: string;
      /** The question that is open; without one, a plain resume lets it go on. */
      readonly approval_id?: string | undefined;
      /** When it stops waiting, and what happens then. */
      readonly until?: string | undefined;
      readonly follows?: "resume" | "deny" | undefined;
    };
>>>>>>> e60a10882bb47c524f849610cbd56c49a14065a5
