/** Shapes that several commands print, beside the thread object. */
import * as z from "zod/mini";
import { HOOK_EVENTS } from "../../../core/hook.ts";
import { SUSPEND_REASONS } from "../../../core/suspension.ts";
import { anything, count, limits, maybe, money, text, texts, time } from "./scalars.ts";

/** A thread that needs somebody without having stopped is `orphaned`. */
const reason = z.enum([...SUSPEND_REASONS, "orphaned"]);

export const hookEvent = z.enum(HOOK_EVENTS);

export const step = z.object({ cmd: text, why: text });

const decided = z.object({
  approved: z.boolean(),
  by: text,
  via: text,
  at: time,
  new_limits: maybe(limits),
  message: maybe(text),
});

export const approvalShape = {
  approval_id: maybe(text),
  thread_id: text,
  directive: maybe(text),
  reason,
  limit_code: maybe(text),
  current: maybe(count),
  current_max: maybe(z.union([count, text])),
  proposed_max: maybe(z.union([count, text])),
  prompt: maybe(text),
  asked_at: time,
  waits_seconds: maybe(count),
  reminders: maybe(count),
  resumes_at: maybe(time),
  on_deny: maybe(text),
  call: maybe(z.object({ call_id: text, tool: text, input: anything })),
  digest: maybe(text),
  state: z.enum(["open", "decided", "void"]),
  decided: maybe(decided),
  command: maybe(text),
};

export const approval = z.object(approvalShape);

export const capabilities = z.object({
  held: texts,
  asks: texts,
  hands_on: texts,
  dropped: z.array(z.object({ right: text, by: texts })),
  revoked: z.array(z.object({ right: text, by: text, from: text })),
});

export const correctable = z.object({
  thread_id: text,
  hold: text,
  at: time,
  amount: money,
  kind: text,
  corrected: z.boolean(),
  command: text,
});

export const complaint = z.object({
  file: text,
  line: count,
  column: count,
  message: text,
  fix: z.optional(text),
});

export const directiveProblem = z.object({
  path: text,
  line: count,
  column: count,
  code: text,
  severity: z.enum(["error", "warning"]),
  message: text,
  fix: maybe(text),
});

export const signatureFinding = z.object({ code: text, path: maybe(text), what: text });
