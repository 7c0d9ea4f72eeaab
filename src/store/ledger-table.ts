/** The ledger's rows: accounts, with what is held for requests under way. What is settled is in the sums. */
import type { Draft } from "../core/bookkeeping.ts";
import { type Account, type Attempt, type Books, makerOf } from "../core/books.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";

/**
 * Read inside a transaction, each account once; what a plan changes is written by `writeBooks`, and then these are of
 * no use any more.
 */
export function booksOf(connection: Connection): Books {
  const rows = new Map<string, Row | undefined>();
  const rowOf = (id: string) => {
    if (!rows.has(id)) rows.set(id, connection.statement("SELECT * FROM accounts WHERE account = ?").get(id));
    return rows.get(id);
  };
  return {
    account: (id) => {
      const found = rowOf(id);
      return found && toAccount(found);
    },
    attempt: (id) => attemptsIn(rowOf(makerOf(id)), makerOf(id)).find((attempt) => attempt.id === id),
    hasChildren: (id) =>
      connection.statement("SELECT 1 AS yes FROM accounts WHERE parent = ? AND ended = 0 LIMIT 1").get(id) !==
      undefined,
    openAttempts: (by) => attemptsIn(rowOf(by), by),
    putAccount: (account) => {
      putAccount(connection, account);
      rows.clear();
    },
    putAttempt: (attempt) => {
      putAttempts(connection, attempt.by, [attempt]);
      rows.clear();
    },
  };
}

export function writeBooks(
  connection: Connection,
  { accounts, attempts }: Pick<Draft, "accounts" | "attempts">,
): void {
  for (const account of accounts.values()) putAccount(connection, account);
  const changed = [...attempts.values()];
  for (const by of new Set(changed.map((attempt) => attempt.by))) {
    putAttempts(
      connection,
      by,
      changed.filter((attempt) => attempt.by === by),
    );
  }
}

/** An account that lives on is changed without a word about its state: to name it would rewrite the page of its index. */
function putAccount(connection: Connection, { id, parent, cap, spent, held, ended }: Account): void {
  const state = ended ? 1 : 0;
  const same = connection
    .statement("UPDATE accounts SET cap = ?, spent = ?, held = ? WHERE account = ? AND ended = ?")
    .run(cap, spent, held, id, state);
  if (same.changes === 1) return;
  connection
    .statement(
      `INSERT INTO accounts (account, parent, cap, spent, held, ended) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (account) DO UPDATE SET cap = excluded.cap, spent = excluded.spent, held = excluded.held,
         ended = excluded.ended`,
    )
    .run(id, parent, cap, spent, held, state);
}

/** What is settled stands in the account that paid from then on. What is under way is there once. */
function putAttempts(connection: Connection, by: string, changed: readonly Attempt[]): void {
  const named = new Set(changed.map(({ id }) => id));
  const before = underWay(connection, by);
  const known = new Set(before.map(({ id }) => id));
  const settled = new Set(changed.flatMap(({ id, settled }) => (settled === null ? [] : [id])));
  const left = before.filter(({ id }) => !named.has(id) || !settled.has(id));
  const fresh = changed.filter(({ id, settled }) => settled === null && !known.has(id));
  const kept = [...left, ...fresh].map(({ id, account, held }) => ({ id, account, held }));
  connection.statement("UPDATE accounts SET under_way = ? WHERE account = ?").run(JSON.stringify(kept), by);
}

function underWay(connection: Connection, by: string): Attempt[] {
  return attemptsIn(connection.statement("SELECT under_way FROM accounts WHERE account = ?").get(by), by);
}

function attemptsIn(found: Row | undefined, by: string): Attempt[] {
  if (!found) return [];
  const kept: Pick<Attempt, "id" | "account" | "held">[] = JSON.parse(String(found["under_way"]));
  return kept.map(({ id, account, held }) => ({ id, account, by, held, settled: null }));
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
