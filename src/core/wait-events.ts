/** Fields of the events with which a thread waits for those below it, and hears of those that are no children of its own. */
import * as z from "zod/mini";
import { SUSPEND_REASONS } from "./suspension.ts";

const text = z.string();
const count = z.int().check(z.nonnegative());

/** What a thread used; its money, in nano-dollars, with everything below it. */
export const COST_BELOW = z.object({ turns: count, tokens: count, spent: count });

export const WAIT_STARTED = z.object({
  call_id: z.nullable(text),
  thread_ids: z.array(text),
  require: count,
  fail_fast: z.boolean(),
  cancel_siblings_on_failure: z.boolean(),
  include_suspended: z.boolean(),
  since: z.optional(text),
  until: z.optional(text),
  hook: z.optional(text),
  channel: z.optional(text),
  further: z.optional(z.array(z.object({ id: text, directive: text, above: z.array(text) }))),
});

export const DESCENDANT_REPORTED = z.object({
  descendant_id: text,
  directive: text,
  status: z.enum(["created", "running", "suspended", "completed", "error", "cancelled"]),
  text: z.optional(text),
  outputs: z.optional(z.record(text, z.unknown())),
  error: z.optional(text),
  reason: z.optional(z.enum(SUSPEND_REASONS)),
  resumes_at: z.optional(text),
  cost: z.optional(COST_BELOW),
});
