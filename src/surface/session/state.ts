/** What a session says of itself without asking the store: followed event by event, begun from the fold. */
import type { Event } from "../../core/event.ts";
import type { Status } from "../../core/status.ts";
import type { Thread } from "../../core/thread.ts";

export interface SessionState {
  /** Of the chain's last thread; undefined: nothing was said yet. */
  readonly status: Status | undefined;
  readonly isRetrying: boolean;
  readonly isCompacting: boolean;
  /** What somebody said about retries; undefined: as the settings say. */
  readonly autoRetry: boolean | undefined;
  readonly model: string | undefined;
}

export const NEW_STATE: SessionState = {
  ...{ status: undefined, isRetrying: false, isCompacting: false },
  ...{ autoRetry: undefined, model: undefined },
};

export function stateOf({ status, step, compaction, autoRetry, model }: Thread): SessionState {
  const isRetrying = status === "running" && step?.retry !== undefined;
  return { status, isRetrying, isCompacting: compaction !== undefined, autoRetry, model };
}

export function nextState(state: SessionState, event: Event): SessionState {
  switch (event.type) {
    case "thread_created":
      return { ...state, status: "created", isRetrying: false, model: event.model };
    case "thread_started":
    case "thread_resumed":
      return { ...state, status: "running" };
    case "auto_retry_start":
      return { ...state, isRetrying: true };
    case "auto_retry_end":
      return { ...state, isRetrying: false };
    case "auto_retry_set":
      return { ...state, autoRetry: event.enabled };
    case "context_compaction_start":
      return { ...state, isCompacting: true };
    case "context_compaction_end":
      return { ...state, isCompacting: false };
    case "thread_suspended":
      return { ...state, status: "suspended", isRetrying: false };
    case "thread_completed":
      return { ...state, status: "completed", isRetrying: false };
    case "thread_failed":
      return { ...state, status: "error", isRetrying: false };
    case "thread_cancelled":
      return { ...state, status: "cancelled", isRetrying: false };
    default:
      return state;
  }
}

export function isAtWork({ status }: SessionState): boolean {
  return status === "created" || status === "running";
}
