/** Leaves a whole conversation behind (T6): the answer stands, every call of it has a result, the step is finished. */
import type { NewEvent } from "./event.ts";
import { noUsage, type Usage } from "./message.ts";
import { afterRetries, retryCancelled } from "./retry.ts";
import type { OpenCall, Step, Thread } from "./thread.ts";

/** What a thread that ends now still has to say about its open step. */
export function closing(thread: Pick<Thread, "step" | "wait">): NewEvent[] {
  const { step, wait } = thread;
  if (!step) return [];
  if (step.blocks.length === 0 && !step.answer) return retryCancelled(thread);
  const answer = step.answer ? [] : closingAnswer(step);
  const results = step.calls.flatMap((call): NewEvent[] => {
    if (call.result) return [];
    const { call_id, tool } = call;
    const { status, output } = call.call_id === wait?.callId ? CUT_SHORT : outcomeOf(call);
    return [
      {
        type: "tool_call_result",
        turn: step.turn,
        call_id,
        tool,
        status,
        output,
        source: "repair",
        duration_ms: 0,
      },
    ];
  });
  const over: NewEvent[] = wait ? [{ type: "wait_finished", call_id: wait.callId, why: "interrupted" }] : [];
  return [...answer, ...over, ...results, { type: "step_finish", turn: step.turn, duration_ms: 0 }];
}

const CUT_SHORT = { status: "stopped" as const, output: "The wait was cut short: the thread was stopped." };

/** How an open call ends when its thread is stopped, for its result and for the report to people. */
export function outcomeOf(call: OpenCall) {
  return call.effect
    ? {
        status: "unknown" as const,
        output: "Outcome unknown: the thread was stopped before a result was recorded.",
        report: "outcome unknown",
      }
    : {
        status: "stopped" as const,
        output: "Not started: the thread was stopped first.",
        report: "not started",
      };
}

/** A crash cut the stream after a call was acted on: what is journaled of the answer is the answer. */
export function closingAnswer(step: Step): NewEvent[] {
  const content = step.blocks.flatMap((block, at) => {
    if (!block) return [];
    return [block.type === "text" ? block : { type: "journaled" as const, at }];
  });
  const usage = estimate(step.blocks.map((block) => JSON.stringify(block ?? "").length));
  const answer: NewEvent = {
    type: "cognition_out",
    turn: step.turn,
    attempt: step.attempt,
    content,
    stop: "cut",
    truncated: true,
    usage,
    ...chargedHold(step),
  };
  return [...afterRetries(step), answer];
}

/** Nobody can say what a request cost that was cut off by a crash: what was held for it is charged, and flagged. */
export function chargedHold({ hold }: Step): { bill?: NonNullable<NewEvent<"cognition_out">["bill"]> } {
  return hold ? { bill: { hold: hold.id, amount: hold.amount, estimated: true } } : {};
}

/** Nobody reported the usage: about four characters a token, flagged. */
export function estimate(lengths: readonly number[]): Usage {
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  return { ...noUsage, output: Math.ceil(characters / 4), estimated: true };
}
