/** What the next request of a thread may cost, held before it is sent (B2); and what it did cost. */
import { SHOWN_CHARS } from "./context.ts";
import type { NewEvent } from "./event.ts";
import { spentBelow } from "./family.ts";
import type { Breach } from "./limit.ts";
import type { Usage } from "./message.ts";
import { parseDollars, plus } from "./money.ts";
import { affordableOutput, costOfUsage, type Price, worstCase } from "./price.ts";
import type { Hold, Step, Thread } from "./thread.ts";

export interface RequestCost {
  /** Undefined: nobody knows what the model costs. */
  readonly price: Price | undefined;
  /** Of everything that is sent, estimated upwards. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** An answer that is cut shorter than this is not worth its input. */
  readonly minOutputTokens: number;
  /** What the account that pays has free, where that is known to be less than the thread's own cap leaves. */
  readonly free?: number | undefined;
}

/** A hold; nothing to hold, where neither cap nor price is known; the cap that is reached; or a cap without a price. */
export type HoldPlan = { readonly hold?: Hold } | { readonly breach: Breach } | { readonly unpriced: true };

const NANO = 1e9;

export function planHold(thread: Thread, turn: number, request: RequestCost): HoldPlan {
  const { price, inputTokens, maxOutputTokens } = request;
  const cap = capOf(thread);
  if (!price) return cap === undefined ? {} : { unpriced: true };
  // What its children cost was paid out of the same cap.
  const spent = plus(thread.spent, spentBelow(thread));
  const left = cap === undefined ? Number.MAX_SAFE_INTEGER : cap - spent;
  const free = Math.min(left, request.free ?? left);
  const output = Math.min(maxOutputTokens, affordableOutput(Math.max(0, free), inputTokens, price));
  if (output < Math.min(request.minOutputTokens, maxOutputTokens)) {
    const least = worstCase(inputTokens, Math.min(request.minOutputTokens, maxOutputTokens), price);
    const needs = (spent + least) / NANO;
    const max = (cap ?? 0) / NANO;
    return { breach: { code: "spend_exceeded", key: "spend", current: spent / NANO, max, needs } };
  }
  const amount = worstCase(inputTokens, output, price);
  const { holds } = thread.step ?? thread.earlier;
  const id = `${thread.chainRootId}/${turn}/${holds + 1}`;
  return { hold: { id, amount, input_tokens: inputTokens, output_tokens: output } };
}

/** What is written before a request: what is held for it, and what it shows of one result where that is not the usual. */
export function stepStart(
  turn: number,
  hold: Hold | undefined,
  resultChars = SHOWN_CHARS,
): NewEvent<"step_start"> {
  return {
    ...{ type: "step_start", turn, ...(hold ? { hold } : {}) },
    ...(resultChars === SHOWN_CHARS ? {} : { result_chars: resultChars }),
  };
}

/** Nano-dollars; undefined when nothing stops it. */
function capOf({ limits }: Pick<Thread, "limits">): number | undefined {
  const { spend } = limits;
  return spend === undefined ? undefined : (parseDollars(String(spend)) ?? 0);
}

/** The bill for an answer, or for what was heard of one. Usage that nobody reported is flagged. */
export function billFor(
  { hold }: Pick<Step, "hold">,
  usage: Usage | undefined,
  price: Price | undefined,
): { bill?: { hold: string; amount: number; estimated?: boolean } } {
  if (!hold) return {};
  const amount = usage && price ? costOfUsage(usage, price) : 0;
  return { bill: { hold: hold.id, amount, ...(usage?.estimated ? { estimated: true } : {}) } };
}
