/**
 * The one vocabulary (SPEC §2): every event is declared here once, with its meaning, its criticality and its
 * fields. Types, JSON Schema and the table in docs/events.md come from this file.
 */
import * as z from "zod/mini";
import { COMPACTION_END, COMPACTION_START, THREAD_CONTINUED } from "./carried.ts";
import * as channel from "./channel-events.ts";
import { REVOCATION, THREAD_CREATED } from "./created-event.ts";
import { CATEGORIES, FAILURE_KINDS } from "./failure.ts";
import { CHILD_STARTED, HOOK_MATCHED, UNDECIDED } from "./hook-event.ts";
import { PROCESS_STARTED, PROCESS_STOPPED } from "./process-event.ts";
import * as retry from "./retry-event.ts";
import * as said from "./said-event.ts";
import { anything, bill, block, count, hold, limits, limitValue, text, usage, waitsFor } from "./shape.ts";
import { SUSPEND_REASONS } from "./suspension.ts";
import { COST_BELOW, DESCENDANT_REPORTED, WAIT_STARTED } from "./wait-events.ts";

/** A block of an answer that already stands in the journal, by its place in the answer. */
const reference = z.object({ type: z.literal("journaled"), at: count });

/** Of a failure, beside its status and its words: what it is classified by. */
const cause = z.object({
  kind: z.enum(FAILURE_KINDS),
  type: z.optional(text),
  type_family: z.optional(text),
  protocol: z.optional(text),
});

/** Of a call; with a handle, of a process that it had started. */
const callOutcome = z.object({ call_id: text, tool: text, outcome: text, handle_id: z.optional(text) });
/** `text`: what a child had said by then, for its parent. */
const failed = { code: text, message: text, text: z.optional(text) };
const cancelled = { reason: text, by: text, report: z.array(callOutcome), text: z.optional(text) };

function critical<S extends z.ZodMiniObject>(meaning: string, fields: S) {
  return { meaning, criticality: "critical" as const, fields };
}
function droppable<S extends z.ZodMiniObject>(meaning: string, fields: S) {
  return { meaning, criticality: "droppable" as const, fields };
}

