/** What becomes of a child, as its parent is told: a request of the child's own commit, so that it arrives once (O4). */
import type { Event, NewEvent } from "./event.ts";
import { plus } from "./money.ts";
import type { Request } from "./request.ts";
import type { Damage, RowFold } from "./row.ts";

/** The event that the parent's owner writes down. */
export type Outcome = NewEvent<
  "child_thread_completed" | "child_thread_failed" | "child_thread_suspended" | "child_thread_resumed"
>;

type Told = Pick<
  RowFold,
  "chain_root_id" | "parent_id" | "directive" | "turns" | "input_tokens" | "output_tokens" | "spent" | "below"
>;

/** What one event of a child means for its parent; `row` is the child's after it. */
export function outcomeRequest(row: Told, event: Event): Request | undefined {
  const outcome = row.parent_id === null ? undefined : outcomeOf(row, event);
  if (!outcome || row.parent_id === null) return undefined;
  // Named after the event: told again, it is the same.
  const request_id = `out_${event.thread_id}_${event.seq}`;
  return { kind: "outcome", request_id, thread_id: row.parent_id, by: row.chain_root_id, outcome };
}

/** A child that had ended lives again: a person had more to say to it (X4). */
export function revivalRequest(row: Told, successor: string): Request | undefined {
  const { chain_root_id: child_id, parent_id: thread_id, directive } = row;
  if (thread_id === null) return undefined;
  const outcome = { type: "child_thread_resumed" as const, child_id, directive, again: costOf(row) };
  return { kind: "outcome", request_id: `out_${successor}_again`, thread_id, by: child_id, outcome };
}

function costOf({ turns, input_tokens, output_tokens, spent, below }: Told) {
  return { turns, tokens: input_tokens + output_tokens, spent: plus(spent, below) };
}

/** A child whose journal does not hold is set aside outside its fold: its parent is told all the same (F5). */
export function damageRequest(row: Told, { last_good, why: message }: Damage): Request | undefined {
  const { chain_root_id: child_id, parent_id: thread_id, directive } = row;
  if (thread_id === null) return undefined;
  const outcome = {
    type: "child_thread_suspended" as const,
    child_id,
    directive,
    reason: "corrupt" as const,
    message,
  };
  const request_id = `out_${child_id}_damaged_${last_good}`;
  return { kind: "outcome", request_id, thread_id, by: child_id, outcome };
}

function outcomeOf(row: Told, event: Event): Outcome | undefined {
  const { chain_root_id: child_id, directive } = row;
  const cost = costOf(row);
  switch (event.type) {
    case "thread_completed": {
      const { outputs } = event;
      const said = { child_id, directive, text: event.text, cost, ...(outputs ? { outputs } : {}) };
      return { type: "child_thread_completed", ...said };
    }
    case "thread_failed": {
      const { code, message, text = "" } = event;
      const error = `${code}: ${message}`;
      return { type: "child_thread_failed", child_id, directive, status: "error", error, text, cost };
    }
    case "thread_cancelled": {
      const { reason: error, text = "" } = event;
      return { type: "child_thread_failed", child_id, directive, status: "cancelled", error, text, cost };
    }
    case "thread_suspended": {
      const { reason, message, waits_for: waits } = event;
      const goesOn = waits.kind === "person" && waits.follows === "resume" ? waits.until : undefined;
      const when = goesOn === undefined ? {} : { resumes_at: goesOn };
      return { type: "child_thread_suspended", child_id, directive, reason, message, ...when };
    }
    case "thread_resumed":
      return { type: "child_thread_resumed", child_id, directive };
    default:
      return undefined;
  }
}
