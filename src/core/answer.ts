/** The answer of a turn and what follows it, as the fold takes them in. */
import { noteUnbilled } from "./charge.ts";
import { charsOf, measured } from "./context.ts";
import type { Event } from "./event.ts";
import type { CallId } from "./id.ts";
import { append, toArray } from "./log.ts";
import { addUsage, type Block, type CallResult, type Message, textOf } from "./message.ts";
import { countRepeat, type Repeat } from "./repeat.ts";
import { awake, NONE_EARLIER, newStep, withCall } from "./step.ts";
import type { OpenCall, Step, Thread } from "./thread.ts";

/** The tool with which a thread hands back its outputs and ends. */
export const RETURN_TOOL = "directive_return";

/** The moment that follows a turn, for hooks. */
export const AFTER_STEP = "after_step:";

export function afterStepKey(turn: number): string {
  return `${AFTER_STEP}${turn}`;
}

/** What is said while an answer is being dealt with stands after that answer and its results. */
export function say(thread: Thread, text: string): Thread {
  const { step } = thread;
  if (step && (step.answer || step.blocks.length > 0)) {
    return { ...thread, step: { ...step, later: [...(step.later ?? []), text] } };
  }
  const said: Message = { role: "user", text };
  const chars = thread.chars + charsOf(said, thread.shownChars);
  return { ...thread, messages: append(thread.messages, said), chars, wantsMore: true };
}

export function answered(thread: Thread, event: Event<"cognition_out">): Thread {
  const step = awake(thread.step ?? newStep(event.turn, event.ts), event.ts);
  const blocks = event.content.flatMap((slot): Block[] => {
    if (slot.type !== "journaled") return [slot as Block];
    const block = step.blocks[slot.at];
    return block ? [block] : [];
  });
  let calls = step.calls;
  event.content.forEach((slot, at) => {
    const known = calls.some((call) => slot.type === "call" && call.call_id === slot.call_id);
    if (slot.type === "call" && !known)
      calls = withCall(calls, { ...slot, call_id: slot.call_id as CallId, at });
  });
  const { bill } = event;
  const usage = addUsage(thread.usage, event.usage);
  const { input, cache_read, cache_write, output } = event.usage;
  const measure = measured(thread, event);
  const answered: Thread = {
    ...thread,
    usage,
    contextTokens: input + cache_read + cache_write + output,
    measure,
    base: thread.measure ? thread.base : measure?.tokens,
    overflowed: undefined,
    earlier: NONE_EARLIER,
    turns: thread.turns + 1,
    step: { ...step, blocks, calls, answer: blocks },
  };
  const { pressed, contextTokens } = answered;
  const lowest = pressed && Math.min(pressed.lowest, contextTokens);
  if (!pressed || lowest === undefined) return billed(answered, thread, bill);
  return billed({ ...answered, pressed: { ...pressed, lowest } }, thread, bill);
}

export function finished(thread: Thread, durationMs: number): Thread {
  const { step: closed } = thread;
  const activeMs = thread.activeMs + durationMs;
  if (!closed?.answer) return { ...thread, activeMs, step: undefined, ...usedUp(closed) };
  const { results, repeat } = toldResults(thread.repeat, closed.calls);
  const { turn } = closed;
  const said: Message[] = [{ role: "assistant", blocks: closed.answer, turn }];
  if (results.length > 0) said.push({ role: "tool", results, turn });
  const chars = said.reduce((sum, each) => sum + charsOf(each, thread.shownChars), thread.chars);
  const messages = said.reduce<Thread["messages"]>(append, thread.messages);
  const handed = returnedBy(closed.calls);
  const wantsMore = closed.calls.length > 0 && !handed;
  const returned = handed ?? thread.returned;
  const done = { ...thread, messages, chars, returned, activeMs, repeat, step: undefined, wantsMore };
  return (closed.later ?? []).reduce<Thread>(say, done);
}

/** Of a turn that was left without an answer: the next one has its number, and may use none of its names again. */
function usedUp(left: Step | undefined): Partial<Thread> {
  return left ? { earlier: { attempts: left.attempt - 1, holds: left.holds } } : {};
}

/** What the thread handed back, if that was accepted: then it has nothing more to do. */
function returnedBy(calls: readonly OpenCall[]): Thread["returned"] {
  const call = calls.find(({ tool, result }) => tool === RETURN_TOOL && result?.status === "ok");
  return call && { ...(call.input as Record<string, unknown>) };
}

/** What the model reads of its calls, with a notice where it goes round in circles. */
function toldResults(before: Repeat | undefined, calls: readonly OpenCall[]) {
  let repeat = before;
  const results = calls.flatMap(({ tool, input, result }): CallResult[] => {
    if (!result) return [];
    const counted = countRepeat(repeat, { tool, input, result });
    repeat = counted.repeat;
    return [counted.result];
  });
  return { results, repeat };
}

/** A bill closes its hold, whatever it comes to: never clamped (B2). */
export function billed(thread: Thread, before: Thread, bill: Event<"error_classified">["bill"]): Thread {
  if (!bill) return thread;
  const held = before.step?.hold;
  const { step } = thread;
  return {
    ...thread,
    step: step && { ...step, hold: undefined, doubted: undefined },
    spent: thread.spent + bill.amount,
    unbilled: noteUnbilled(thread.unbilled, bill),
    overrun: thread.overrun || (held !== undefined && bill.amount > held.amount),
  };
}

/** The same thread with some fields changed: a copy of one object keeps its shape, one of several does not. */
export function changed(thread: Thread, change: Partial<Thread> | undefined): Thread {
  return change ? Object.assign({ ...thread }, change) : thread;
}

/** The same thread with its open turn changed, if there is one. */
export function withStep(thread: Thread, change: (step: Step) => Step): Thread {
  return thread.step ? { ...thread, step: change(thread.step) } : thread;
}

/** What had been said when a thread was stopped is kept. */
export function partialResult(thread: Thread): string | undefined {
  const answers = toArray(thread.messages).flatMap((said) =>
    said.role === "assistant" ? [said.blocks] : [],
  );
  return [...answers, thread.step?.answer ?? []].map(textOf).findLast((text) => text !== "");
}
