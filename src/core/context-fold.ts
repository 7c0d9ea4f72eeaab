/** What the fold knows of its conversation as a whole: how long it is, how it was made shorter, where it came from, how it is to go on. */

import { afterStepKey, finished } from "./answer.ts";
import type { Membership } from "./channel-registry.ts";
import { charsOf, SHOWN_CHARS } from "./context.ts";
import type { Event } from "./event.ts";
import { livingChildren, spentBelow } from "./family.ts";
import { append, emptyLog, type Log, toArray } from "./log.ts";
import type { ManagedById } from "./managed.ts";
import type { Message } from "./message.ts";
import type { Thread } from "./thread.ts";
import { shortened } from "./view.ts";

type Carried = NonNullable<Event<"thread_created">["carried"]>;

/** A compaction that is under way: begun, and not told of how it ended. */
export interface Compaction {
  readonly why: Event<"context_compaction_start">["why"];
  readonly tokens: number;
  /** What the notes should look at, in a person's words. */
  readonly instructions?: string | undefined;
  /** The thread that makes the notes, once there is one. */
  readonly childId?: string | undefined;
}

/** The last one that ended: what was in use after it. */
export interface Compacted {
  readonly turn: number;
  readonly tokens: number;
}

/** Hooks were told of the pressure; and the least that was in use since. */
export interface Pressed {
  readonly turn: number;
  readonly lowest: number;
}

export function logOf(
  messages: readonly Message[],
  shownChars = SHOWN_CHARS,
): { messages: Log<Message>; chars: number } {
  const chars = messages.reduce((sum, said) => sum + charsOf(said, shownChars), 0);
  return { messages: messages.reduce<Log<Message>>((log, said) => append(log, said), emptyLog), chars };
}

export function reduceContext(thread: Thread, event: Event): Partial<Thread> | undefined {
  switch (event.type) {
    case "step_start":
      return shownAs(thread, event.result_chars);
    case "context_compaction_start":
      return { compaction: { why: event.why, tokens: event.tokens, instructions: event.instructions } };
    case "context_compaction_end":
      return compacted(thread, event);
    case "child_thread_started":
      if (event.for !== "summary" || !thread.compaction) return undefined;
      return { compaction: { ...thread.compaction, childId: event.child_id } };
    case "system_changed":
      return underSystem(thread, event.system);
    case "auto_retry_set":
      return { autoRetry: event.enabled };
    default:
      return undefined;
  }
}

/** A request is about to show more of each result, or less, than those before it: the conversation is as long as that. */
function shownAs(thread: Thread, shownChars = SHOWN_CHARS): Partial<Thread> | undefined {
  if (shownChars === thread.shownChars) return undefined;
  const { chars } = logOf(toArray(thread.messages), shownChars);
  return { shownChars, chars };
}

/** Nobody has counted it with these rules: what the next request costs is estimated from all of it. */
function underSystem({ system: before, measure }: Thread, system: string): Partial<Thread> {
  const more = (system.length - before.length) * (measure?.density ?? 0);
  const counted = measure
    ? { measure: { ...measure, tokens: Math.max(0, Math.ceil(measure.tokens + more)) } }
    : {};
  return { system, contextTokens: 0, ...counted };
}

function compacted(thread: Thread, event: Event<"context_compaction_end">): Partial<Thread> {
  const { turns: turn, pressed } = thread;
  const { tokens_after: tokens, failed } = event;
  const done = { compaction: undefined, waitsFor: undefined, compacted: { turn, tokens } };
  if (failed !== undefined) return done;
  const { summary, prune_before_turn: pruneBeforeTurn, outputs_before_turn: outputsBeforeTurn } = event;
  const view = shortened(toArray(thread.messages), { summary, pruneBeforeTurn, outputsBeforeTurn });
  return {
    ...done,
    ...logOf(view, thread.shownChars),
    // Nobody has counted this one: what the next request costs is estimated from all of it.
    contextTokens: 0,
    ...(pressed ? { pressed: { ...pressed, lowest: Math.min(pressed.lowest, tokens) } } : {}),
  };
}

