/** The ledger of the demo's tree as it was at every single event: written again from the journal, by the rules of core. */
import { book, Draft } from "../../../core/bookkeeping.ts";
import type { Books } from "../../../core/books.ts";
import type { Event } from "../../../core/event.ts";
import { balance } from "../../../core/ledger.ts";

const NOTHING: Books = {
  account: () => undefined,
  putAccount: () => {},
  attempt: () => undefined,
  putAttempt: () => {},
  hasChildren: () => false,
  openAttempts: () => [],
};

export class Money {
  readonly #books = new Draft(NOTHING);
  readonly #places = new Map<string, { chain_root_id: string; parent_id: string | null }>();
  readonly #own = new Map<string, number>();

  note(event: Event): void {
    if (event.type === "thread_created") this.#places.set(event.thread_id, event);
    const place = this.#places.get(event.thread_id);
    if (!place) return;
    book(this.#books, place, event);
    const bill = billOf(event);
    if (bill > 0) this.#own.set(event.thread_id, this.own(event.thread_id) + bill);
  }

  /** What its own requests cost. */
  own(threadId: string): number {
    return this.#own.get(threadId) ?? 0;
  }

  /** With everybody below it that has ended. */
  spent(threadId: string): number {
    return this.#books.account(threadId)?.spent ?? 0;
  }

  cap(threadId: string): number {
    return this.#books.account(threadId)?.cap ?? 0;
  }

  free(threadId: string): number {
    return this.#books.account(threadId) ? balance(this.#books, threadId).free : 0;
  }
}

/** What an event says that a request cost, in nano-dollars. */
export function billOf(event: Event): number {
  switch (event.type) {
    case "cognition_out":
    case "error_classified":
    case "crash_recovered":
      return event.bill?.amount ?? 0;
    default:
      return 0;
  }
}
