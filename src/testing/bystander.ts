/** Somebody who sees what is acknowledged, and asks something of the thread. */
import type { Event, EventType } from "../core/event.ts";
import type { Limits } from "../core/limit.ts";
import type { Request } from "../core/request.ts";
import type { Store } from "../core/store.ts";

export interface StoryAsk {
  readonly after: EventType;
  readonly times?: number;
  readonly kind:
    | ("cancel" | "message" | "resume" | "approve" | "deny" | "retry_now" | "retry_stop" | "revoke")
    /** `budget` sets `limits`; `settle` says that what the event was charged with came to `amount` nano-dollars. */
    | ("budget" | "settle")
    /** A message for the time when the thread would end; and a word about its retries. */
    | ("follow_up" | "no_retries")
    /** What is under way in a lasting thread; and other words for those that `replaces` names. */
    | ("stop" | "edit");
  /** For a revocation. */
  readonly right?: string;
  readonly limits?: Limits;
  readonly amount?: number;
  readonly replaces?: string;
}

export function bystander(asks: readonly StoryAsk[]): (event: Event, store: Store) => Promise<void> {
  const seen = new Map<string, number>();
  return async (event, store) => {
    const times = (seen.get(event.type) ?? 0) + 1;
    seen.set(event.type, times);
    const asked = asks.find((ask) => ask.after === event.type && (ask.times ?? 1) === times);
    if (!asked) return;
    const [row] = await store.find({ threadId: event.thread_id });
    const { kind } = asked;
    const common = {
      request_id: `${kind}-${event.type}-${times}`,
      thread_id: event.thread_id,
      by: "bystander",
    };
    const words = { reason: "because", text: "and now?", rights: [asked.right] };
    const { limits, amount, replaces } = asked;
    const body = { nonce: row?.nonce ?? "", ...words, limits, set: limits, amount, replaces };
    await store.post([{ ...common, ...body, ...kindOf(kind, event) } as Request]);
  };
}

function kindOf(kind: StoryAsk["kind"], event: Event): Partial<Request> {
  if (kind === "retry_now" || kind === "retry_stop") {
    return { kind: "retry", action: kind === "retry_now" ? "now" : "stop" };
  }
  if (kind === "settle") return { kind, hold: holdOf(event) };
  if (kind === "follow_up" || kind === "edit") return { kind: "message", after: "end" };
  if (kind === "no_retries") return { kind: "auto_retry", enabled: false };
  if (kind !== "approve" && kind !== "deny") return { kind };
  const approval_id = event.type === "approval_requested" ? event.approval_id : "";
  return { kind: "decide", approval_id, approved: kind === "approve", via: "test", resume: true };
}

/** Of the charge that an event tells of. */
function holdOf(event: Event): string {
  if (event.type === "charge_corrected") return event.hold;
  return ("bill" in event && event.bill?.hold) || "none";
}
