/**
 * What a thread takes over from the one it continues (X2, X4): the conversation it begins with, and everything that
 * belongs to the chain. It stands in its own first event, so that its state is the fold of its own journal alone.
 */
import * as z from "zod/mini";
import { CHANNELS } from "./channel-events.ts";
import { FOLLOW_UP } from "./said-event.ts";
import { anything, block, count, text, usage } from "./shape.ts";

/** `origin: runtime`: said by us, not by a person; labelled as such where it carries anybody's text. */
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text, origin: z.optional(z.literal("runtime")) }),
  z.object({ role: z.literal("assistant"), blocks: z.array(block), turn: z.optional(count) }),
  z.object({
    role: z.literal("tool"),
    results: z.array(
      z.object({
        call_id: text,
        tool: text,
        status: z.enum(["ok", "error", "stopped", "unknown"]),
        output: text,
      }),
    ),
    turn: z.optional(count),
  }),
]);

export const CONVERSATION = z.array(message);

const child = z.object({
  id: text,
  directive: text,
  status: z.enum(["created", "running", "suspended", "completed", "error", "cancelled"]),
  text: z.optional(text),
  outputs: z.optional(z.record(text, anything)),
  error: z.optional(text),
  reason: z.optional(text),
  resumesAt: z.optional(text),
  cost: z.optional(z.object({ turns: count, tokens: count, spent: count })),
  suspensions: count,
  told: count,
  answers: z.optional(text),
});

export const CARRIED = z.object({
  turns: count,
  usage,
  /** Nano-dollars. */
  spent: count,
  active_ms: count,
  recoveries: count,
  spawns: count,
  children: z.record(text, child),
  processes: z.record(text, anything),
  channels: z.optional(CHANNELS),
  unbilled: z.array(z.object({ hold: text, amount: count })),
  /** Requests that were made for the turn that comes next, and holds for them: their numbers are used up. */
  earlier: z.object({ attempts: count, holds: count }),
  /** Where requests go, once a failure made it leave its own model and first key. */
  target: z.optional(z.object({ model: text, key: count })),
  /** What requests show of one result, where that is not what they show by default. */
  shown_chars: z.optional(count),
  /** What the conversation was last counted as, where all of it is taken over. */
  measure: z.optional(z.object({ model: text, chars: count, tokens: count, density: z.number() })),
  /** Of a lasting thread that was in the middle of an answer, and the request of the message that it is for. */
  wants_more: z.optional(z.literal(true)),
  answering: z.optional(text),
  /** The conversation did not fit, and was made shorter: what does not fit again is asked about. */
  overflowed: z.optional(z.literal(true)),
  /** What is kept until it would end, the oldest first. */
  follow_ups: z.optional(z.array(FOLLOW_UP)),
  /** What somebody said about its retries. */
  auto_retry: z.optional(z.boolean()),
});

/** The thread, and the turn of it, that a fork begins after. */
export const FORKED_FROM = z.object({ thread_id: text, turn: count, seq: count });

export const THREAD_CONTINUED = z.object({
  to: text,
  why: z.enum(["context", "user"]),
  by: z.optional(text),
  summary_tokens: count,
  trailing_messages: count,
});

export const COMPACTION_START = z.object({
  why: z.enum(["pressure", "overflow", "hook", "person"]),
  tokens: count,
  window: count,
  by: z.optional(text),
  request_id: z.optional(text),
  /** What the notes should look at. */
  instructions: z.optional(text),
});

export const COMPACTION_END = z.object({
  tokens_before: count,
  tokens_after: count,
  summary: z.optional(text),
  prune_before_turn: z.optional(count),
  outputs_before_turn: z.optional(count),
  without_notes: z.optional(text),
  failed: z.optional(text),
});
