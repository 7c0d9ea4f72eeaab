/**
 * A change of money that the ledger does not take is written down as a refusal, with its numbers, in the same commit:
 * event and ledger never disagree, whatever happened between the asking and the taking.
 */
import type { MoneyRefusal } from "./books.ts";
import type { NewEvent } from "./event.ts";
import { showDollars } from "./money.ts";

/** The same event as a refusal; undefined for events that are facts whatever the ledger says. */
export function asRefused(event: NewEvent, refusal: MoneyRefusal): NewEvent | undefined {
  if (event.type === "budget_changed") {
    const { type, by, request_id } = event;
    const refused = refusalText(refusal);
    return { type, by, limits: {}, ...(request_id === undefined ? {} : { request_id }), refused };
  }
  if (event.type === "charge_corrected") return { ...event, refused: refusalText(refusal) };
  return undefined;
}

function refusalText({ why, at, asked = 0, free = 0, isCut }: MoneyRefusal): string {
  switch (why) {
    case "budget":
      return isCut
        ? `a spend limit of $${showDollars(asked)} is below the $${showDollars(free)} that are spent and held`
        : `it needs $${showDollars(asked)} more, and ${at} has $${showDollars(free)} free`;
    case "account":
      return `${at} has no spend limit of its own to change`;
    case "amount":
      return "it is no amount of money";
    case "price":
      return `nobody knows what it costs, and ${at} has a spend limit`;
    case "busy":
      return "the request is still under way";
  }
}
