/**
 * Where the money of a thread went: a fold over its events, request by request. Bills stand in answers, failures and
 * recoveries; what is still held when a thread ends is charged then; a correction counts for the request it is about,
 * with that request's day and model. The amounts add up to what the registry and the ledger say, to the last unit.
 */
import type { Event } from "./event.ts";
import type { Usage } from "./message.ts";

/** `billed` by the provider; `estimated` from what was heard; `cut_off`: nobody can say, charged as it was held. */
export type ChargeKind = "billed" | "estimated" | "cut_off";

/** One request that was answered, or paid for. */
export interface Charge {
  /** Null: nothing was held, because nobody knows what its model costs. */
  readonly hold: string | null;
  readonly turn: number;
  readonly at: string;
  readonly model: string;
  readonly kind: ChargeKind;
  /** Nano-dollars; null when nobody knows. */
  readonly amount: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly isCorrected: boolean;
  /** A correction of a request that stands in the journal of the thread before it: its amount is the difference. */
  readonly isEarlier?: true;
}

export interface OpenHold {
  readonly hold: string;
  readonly amount: number;
  readonly turn: number;
  readonly model: string;
}

interface Costs {
  readonly charges: readonly Charge[];
  readonly open: OpenHold | undefined;
  /** Nano-dollars that the threads before it in its chain had spent: its registry's line counts them too. */
  readonly carried: number;
}

export function costsOf(events: readonly Event[]): Costs {
  const fold = new CostFold();
  for (const event of events) fold.take(event);
  const { charges, open, carried } = fold;
  return { charges, open, carried };
}

type Bill = Event<"crash_recovered">["bill"];

/** Reads a journal once; corrections find their request by its hold. */
export class CostFold implements Costs {
  readonly charges: Charge[] = [];
  open: OpenHold | undefined;
  carried = 0;
  /** Who is asked as of now. */
  get model(): string {
    return this.#model;
  }
  #earlier: readonly { readonly hold: string }[] = [];
  readonly #places = new Map<string, number>();
  #model = "";

  take(event: Event): void {
    switch (event.type) {
      case "thread_created":
        this.#model = event.carried?.target?.model ?? event.model;
        this.carried = event.carried?.spent ?? 0;
        this.#earlier = event.carried?.unbilled ?? [];
        return;
      case "auto_retry_start":
        this.#model = event.target?.model ?? this.#model;
        return;
      case "step_start":
        if (event.hold) this.#held(event.hold, event.turn);
        return;
      case "cognition_out":
        return this.#answered(event);
      case "error_classified":
        return this.#billed(event, event.bill, { turn: event.turn, model: event.model });
      case "crash_recovered":
        return this.#billed(event, event.bill, { isCut: true });
      case "charge_corrected":
        return this.#corrected(event);
      case "thread_completed":
      case "thread_failed":
      case "thread_cancelled":
        return this.#ended(event);
      default:
        return;
    }
  }

  #held({ id, amount }: { readonly id: string; readonly amount: number }, turn: number): void {
    this.open = { hold: id, amount, turn, model: this.#model };
  }

  #answered(event: Event<"cognition_out">): void {
    const { bill, turn, usage, stop, model = this.#model } = event;
    if (bill) return this.#billed(event, bill, { turn, model, usage, isCut: stop === "cut" });
    const unknown = { hold: null, amount: null, kind: "billed" as const, isCorrected: false };
    this.charges.push({ ...unknown, turn, at: event.ts, model, ...tokens(usage) });
  }

  #billed(
    { ts: at }: Event,
    bill: Bill,
    said: { turn?: number; model?: string; usage?: Usage; isCut?: boolean },
  ): void {
    if (!bill) return;
    const { hold, amount, estimated } = bill;
    const { turn = this.open?.turn ?? 0, model = this.#model } = said;
    const asHeld = said.isCut === true && this.open?.hold === hold && this.open.amount === amount;
    const kind = !estimated ? "billed" : asHeld ? "cut_off" : "estimated";
    this.#places.set(hold, this.charges.length);
    this.charges.push({ hold, turn, at, model, kind, amount, ...tokens(said.usage), isCorrected: false });
    this.open = undefined;
  }

  #corrected({ hold, amount, was, refused, ts: at }: Event<"charge_corrected">): void {
    if (refused !== undefined) return;
    const place = this.#places.get(hold);
    const found = place === undefined ? undefined : this.charges[place];
    if (place !== undefined && found) this.charges[place] = { ...found, amount, isCorrected: true };
    else if (this.#earlier.some((each) => each.hold === hold)) {
      const said = { kind: "billed" as const, isCorrected: true, isEarlier: true as const };
      const difference = { hold, amount: amount - was, ...tokens(undefined) };
      this.charges.push({ ...difference, ...said, turn: 0, at, model: this.#model });
    }
  }

  #ended(event: Event): void {
    const { open } = this;
    if (!open) return;
    const { hold, amount, turn, model } = open;
    this.#billed(event, { hold, amount, estimated: true }, { turn, model, isCut: true });
  }
}

function tokens(usage: Usage | undefined) {
  if (!usage) return { inputTokens: 0, outputTokens: 0 };
  const { input, cache_read, cache_write, output } = usage;
  return { inputTokens: input + cache_read + cache_write, outputTokens: output };
}

/** Sums over requests. */
export interface CostSum {
  /** Nano-dollars. */
  readonly amount: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens of answers whose price nobody knows: they are not in the amount. */
  readonly unpricedTokens: number;
  readonly cutOff: number;
  readonly estimated: number;
}

export const noCost: CostSum = {
  amount: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  unpricedTokens: 0,
  cutOff: 0,
  estimated: 0,
};

export function addCharge(sum: CostSum, charge: Charge): CostSum {
  const { amount, inputTokens, outputTokens, kind, isCorrected } = charge;
  // What a person looked up in the invoice is no guess any more.
  const isGuess = kind !== "billed" && !isCorrected;
  return addCost(sum, {
    amount: amount ?? 0,
    calls: charge.isEarlier ? 0 : 1,
    inputTokens,
    outputTokens,
    unpricedTokens: amount === null ? inputTokens + outputTokens : 0,
    cutOff: isGuess && kind === "cut_off" ? 1 : 0,
    estimated: isGuess && kind === "estimated" ? 1 : 0,
  });
}

export function addCost(left: CostSum, right: CostSum): CostSum {
  return {
    amount: left.amount + right.amount,
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    unpricedTokens: left.unpricedTokens + right.unpricedTokens,
    cutOff: left.cutOff + right.cutOff,
    estimated: left.estimated + right.estimated,
  };
}

/** How many turns the median of the last five would still pay for; undefined where that would be a guess. */
export function turnsLeft(
  charges: readonly Charge[],
  free: number,
): { turns: number; median: number } | undefined {
  const turns = new Map<number, number>();
  for (const { turn, amount } of charges) {
    if (amount === null) return undefined;
    turns.set(turn, (turns.get(turn) ?? 0) + amount);
  }
  const last = [...turns.values()].slice(-SAMPLE).sort((left, right) => left - right);
  const median = last[Math.floor(SAMPLE / 2)];
  if (last.length < SAMPLE || median === undefined || median === 0) return undefined;
  return { turns: Math.max(0, Math.floor(free / median)), median };
}

const SAMPLE = 5;