/** Everything that belongs to the chain. */
export function carriedFrom(thread: Thread, why: "context" | "overflow" | "user"): Carried {
  const { turns, usage, spent, activeMs, recoveries, spawns, children, processes, unbilled, target } = thread;
  return {
    ...{ turns, usage, spent, spawns, recoveries },
    active_ms: activeMs,
    children: children as Carried["children"],
    processes: { ...processes },
    // One that had ended is in no channel any more: the others were told so.
    ...(why === "user" || Object.keys(thread.channels).length === 0
      ? {}
      : { channels: thread.channels as unknown as NonNullable<Carried["channels"]> }),
    unbilled: [...unbilled],
    earlier:
      thread.step && !thread.step.answer
        ? { attempts: thread.step.attempt - 1, holds: thread.step.holds }
        : thread.earlier,
    ...(target ? { target } : {}),
    ...(thread.shownChars === SHOWN_CHARS ? {} : { shown_chars: thread.shownChars }),
    ...(why === "user" && thread.measure ? { measure: thread.measure } : {}),
    ...(why === "overflow" ? { overflowed: true as const } : {}),
    // Who stops a thread does not want what was to come after it.
    ...(thread.followUps.length > 0 && thread.status !== "cancelled"
      ? { follow_ups: [...thread.followUps] }
      : {}),
    ...(thread.autoRetry === undefined ? {} : { auto_retry: thread.autoRetry }),
    // What one that was stopped was about to answer is not answered any more.
    ...(why === "user" ? {} : answerOf(thread)),
  };
}

function answerOf({ lasting, answering }: Thread): Pick<Carried, "wants_more" | "answering"> {
  if (!lasting) return {};
  return { wants_more: true, ...(answering === undefined ? {} : { answering }) };
}

/** A thread as it begins: from nothing, or where the one before it stopped. */
export function takenOver({
  carried,
  conversation,
  continuation_of,
}: Event<"thread_created">): Partial<Thread> {
  if (!carried) return {};
  const shownChars = carried.shown_chars ?? SHOWN_CHARS;
  return {
    shownChars,
    ...(conversation ? logOf(conversation as readonly Message[], shownChars) : {}),
    turns: carried.turns,
    usage: carried.usage,
    spent: carried.spent,
    activeMs: carried.active_ms,
    recoveries: carried.recoveries,
    spawns: carried.spawns,
    children: carried.children as Thread["children"],
    processes: carried.processes as ManagedById,
    channels: carried.channels ?? {},
    unbilled: carried.unbilled,
    earlier: carried.earlier,
    // What follows its last turn was asked where that turn was made.
    judged: carried.turns > 0 ? [afterStepKey(carried.turns)] : [],
    continuationOf: continuation_of,
    ...(carried.target ? { target: carried.target } : {}),
    ...(carried.measure ? { measure: carried.measure } : {}),
    ...(carried.overflowed ? { overflowed: true } : {}),
    ...(carried.follow_ups ? { followUps: carried.follow_ups } : {}),
    ...(carried.auto_retry === undefined ? {} : { autoRetry: carried.auto_retry }),
    ...(carried.wants_more ? { wantsMore: true, answering: carried.answering } : {}),
  };
}

/** The same for the registry's line. */
export function rowTakenOver({ carried }: Event<"thread_created">) {
  if (!carried) return {};
  const { turns, usage, spent, active_ms, recoveries } = carried;
  const family = { children: carried.children as Thread["children"] };
  return {
    ...{ turns, spent, active_ms, recoveries },
    input_tokens: usage.input + usage.cache_read + usage.cache_write,
    output_tokens: usage.output,
    channels: Object.entries(carried.channels ?? {}).map(
      ([name, { mode, last }]): Membership => ({ name, mode, last }),
    ),
    living: livingChildren(family).length,
    below: spentBelow(family),
  };
}

/** All that was said, with an answer that was being dealt with when the thread ended. */
export function wholeConversation(thread: Thread): readonly Message[] {
  return toArray(thread.step?.answer ? finished({ ...thread }, 0).messages : thread.messages);
}

/** Hooks were told how full it is. */
export function pressing(
  { turns, contextTokens }: Thread,
  { event }: Event<"hook_matched">,
): Partial<Thread> {
  return event === "context_window_pressure" ? { pressed: { turn: turns, lowest: contextTokens } } : {};
}
