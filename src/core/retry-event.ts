/** Chains of retries, as the journal tells of them (E5, E7). */
import * as z from "zod/mini";
import { count, text } from "./shape.ts";

export const AUTO_RETRY_START = z.object({
  attempt: count,
  maxAttempts: count,
  delayMs: count,
  errorMessage: text,
  wakeAt: text,
  target: z.optional(z.object({ model: text, key: count })),
  by: z.optional(text),
});

export const AUTO_RETRY_END = z.object({
  success: z.boolean(),
  attempt: count,
  finalError: z.optional(text),
});

export const AUTO_RETRY_SET = z.object({ request_id: text, by: text, enabled: z.boolean() });
