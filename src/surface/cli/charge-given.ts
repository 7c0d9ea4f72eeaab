/** Which charge a person means with `--settle HOLD=AMOUNT`, and what it should be. */
import { costsOf } from "../../core/costs.ts";
import { parseDollars, showDollars } from "../../core/money.ts";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import { type BudgetSeen, correctableOf } from "./budget-object.ts";
import { settleCommand } from "./cost-lines.ts";

export interface ChargeMeant {
  readonly hold: string;
  /** Nano-dollars. */
  readonly amount: number;
  readonly was: number;
}

/** Throws before anything is written. The end of a hold's name (`3/1`: the third turn's first request) is enough. */
export function chargeMeant(seen: BudgetSeen, given: string): ChargeMeant {
  const { row } = seen;
  const at = given.lastIndexOf("=");
  const name = given.slice(0, Math.max(0, at));
  const amount = parseDollars(given.slice(at + 1));
  if (at <= 0 || amount === undefined) throw unusable(seen, given);
  const names = [name, `${row.chain_root_id}/${name}`];
  const found = correctableOf(seen).find(({ charge }) => names.includes(charge.hold));
  if (found) return { hold: found.charge.hold, amount, was: found.charge.amount };
  const billed = costsOf(seen.events).charges.find(({ hold }) => hold !== null && names.includes(hold));
  throw notFound(seen, name, billed?.amount);
}

function unusable({ row }: BudgetSeen, given: string): Problem {
  return new Problem("E_USAGE", {
    what: `--settle ${oneLine(given, 80)} cannot be used.`,
    why: "It is the request and what it cost in dollars, such as 3/1=0.0123.",
    next: [{ cmd: `selvage budget ${row.thread_id}`, why: "the requests that can be corrected" }],
    threadId: row.thread_id,
  });
}

function notFound(seen: BudgetSeen, name: string, billed: number | null | undefined): Problem {
  const { thread_id: threadId } = seen.row;
  const others = correctableOf(seen).slice(-3);
  return new Problem("E_CHARGE_NOT_FOUND", {
    what: `${threadId} has no charge ${oneLine(name, 80)} that can be corrected.`,
    why:
      typeof billed === "number"
        ? `The provider billed $${showDollars(billed)} for it, and that stands. Nothing was written.`
        : "No request of this name was charged for want of a bill. Nothing was written.",
    next:
      others.length > 0
        ? others.map((each) => ({
            cmd: settleCommand(each),
            why: `stands at $${showDollars(each.charge.amount)}`,
          }))
        : [{ cmd: `selvage cost ${threadId}`, why: "what it was charged" }],
    threadId,
  });
}
