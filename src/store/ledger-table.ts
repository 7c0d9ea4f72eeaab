/** The ledger's rows: accounts, and what is held on them for requests under way. What is settled is in the sums. */
import type { Draft } from "../core/bookkeeping.ts";
import { type Account, type Attempt, type Books, makerOf } from "../core/books.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";

/** Read inside a transaction; what a plan changes is written by `writeBooks`. */
export function booksOf(connection: Connection): Books {
  return {
    account: (id) => {
      const found = connection.statement("SELECT * FROM accounts WHERE account = ?").get(id);
      return found && toAccount(found);
    },
    attempt: (id) => {
      const found = connection
        .statement("SELECT * FROM holds WHERE made_by = ? AND attempt = ?")
        .get(makerOf(id), id);
      return found && toAttempt(found);
    },
    hasChildren: (id) =>
      connection.statement("SELECT 1 AS yes FROM accounts WHERE parent = ? AND ended = 0 LIMIT 1").get(id) !==
      undefined,
    openAttempts: (by) =>
      connection.statement("SELECT * FROM holds WHERE made_by = ?").all(by).map(toAttempt),
    putAccount: (account) => putAccount(connection, account),
    putAttempt: (attempt) => putAttempt(connection, attempt),
  };
}

export function writeBooks(
  connection: Connection,
  { accounts, attempts }: Pick<Draft, "accounts" | "attempts">,
): void {
  for (const account of accounts.values()) putAccount(connection, account);
  for (const attempt of attempts.values()) putAttempt(connection, attempt);
}

function putAccount(connection: Connection, { id, parent, cap, spent, held, ended }: Account): void {
  connection
    .statement(
      `INSERT INTO accounts (account, parent, cap, spent, held, ended) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (account) DO UPDATE SET cap = excluded.cap, spent = excluded.spent, held = excluded.held,
         ended = excluded.ended`,
    )
    .run(id, parent, cap, spent, held, ended ? 1 : 0);
}

/** What is settled stands in the account from then on. */
function putAttempt(connection: Connection, { id, account, by, held, settled }: Attempt): void {
  if (settled !== null) {
    connection.statement("DELETE FROM holds WHERE made_by = ? AND attempt = ?").run(by, id);
    return;
  }
  connection
    .statement("INSERT OR IGNORE INTO holds (made_by, attempt, account, held) VALUES (?, ?, ?, ?)")
    .run(by, id, account, held);
}

function toAccount(found: Row): Account {
  return {
    id: String(found["account"]),
    parent: found["parent"] === null ? null : String(found["parent"]),
    cap: found["cap"] === null ? null : Number(found["cap"]),
    spent: Number(found["spent"]),
    held: Number(found["held"]),
    ended: found["ended"] === 1,
  };
}

function toAttempt(found: Row): Attempt {
  return {
    id: String(found["attempt"]),
    account: String(found["account"]),
    by: String(found["made_by"]),
    held: Number(found["held"]),
    settled: null,
  };
}