export const EVENTS = {
  thread_created: critical(
    "A thread is registered, with everything it needs to run later. `hook`: the hook that it, or one above it, answers for. `brought`: its tools, and its model, that only the program which started it has. `lasting`: it does not end when it has answered, but waits for the next message; `address`: where people write to it.",
    THREAD_CREATED,
  ),
  thread_started: critical("Its first activation begins.", z.object({ run: count })),
  cognition_in: critical(
    "A prompt was accepted into the conversation. `request_id`: of a message that was kept until the thread would end.",
    said.COGNITION_IN,
  ),
  step_start: critical(
    "The model is about to be asked, and the worst case of what that costs is held. Written again for a request that follows a failure. `result_chars`: what it shows of one result, unless that is 30,000 characters.",
    z.object({ turn: count, hold: z.optional(hold), result_chars: z.optional(count) }),
  ),
  cognition_out: critical(
    "The model's answer, whole. Blocks already journaled stand as references.",
    z.object({
      turn: count,
      attempt: count,
      content: z.array(z.union([block, reference])),
      stop: text,
      truncated: z.boolean(),
      usage,
      model: z.optional(text),
      bill: z.optional(bill),
    }),
  ),
  tool_call_start: critical(
    "A tool is about to run. Durable before it touches the world. `executes`: the model asked for it with `execute`, as an item of this type.",
    z.object({
      turn: count,
      call_id: text,
      at: count,
      tool: text,
      input: anything,
      effect: z.enum(["pure", "keyed", "probe", "manual"]),
      executes: z.optional(z.enum(["tool", "directive"])),
      preceding: z.array(z.object({ at: count, block })),
    }),
  ),
  tool_call_result: critical(
    "A call ended; exactly one per call. `killed`: it did not stop when it was told to, and was ended by force.",
    z.object({
      turn: count,
      call_id: text,
      tool: text,
      status: z.enum(["ok", "error", "stopped", "unknown"]),
      output: text,
      source: z.enum(["run", "probe", "repair"]),
      duration_ms: count,
      killed: z.optional(z.literal(true)),
    }),
  ),
  step_finish: critical(
    "A turn ends: every call of it has its result.",
    z.object({ turn: count, duration_ms: count }),
  ),
  error_classified: critical(
    "A model request failed and was classified. `attempt` counts requests of this turn. `cause`: what else the rules looked at. `undecided`: what follows is not known yet, hooks are asked first.",
    z.object({
      turn: count,
      attempt: count,
      category: z.enum(CATEGORIES),
      rule: text,
      error: text,
      model: text,
      status: z.optional(count),
      retry_after_ms: z.optional(count),
      request_id: z.optional(text),
      usage: z.optional(usage),
      bill: z.optional(bill),
      cause: z.optional(cause),
      undecided: z.optional(UNDECIDED),
    }),
  ),
  auto_retry_start: critical(
    "The next request waits. `attempt` counts retries. `target` is where it goes when that changes: another key, another model. Written again with no wait when a person cuts the wait short.",
    retry.AUTO_RETRY_START,
  ),
  auto_retry_end: critical("A chain of retries ended.", retry.AUTO_RETRY_END),
  auto_retry_set: critical(
    "Somebody said whether failed requests of this chain are made again; over every setting.",
    retry.AUTO_RETRY_SET,
  ),
  retry_succeeded: critical(
    "A request after a failure was answered. `attempt` counts requests of this turn.",
    z.object({ turn: count, attempt: count, previous_error: text }),
  ),
  message_received: critical(
    "A message from outside was taken into the conversation; with `after`, it is kept until the thread would end. `replaces`: it stands in the place of one that is kept; of one that is not any more, nothing changes.",
    said.MESSAGE_RECEIVED,
  ),
  message_answered: critical(
    "A lasting thread has answered what it was asked, and waits for the next message.",
    said.MESSAGE_ANSWERED,
  ),
  stop_requested: critical(
    "Somebody wants the work on one message of a lasting thread stopped. `hits`: what was under way, a message that had not begun, or nothing that was meant (`for`).",
    said.STOP_REQUESTED,
  ),
  message_stopped: critical(
    "The work on a message was stopped, and nobody below works for it any more; the thread waits for the next one. `unread`: it had not begun, and never does.",
    said.MESSAGE_STOPPED,
  ),
  system_changed: critical(
    "What the project says about itself has changed since the last message of a lasting thread: requests carry this system prompt from here on.",
    said.SYSTEM_CHANGED,
  ),
  delivery_noted: critical(
    "What was told to people where they talk: that it is about to be posted, that it was, or that it was given up.",
    said.DELIVERY_NOTED,
  ),
  cancel_requested: critical(
    "A cancel reached the owner. Not accepted when it was meant for another run. `after_tool`: tools that ran were waited for.",
    z.object({
      request_id: text,
      by: text,
      accepted: z.boolean(),
      reason: text,
      after_tool: z.optional(z.literal(true)),
    }),
  ),
  crash_detected: critical(
    "The thread was taken from an owner that died, or that a person fenced off because it was stuck.",
    z.object({
      owner: text,
      epoch: count,
      in_flight: z.array(z.object({ call_id: text, tool: text, effect: text })),
    }),
  ),
  crash_recovered: critical(
    "What the new owner does about each call that was in flight, and whether a model call is made again.",
    z.object({
      decisions: z.array(z.object({ call_id: text, tool: text, effect: text, decision: text })),
      model_call_again: z.boolean(),
      processes: z.optional(z.array(z.object({ handle_id: text, decision: z.enum(["adopted", "gone"]) }))),
      bill: z.optional(bill),
    }),
  ),
  limit_escalation_requested: critical(
    "A limit was reached before the spending; a person is asked for more.",
    z.object({
      directive: text,
      limit_code: text,
      current_value: z.number(),
      current_max: limitValue,
      proposed_max: limitValue,
      current_cost: z.record(text, z.nullable(z.number())),
      message: text,
      approval_request_id: text,
    }),
  ),
  approval_requested: critical(
    "A person is asked. Exactly what is shown is bound by `digest`; there is one decision ever.",
    z.object({
      approval_id: text,
      reason: z.enum(SUSPEND_REASONS),
      prompt: text,
      limit_code: z.optional(text),
      current: z.optional(z.number()),
      current_max: z.optional(limitValue),
      proposed_max: z.optional(limitValue),
      call: z.optional(z.object({ call_id: text, tool: text, input: anything })),
      on_deny: z.enum(["cancel", "refuse_call"]),
      timeout_seconds: count,
      digest: text,
    }),
  ),
  approval_decided: critical(
    "The one decision. `via` names the surface; a time-out that counts as a no says so.",
    z.object({
      approval_id: text,
      approved: z.boolean(),
      by: text,
      via: text,
      message: z.optional(text),
    }),
  ),
  budget_changed: critical(
    "Somebody who may do so changed limits of the thread. With `refused` nothing changed: what was asked for did not fit any more.",
    z.object({ by: text, limits, request_id: z.optional(text), refused: z.optional(text) }),
  ),
  charge_corrected: critical(
    "A person said what a request cost that had been charged for want of a bill: `amount` instead of `was`. With `refused` nothing changed.",
    z.object({
      request_id: text,
      by: text,
      hold: text,
      amount: count,
      was: count,
      refused: z.optional(text),
    }),
  ),
  rights_revoked: critical(
    "Somebody took rights from the thread, or from one above it.",
    z.object({ request_id: text, revoked: z.array(REVOCATION) }),
  ),
  hook_matched: critical(
    "A hook ran, and what came of it. `point` names the moment it was for: no hook runs twice for one. `child_id`: the thread that answered.",
    HOOK_MATCHED,
  ),
  child_thread_started: critical(
    "A child was registered, its money held and its rights narrowed; `start`: it was asked to start too. Without a call: it answers for a hook, at `point`, or is there `for` notes on the conversation.",
    CHILD_STARTED,
  ),
  child_thread_completed: critical(
    "A child did its work; what it came to.",
    z.object({
      child_id: text,
      directive: text,
      text,
      outputs: z.optional(z.record(text, anything)),
      cost: COST_BELOW,
    }),
  ),
  child_thread_failed: critical(
    "A child ended without doing its work; what it had by then.",
    z.object({
      child_id: text,
      directive: text,
      status: z.enum(["error", "cancelled"]),
      error: text,
      text,
      cost: COST_BELOW,
    }),
  ),
  child_thread_suspended: critical(
    "A child stopped and waits for a person or a time.",
    z.object({
      child_id: text,
      directive: text,
      reason: z.enum(SUSPEND_REASONS),
      message: text,
      resumes_at: z.optional(text),
    }),
  ),
  child_thread_resumed: critical(
    "A suspended child goes on; with `again`, one that had ended lives again, and what it had cost by then is held with the rest of its cap.",
    z.object({ child_id: text, directive: text, again: z.optional(COST_BELOW) }),
  ),
  wait_started: critical(
    "The thread waits for threads below it. Without a call: at its own end, for children that still live, or for the answer of a `hook`. Written again, with when it began, when something else came in between. `channel`: it waits for its turn there, or for something new. `further`: those that are no children, and that it is told of from now on, with the threads in between.",
    WAIT_STARTED,
  ),
  descendant_reported: critical(
    "What became of a thread further down that a wait has named: as it was then, and each time that changed.",
    DESCENDANT_REPORTED,
  ),
  wait_finished: critical(
    "A wait is over, and why.",
    z.object({
      call_id: z.nullable(text),
      why: z.enum(["met", "failed", "suspended", "timeout", "interrupted", "turn", "news", "alone"]),
    }),
  ),
  channel_joined: critical(
    "It is in a channel, with those who are there: `n` numbers its words.",
    channel.CHANNEL_JOINED,
  ),
  channel_posted: critical("It said something to everybody else in a channel.", channel.CHANNEL_POSTED),
  channel_left: critical("It is not in a channel any more.", channel.CHANNEL_LEFT),
  channel_heard: critical(
    "What another member of a channel did there, or that it ended.",
    channel.CHANNEL_HEARD,
  ),
  channel_read: critical(
    "The model was shown what had been posted in a channel, up to a number.",
    channel.CHANNEL_READ,
  ),
  process_started: critical(
    "A process was started that outlives its call, and this host. Written again when it is ready.",
    PROCESS_STARTED,
  ),
  process_stopped: critical("It is over, and how that came.", PROCESS_STOPPED),
  thread_stopping: critical(
    "The thread is about to end and its children have been told to stop; `end` follows when the last of them has.",
    z.object({
      end: z.discriminatedUnion("type", [
        z.object({ type: z.literal("thread_failed"), ...failed }),
        z.object({ type: z.literal("thread_cancelled"), ...cancelled }),
      ]),
    }),
  ),
  thread_suspended: critical(
    "The thread stopped and waits for a person or a time. Written again when what a suspended thread waits for changes.",
    z.object({ reason: z.enum(SUSPEND_REASONS), message: text, waits_for: waitsFor }),
  ),
  thread_resumed: critical(
    "A suspended thread goes on. When a person let it: a new run with a new nonce; when its time had come, or a message waited behind one that failed (`follow-up`): the same.",
    z.object({ request_id: z.optional(text), by: text, run: count, nonce: text }),
  ),
  thread_completed: critical(
    "The thread did its work.",
    z.object({ text, outputs: z.optional(z.record(text, anything)) }),
  ),
  thread_continued: critical(
    "The chain goes on in another thread: because the conversation was full, or because a person had more to say to one that had ended.",
    THREAD_CONTINUED,
  ),
  context_compaction_start: critical(
    "The conversation is about to be made shorter. `tokens` of `window` are in use.",
    COMPACTION_START,
  ),
  context_compaction_end: critical(
    "What the model is shown from here on; the journal keeps all of it. Answers before `prune_before_turn` are left out, with `summary` in their place; results before `outputs_before_turn` are named, not shown. `without_notes`: why nobody could make any. With `failed` nothing changed.",
    COMPACTION_END,
  ),
  thread_failed: critical("The thread ended in error; its work is kept.", z.object(failed)),
  thread_cancelled: critical("The thread was stopped; its work is kept.", z.object(cancelled)),
  cognition_out_delta: droppable("Text of the answer as it streams.", z.object({ turn: count, text })),
  tool_call_progress: droppable(
    "A running tool says how far it is. `progress`: the part that is done, from 0 to 1, where it knows.",
    z.object({ turn: count, call_id: text, tool: text, message: text, progress: z.optional(z.number()) }),
  ),
} as const;

export type EventType = keyof typeof EVENTS;
type Fields<T extends EventType> = z.infer<(typeof EVENTS)[T]["fields"]>;

/** What the runtime hands to `record`; the store gives it `seq`, `ts` and its place in the hash chain. */
export type NewEvent<T extends EventType = EventType> = { [K in T]: { readonly type: K } & Fields<K> }[T];

interface Envelope {
  readonly v: 1;
  readonly seq: number;
  readonly ts: string;
  readonly thread_id: string;
}
export type Event<T extends EventType = EventType> = { [K in T]: Envelope & NewEvent<K> }[T];

/** Droppable events have no `seq`: they are shown, never stored. */
export type LiveEvent = { readonly v: 1; readonly ts: string; readonly thread_id: string } & NewEvent<
  "cognition_out_delta" | "tool_call_progress"
>;

export function isCritical(type: EventType): boolean {
  return EVENTS[type].criticality === "critical";
}
