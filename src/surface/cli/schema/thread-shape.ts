/** The thread object (UX a.3), and what stands in and beside it. */
import * as z from "zod/mini";
import { STATUSES } from "../../../core/status.ts";
import { SUSPEND_REASONS } from "../../../core/suspension.ts";
import { VIEW_ORDER } from "../glyph.ts";
import { anything, count, limits, maybe, money, text, texts, time } from "./scalars.ts";

export const status = z.enum(STATUSES as [string, ...string[]]);

export const view = z.enum(VIEW_ORDER as [string, ...string[]]);

const damage = z.object({ last_good: count, why: text });

export const process = z.object({
  handle_id: text,
  thread_id: text,
  command: text,
  pid: count,
  pgid: count,
  status: text,
  ready: z.boolean(),
  left_over: z.boolean(),
  uptime_s: count,
  exit_code: maybe(count),
});

const retry = z.object({
  attempt: count,
  max: count,
  delay_ms: count,
  wake_at: time,
  category: maybe(text),
  error: text,
});

export const threadShape = {
  thread_id: text,
  directive: text,
  title: maybe(text),
  status,
  view,
  suspend_reason: maybe(z.enum(SUSPEND_REASONS)),
  parent_id: maybe(text),
  root_id: text,
  wave: maybe(count),
  chain: z.object({
    chain_root_id: text,
    position: count,
    length: count,
    continuation_of: maybe(text),
    continuation_thread_id: maybe(text),
  }),
  forked_from: maybe(z.looseObject({ thread_id: text, turn: count })),
  model: text,
  host: maybe(z.object({ pid: maybe(count), boot: maybe(text), alive: z.boolean() })),
  now: z.object({ doing: text, since: time, tool: maybe(text), retry: maybe(retry) }),
  waits_for: maybe(
    z.object({ thread_ids: texts, open: texts, require: count, since: maybe(time), until: maybe(time) }),
  ),
  cost: z.object({
    turns: count,
    tokens: count,
    input_tokens: count,
    output_tokens: count,
    spend: maybe(money),
    spawns: count,
    duration_seconds: count,
  }),
  limits,
  budget: maybe(
    z.object({ max: money, spent: money, reserved: money, children: money, free: money, over: money }),
  ),
  recoveries: count,
  approval: maybe(text),
  resumes_at: maybe(time),
  error: maybe(z.object({ code: maybe(text), message: text })),
  result: maybe(z.object({ text, data: anything })),
  processes: z.array(process),
  damage: maybe(damage),
  created_at: time,
  updated_at: time,
  last_event_seq: count,
};

export const thread = z.object(threadShape);

export const needs = z.object({ thread_id: text, suspend_reason: maybe(text), approval: maybe(text) });

/** A fact of a journal; `selvage schema event` has those of each type. */
export const event = z.looseObject({ v: z.literal(1), seq: count, ts: time, thread_id: text, type: text });
