/** What anyone may ask of a thread without owning it. `post` stores it; the owner journals it when it consumes it. */
import type { ThreadRow } from "./row.ts";
import { isTerminal } from "./status.ts";

interface Asked {
  readonly request_id: string;
  readonly thread_id: string;
  /** Who asks: a person, a surface, a file. */
  readonly by: string;
}

export type Request = Asked &
  (
    | { readonly kind: "start" }
    | { readonly kind: "cancel"; readonly reason: string; readonly nonce: string }
    | { readonly kind: "message"; readonly text: string }
    | { readonly kind: "resume"; readonly nonce: string }
    | { readonly kind: "mark_error"; readonly reason: string }
  );

export type RequestKind = Request["kind"];

/** Why a request is not accepted in this state; undefined when it is. Nothing is written for a refused one (§12). */
export function requestRefusal(row: ThreadRow | undefined, kind: RequestKind): string | undefined {
  if (!row) return "there is no such thread";
  if (isTerminal(row.status)) return `it is ${row.status}`;
  const fits = FITTING[kind];
  if (!fits.includes(row.corrupt ? "corrupt" : row.status)) {
    return row.corrupt ? "its journal is damaged" : `it is ${row.status}`;
  }
  return undefined;
}

const FITTING: Record<RequestKind, readonly string[]> = {
  start: ["created"],
  cancel: ["created", "running", "suspended", "corrupt"],
  message: ["created", "running", "suspended"],
  resume: ["suspended"],
  mark_error: ["running", "suspended", "corrupt"],
};

/** Requests that end a thread need no load, so they work on a damaged journal too (F5). */
export function needsNoLoad(kind: RequestKind): boolean {
  return kind === "cancel" || kind === "mark_error";
}
