/** What went wrong before a prompt failed, so that the failure can be told in one sentence (E11). */
import type { ChatEvent } from "./chat-events.ts";
import type { ChatError } from "./chat-texts.ts";
import type { Event } from "./event.ts";
import type { Category } from "./failure.ts";
import type { SuspendReason } from "./suspension.ts";

export interface Trouble {
  /** Requests in a row that failed. */
  readonly tries: number;
  readonly since: number;
  readonly until: number;
  readonly status?: number | undefined;
  readonly category?: Category | undefined;
  /** A call that ran out of time, and nothing was heard of the model since. */
  readonly timeout?: { readonly tool: string; readonly seconds: number } | undefined;
}

export const noTrouble: Trouble = { tries: 0, since: 0, until: 0 };

export function troubleAfter(trouble: Trouble, event: ChatEvent): Trouble {
  switch (event.type) {
    case "error_classified": {
      const at = Date.parse(event.ts);
      const since = trouble.tries === 0 ? at : trouble.since;
      const { status, category } = event;
      return { ...trouble, tries: trouble.tries + 1, since, until: at, status, category };
    }
    case "tool_call_result": {
      const seconds =
        event.status === "ok" ? undefined : /timed out after (\d{1,6}) s\b/.exec(event.output)?.[1];
      if (seconds === undefined) return trouble;
      return { ...trouble, timeout: { tool: event.tool, seconds: Number(seconds) } };
    }
    case "cognition_out":
    case "message_answered":
    case "message_stopped":
    case "thread_resumed":
      return noTrouble;
    default:
      return trouble;
  }
}

/** Mended by waiting: the provider's own words would only worry people. */
const PASSING: readonly (Category | undefined)[] = ["transient", "rate_limited", "quota"];
/** A card is posted instead. */
const ASKED: readonly string[] = ["limit", "budget", "approval"];

/** Whether a stop is told as a failure: then `/retry` is the way out of it. Nothing is read from a damaged journal. */
export function mayBeRetried(reason: SuspendReason | null): boolean {
  return reason !== null && reason !== "corrupt" && !ASKED.includes(reason);
}

/** Undefined: nothing failed, a person is asked. */
export function errorOf(
  event: Event<"thread_suspended" | "thread_failed">,
  trouble: Trouble,
): ChatError | undefined {
  const { thread_id: threadId, message } = event;
  if (event.type === "thread_suspended" && ASKED.includes(event.reason)) return undefined;
  const cause = event.type === "thread_suspended" ? event.reason : event.code;
  if (cause === "corrupt" || cause === "E_CORRUPT") return { class: "history", threadId, startsFresh: false };
  if (trouble.tries > 0 && PASSING.includes(trouble.category)) {
    const { tries, status } = trouble;
    return {
      class: "provider",
      tries,
      overMs: trouble.until - trouble.since,
      status,
      resumesAt: resumesAt(event),
    };
  }
  if (trouble.timeout) return { class: "tool_timeout", ...trouble.timeout };
  const reference = `${threadId.slice(-6)}-${event.seq}`;
  // What is said next to one that stopped over an error is another try (SPEC §18); others wait to be told.
  const waits = event.type === "thread_suspended" && event.reason !== "error";
  return { class: "unknown", sentence: message, reference, ...(waits ? { waits } : {}) };
}

function resumesAt(event: Event<"thread_suspended" | "thread_failed">): string | undefined {
  if (event.type !== "thread_suspended" || event.waits_for.kind !== "person") return undefined;
  return event.waits_for.follows === "resume" ? event.waits_for.until : undefined;
}
