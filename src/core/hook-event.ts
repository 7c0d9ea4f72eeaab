/** Fields of events about hooks, and about children, who may answer for one: see `event.ts`, where the events stand. */
import * as z from "zod/mini";
import { POLICIES } from "./failure.ts";
import { HOOK_ACTIONS, HOOK_EVENTS, HOOK_LAYERS } from "./hook.ts";

const text = z.string();
const anything = z.unknown();

export const HOOK_MATCHED = z.object({
  hook: text,
  where: text,
  event: z.enum(HOOK_EVENTS),
  point: text,
  action: z.enum(HOOK_ACTIONS),
  message: z.optional(text),
  problem: z.optional(text),
  duration_ms: z.int().check(z.nonnegative()),
  child_id: z.optional(text),
});

/** A hook whose directive was started: what was known, and which hooks of the moment had been asked before it. */
const HOOK_ASKED = z.object({
  id: text,
  layer: z.enum(HOOK_LAYERS),
  where: text,
  event: z.enum(HOOK_EVENTS),
  facts: z.record(text, anything),
  asked_before: z.array(text),
});

export const CHILD_STARTED = z.object({
  call_id: z.nullable(text),
  child_id: text,
  directive: text,
  start: z.boolean(),
  point: z.optional(text),
  hook: z.optional(HOOK_ASKED),
  for: z.optional(z.enum(["summary"])),
});

/** A failure as it came, while hooks are asked what to make of it. */
export const UNDECIDED = z.object({
  failure: z.record(text, anything),
  policy: z.optional(z.enum(POLICIES)),
});
