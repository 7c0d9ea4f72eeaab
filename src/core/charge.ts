/** Charges that were made for want of a bill, and what a person who has the invoice says about them (B1 `adjust`). */
import type { NewEvent } from "./event.ts";
import type { Request } from "./request.ts";

/** Nobody said what this request cost: it stands with what was held, or with what was heard of its answer. */
export interface Unbilled {
  readonly hold: string;
  /** Nano-dollars that it counts with now. */
  readonly amount: number;
}

interface Charged {
  readonly spent: number;
  readonly unbilled: readonly Unbilled[];
}

type Bill = NonNullable<NewEvent<"crash_recovered">["bill"]>;

/** A bill that nobody sent can be corrected; one of the provider's is the truth. */
export function noteUnbilled(unbilled: readonly Unbilled[], bill: Bill): readonly Unbilled[] {
  const { hold, amount, estimated } = bill;
  return estimated ? [...unbilled, { hold, amount }] : unbilled;
}

export function corrected<C extends Charged>(thread: C, event: NewEvent<"charge_corrected">): C {
  const { hold, amount, was, refused } = event;
  if (refused !== undefined) return thread;
  const unbilled = thread.unbilled.map((each) => (each.hold === hold ? { hold, amount } : each));
  return { ...thread, spent: thread.spent + amount - was, unbilled };
}

/** What the owner writes down: the difference is counted from what stands there now. */
export function answerToSettle(
  { unbilled }: Pick<Charged, "unbilled">,
  { request_id, by, hold, amount }: Request & { readonly kind: "settle" },
): NewEvent[] {
  const found = unbilled.find((each) => each.hold === hold);
  const said = { type: "charge_corrected" as const, request_id, by, hold };
  if (!found) return [{ ...said, amount: 0, was: 0, refused: NO_CHARGE }];
  const was = found.amount;
  if (!Number.isSafeInteger(amount) || amount < 0) {
    return [{ ...said, amount: was, was, refused: "it is no amount of money" }];
  }
  return amount === was ? [] : [{ ...said, amount, was }];
}

const NO_CHARGE = "no charge of this name was made for want of a bill";
