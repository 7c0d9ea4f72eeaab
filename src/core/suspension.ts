/** Why a thread stands still, and what it waits for (SPEC §3). */

export const SUSPEND_REASONS = [
  "limit",
  "budget",
  "error",
  "quota",
  "approval",
  "storage",
  "corrupt",
  "crash_loop",
] as const;
export type SuspendReason = (typeof SUSPEND_REASONS)[number];

/** What a parent may let go on without a person: limits and errors, never a question (L6). */
export function mayLetGoOn(reason: string | null | undefined): boolean {
  return reason === "limit" || reason === "budget" || reason === "error";
}

/** What a parked thread waits for; written in the same commit as the status (P12). */
export type WaitsFor =
  | { readonly kind: "timer"; readonly what: "retry"; readonly until: string }
  /** A lasting thread, for the next thing that somebody says to it. */
  | { readonly kind: "message"; readonly what: string }
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
