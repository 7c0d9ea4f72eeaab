/** The events that a chat is made of. */
import type { Event, LiveEvent } from "./event.ts";

interface Told {
  readonly v: 1;
  readonly seq: number;
  readonly ts: string;
  readonly thread_id: string;
}

/** What was asked is answered, and the thread waits for more. */
interface Answered extends Told {
  readonly type: "message_answered";
  readonly for?: string | undefined;
  readonly text: string;
}

/** What was posted where. `intended` is durable before a post, `posted` after it. */
export interface Note {
  /** A go at a prompt, an approval, or a notice by its name: see `chat-state.ts`. */
  readonly for: string;
  readonly what: "progress" | "answer" | "card" | "notice";
  readonly state: "intended" | "posted" | "given_up";
  readonly message_id?: string | undefined;
}
export interface Noted extends Told, Note {
  readonly type: "delivery_noted";
}

/** Once `event.ts` declares both: `Event | LiveEvent`, and `Told`, `Answered`, `Noted` go. */
export type ChatEvent = Event | LiveEvent | Answered | Noted;
