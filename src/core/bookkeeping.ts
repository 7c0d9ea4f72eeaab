/** What events mean for the ledger (V1): every line of it follows from the journal, so it can be made again from it. */

import type { Account, Attempt, Books, MoneyRefusal } from "./books.ts";
import type { Event } from "./event.ts";
import {
  adjust,
  type Balance,
  balance,
  closeAccount,
  hold,
  openAccount,
  reopenAccount,
  setCap,
  settle,
} from "./ledger.ts";
import { parseDollars } from "./money.ts";
import type { RowFold } from "./row.ts";

/** Books that are written on top of others and may be thrown away: a commit is planned before it is made. */
export class Draft implements Books {
  readonly accounts = new Map<string, Account>();
  readonly attempts = new Map<string, Attempt>();
  readonly #below: Books;

  constructor(below: Books) {
    this.#below = below;
  }

  account(id: string): Account | undefined {
    return this.accounts.get(id) ?? this.#below.account(id);
  }

  putAccount(account: Account): void {
    this.accounts.set(account.id, account);
  }

  attempt(id: string): Attempt | undefined {
    return this.attempts.get(id) ?? this.#below.attempt(id);
  }

  putAttempt(attempt: Attempt): void {
    this.attempts.set(attempt.id, attempt);
  }

  /** This draft and the one it stands on, as one. */
  over({ accounts, attempts }: Draft): Pick<Draft, "accounts" | "attempts"> {
    return {
      accounts: new Map([...accounts, ...this.accounts]),
      attempts: new Map([...attempts, ...this.attempts]),
    };
  }

  hasChildren(id: string): boolean {
    const drafted = [...this.accounts.values()];
    if (drafted.some(({ parent, ended }) => parent === id && !ended)) return true;
    // What is drafted here ends one child at most: the one whose commit this is.
    return drafted.every(({ parent }) => parent !== id) && this.#below.hasChildren(id);
  }

  openAttempts(by: string): readonly Attempt[] {
    const below = this.#below.openAttempts(by).filter(({ id }) => !this.attempts.has(id));
    const drafted = [...this.attempts.values()].filter((each) => each.by === by && each.settled === null);
    return [...below, ...drafted];
  }
}

/** Writes one event into the books. A refusal is possible where money is asked for: an account, a hold, a raise. */
export function book(
  books: Books,
  { chain_root_id: id, parent_id }: Pick<RowFold, "chain_root_id" | "parent_id">,
  event: Event,
): MoneyRefusal | undefined {
  switch (event.type) {
    case "thread_created":
      // A successor goes on with the account of its chain.
      if (event.chain_root_id !== event.thread_id) return goOnWith(books, id, capOf(event.limits));
      return openAccount(books, { id, parent: parent_id, cap: capOf(event.limits) });
    case "step_start":
      if (!event.hold) return unheld(books, id);
      return hold(books, { by: id, attempt: event.hold.id, amount: event.hold.amount });
    case "cognition_out":
    case "error_classified":
    case "crash_recovered":
      return event.bill && settle(books, { attempt: event.bill.hold, amount: event.bill.amount });
    case "budget_changed": {
      const cap = capOf(event.limits);
      return cap === null ? undefined : setCap(books, { id, cap });
    }
    case "charge_corrected": {
      const { hold: attempt, was: from, amount: to, refused } = event;
      return refused === undefined ? adjust(books, { by: id, attempt, from, to }) : undefined;
    }
    case "thread_completed":
    case "thread_failed":
    case "thread_cancelled":
      return chargeAndClose(books, id);
    default:
      return undefined;
  }
}

/** An account that was closed is opened again; a cap that was given along is set. */
function goOnWith(books: Books, id: string, cap: number | null): MoneyRefusal | undefined {
  const refusal = reopenAccount(books, id);
  if (refusal || cap === null || books.account(id)?.cap === cap) return refusal;
  return setCap(books, { id, cap });
}

/** The books after a thread came into being; a child whose parent or cap is not there does not. */
export function keep(
  books: Books,
  row: Pick<RowFold, "chain_root_id" | "parent_id">,
  events: readonly Event[],
): Draft {
  const draft = new Draft(books);
  for (const event of events) {
    const refusal = book(draft, row, event);
    if (refusal) throw new Unpaid(refusal);
  }
  return draft;
}

/** Nobody pays for it: nothing was written. */
export class Unpaid extends Error {
  readonly refusal: MoneyRefusal;

  constructor(refusal: MoneyRefusal) {
    const { why, at, asked, free } = refusal;
    super(`${at} does not pay for it: ${why}${asked === undefined ? "" : ` (asked ${asked}, free ${free})`}`);
    this.name = "Unpaid";
    this.refusal = refusal;
  }
}

export interface Statement {
  readonly account: Account;
  readonly balance: Balance;
  /** Attempts of it that are under way. */
  readonly open: readonly Attempt[];
}

export function statementOf(books: Books, id: string): Statement | undefined {
  const account = books.account(id);
  return account && { account, balance: balance(books, id), open: books.openAttempts(id) };
}

/** A request that nobody can price may not be made on an account that has a cap, its own or one above (B3). */
function unheld(books: Books, id: string): MoneyRefusal | undefined {
  if (!books.account(id)) return undefined;
  const { account, cap, free } = balance(books, id);
  return cap === null ? undefined : { why: "price", at: account, asked: 0, free };
}

/** What nobody can say any more is charged as it was held: a provider may have billed it. */
function chargeAndClose(books: Books, id: string): MoneyRefusal | undefined {
  for (const attempt of books.openAttempts(id)) settle(books, { attempt: attempt.id, amount: attempt.held });
  return closeAccount(books, id);
}

function capOf(limits: Readonly<Record<string, number | string>>): number | null {
  const { spend } = limits;
  return spend === undefined ? null : (parseDollars(String(spend)) ?? 0);
}
