/** Recomputes the account of a thread from its events and compares it with what is stored (F5, B1): drift 0. */
import { book, Draft, type Statement } from "../core/bookkeeping.ts";
import type { Books } from "../core/books.ts";
import type { Event } from "../core/event.ts";
import type { ThreadRow } from "../core/row.ts";

const NOTHING: Books = {
  account: () => undefined,
  attempt: () => undefined,
  hasChildren: () => false,
  openAttempts: () => [],
  putAccount: () => {},
  putAttempt: () => {},
};

/** What is wrong, a sentence each. */
export function ledgerFindings(
  row: ThreadRow,
  events: readonly Event[],
  stored: Statement | undefined,
): string[] {
  const books = new Draft(NOTHING);
  for (const event of events) book(books, row, event);
  const told = books.account(row.chain_root_id);
  if (!stored || !told) return stored || told ? ["its account is not the one the journal tells of"] : [];
  const wrong = (["cap", "spent", "held", "ended"] as const).filter(
    (key) => stored.account[key] !== told[key],
  );
  const open = ids(stored.open);
  const expected = ids(books.openAttempts(row.chain_root_id));
  return [
    ...wrong.map((key) => `the ledger says ${key} = ${stored.account[key]}, the journal says ${told[key]}`),
    ...(open === expected
      ? []
      : [`the ledger holds for ${open || "nothing"}, the journal for ${expected || "nothing"}`]),
  ];
}

function ids(attempts: Statement["open"]): string {
  return attempts
    .map(({ id, held }) => `${id} (${held})`)
    .sort()
    .join(", ");
}
