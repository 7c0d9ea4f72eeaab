/** What is said to a thread from outside. */
import * as z from "zod/mini";
import { text } from "./shape.ts";

/** Words that wait: who said them, and under which request. */
export const FOLLOW_UP = z.object({ request_id: text, by: text, text });

/** `request_id`: of words that had waited for the end. */
export const COGNITION_IN = z.object({ source: text, text, request_id: z.optional(text) });

/** `for`: the request of the message that was answered. */
export const MESSAGE_ANSWERED = z.object({ for: z.optional(text), text });

/** `hits`: what was under way, a message that had not begun, or nothing that was meant. `for`: the message that was meant. */
export const STOP_REQUESTED = z.object({
  request_id: text,
  by: text,
  hits: z.enum(["work", "queued", "nothing"]),
  for: z.optional(text),
  reason: z.optional(text),
});

/** `unread`: it had not begun. */
export const MESSAGE_STOPPED = z.object({
  for: z.optional(text),
  by: text,
  reason: z.optional(text),
  unread: z.optional(z.literal(true)),
});

/** What is read fresh for a message that a lasting thread takes up. `for`: the request of that message. */
export const SYSTEM_CHANGED = z.object({ for: text, system: text });

const DELIVERED = ["progress", "answer", "card", "notice", "file"] as const;
const DELIVERIES = ["intended", "posted", "given_up"] as const;

/** `for`: the request or the question that it is about; `message_id`: what the platform calls it. */
const DELIVERY = z.object({
  for: text,
  what: z.enum(DELIVERED),
  state: z.enum(DELIVERIES),
  message_id: z.optional(text),
});
export type Delivery = z.infer<typeof DELIVERY>;

export const DELIVERY_NOTED = z.object({ request_id: text, by: text, ...DELIVERY.shape });

/** `after: end`: they are kept until the thread would end. `replaces`: the words that wait and that these stand for now. */
export const MESSAGE_RECEIVED = z.object({
  request_id: text,
  by: text,
  text,
  after: z.optional(z.literal("end")),
  replaces: z.optional(text),
});
