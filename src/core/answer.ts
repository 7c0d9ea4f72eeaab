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
import type { Own } from "./thread-copy.ts";

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

export function answered(own: Own, event: Event<"cognition_out">): Thread {
  const step = awake(own.step ?? newStep(event.turn, event.ts), event.ts);
  const blocks: Block[] = [];
  let calls = step.calls;
  event.content.forEach((slot, at) => {
    const block = slot.type === "journaled" ? step.blocks[slot.at] : (slot as Block);
    if (block) blocks.push(block);
    if (slot.type !== "call" || calls.some(({ call_id }) => call_id === slot.call_id)) return;
    calls = withCall(calls, { ...slot, call_id: slot.call_id as CallId, at });
  });
  const { input, cache_read, cache_write, output } = event.usage;
  const { measure: before, pressed } = own;
  own.usage = addUsage(own.usage, event.usage);
  own.contextTokens = input + cache_read + cache_write + output;
  own.measure = measured(own, event);
  if (!before) own.base = own.measure?.tokens;
  own.overflowed = undefined;
  own.earlier = NONE_EARLIER;
  own.turns += 1;
  own.step = { ...step, blocks, calls, answer: blocks };
  if (pressed) own.pressed = { ...pressed, lowest: Math.min(pressed.lowest, own.contextTokens) };
  return billed(own, event.bill);
}

export function finished(own: Own, durationMs: number): Thread {
  const { step: closed } = own;
  own.activeMs += durationMs;
  own.step = undefined;
  if (!closed?.answer) {
    if (closed) own.earlier = usedUp(closed);
    return own;
  }
  const { results, repeat } = toldResults(own.repeat, closed.calls);
  const { turn } = closed;
  heard(own, { role: "assistant", blocks: closed.answer, turn });
  if (results.length > 0) heard(own, { role: "tool", results, turn });
  const handed = returnedBy(closed.calls);
  if (handed) own.returned = handed;
  own.repeat = repeat;
  own.wantsMore = closed.calls.length > 0 && !handed;
  return (closed.later ?? []).reduce<Thread>(say, own);
}

function heard(own: Own, said: Message): void {
  own.messages = append(own.messages, said);
  own.chars += charsOf(said, own.shownChars);
}

/** Of a turn that was left without an answer: the next one has its number, and may use none of its names again. */
function usedUp(left: Step): Thread["earlier"] {
  return { attempts: left.attempt - 1, holds: left.holds };
}

/** What the thread handed back, if that was accepted: then it has nothing more to do. */
function returnedBy(calls: readonly OpenCall[]): Thread["returned"] {
  const call = calls.find(({ tool, result }) => tool === RETURN_TOOL && result?.status === "ok");
  return call && { ...(call.input as Record<string, unknown>) };
}

/** What the model reads of its calls, with a notice where it goes round in circles. */
function toldResults(before: Repeat | undefined, calls: readonly OpenCall[]) {
  let repeat = before;
  const results: CallResult[] = [];
  for (const { tool, input, result } of calls) {
    if (!result) continue;
    const counted = countRepeat(repeat, { tool, input, result });
    repeat = counted.repeat;
    results.push(counted.result);
  }
  return { results, repeat };
}

/** A bill closes its hold, whatever it comes to: never clamped (B2). */
export function billed(own: Own, bill: Event<"error_classified">["bill"]): Thread {
  if (!bill) return own;
  const { step } = own;
  const held = step?.hold;
  own.step = step && { ...step, hold: undefined, doubted: undefined };
  own.spent += bill.amount;
  own.unbilled = noteUnbilled(own.unbilled, bill);
  own.overrun ||= held !== undefined && bill.amount > held.amount;
  return own;
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
