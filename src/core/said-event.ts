/** What is said to a thread from outside. */
import * as z from "zod/mini";
import { text } from "./shape.ts";

/** Words that wait: who said them, and under which request. */
export const FOLLOW_UP = z.object({ request_id: text, by: text, text });

/** `request_id`: of words that had waited for the end. */
export const COGNITION_IN = z.object({ source: text, text, request_id: z.optional(text) });

/** `after: end`: they are kept until the thread would end. */
export const MESSAGE_RECEIVED = z.object({
  request_id: text,
  by: text,
  text,
  after: z.optional(z.literal("end")),
});
