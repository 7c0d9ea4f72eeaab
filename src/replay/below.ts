/** Children of a thread that is played again: they do not run, so what they hold and what they cost is booked for them. */
import type { Books } from "../core/books.ts";
import type { Event } from "../core/event.ts";
import { closeAccount, reopenAccount } from "../core/ledger.ts";
import { parseDollars, plus } from "../core/money.ts";
import type { Prepared } from "../core/spawn.ts";
import type { MemoryDisk } from "../store/stores/memory.ts";

export type Created = Event<"thread_created">;

function booksOf({ accounts, attempts }: MemoryDisk): Books {
  return {
    account: (id) => accounts.get(id),
    attempt: (id) => attempts.get(id),
    hasChildren: (id) => [...accounts.values()].some(({ parent, ended }) => parent === id && !ended),
    openAttempts: (by) => [...attempts.values()].filter((each) => each.by === by && each.settled === null),
    putAccount: (account) => void accounts.set(account.id, account),
    putAttempt: (attempt) => void attempts.set(attempt.id, attempt),
  };
}

/** What stands on the books before the thread is there: the account above it, or that of its chain so far. */
export function openingBooks(
  disk: MemoryDisk,
  created: Created,
  createdOf: (id: string) => Created | undefined,
): void {
  const { thread_id, chain_root_id, parent_id, limits, carried } = created;
  const fresh = { parent: null, cap: null, spent: 0, held: 0, ended: false };
  if (parent_id !== null) disk.accounts.set(parent_id, { ...fresh, id: parent_id });
  if (chain_root_id === thread_id || !carried) return;
  const children = Object.values(carried.children);
  const below = children.reduce((sum, { cost }) => plus(sum, cost?.spent ?? 0), 0);
  const living = children.filter(({ status }) => ["created", "running", "suspended"].includes(status));
  const caps = living.map(({ id }) => ({ id, cap: capOf(createdOf(id)?.limits ?? {}) }));
  const held = caps.reduce((sum, { cap }) => plus(sum, cap ?? 0), 0);
  const spent = plus(carried.spent, below);
  disk.accounts.set(chain_root_id, {
    ...fresh,
    id: chain_root_id,
    parent: parent_id,
    cap: capOf(limits),
    spent,
    held,
  });
  for (const { id, cap } of caps) disk.accounts.set(id, { ...fresh, id, parent: chain_root_id, cap });
}

function capOf({ spend }: Created["limits"]): number | null {
  return spend === undefined ? null : (parseDollars(String(spend)) ?? 0);
}

/** A child has ended, or lives again: the money moves before its parent hears of it. False: it is not born yet. */
export function bookOutcome(disk: MemoryDisk, event: Event): boolean {
  const books = booksOf(disk);
  if ("child_id" in event && event.child_id !== undefined && !books.account(event.child_id)) return false;
  if (event.type === "child_thread_resumed" && event.again) reopenAccount(books, event.child_id);
  if (event.type === "child_thread_completed" || event.type === "child_thread_failed") bookEnd(books, event);
  return true;
}

function bookEnd(books: Books, event: Event<"child_thread_completed" | "child_thread_failed">): void {
  const account = books.account(event.child_id);
  if (!account || account.ended) return;
  const { spent } = event.cost;
  if (account.cap !== null) {
    books.putAccount({ ...account, spent });
    closeAccount(books, account.id);
    return;
  }
  books.putAccount({ ...account, ended: true });
  const payer = payerOf(books, account.parent ?? "");
  if (payer) books.putAccount({ ...payer, spent: plus(payer.spent, spent) });
}

function payerOf(books: Books, id: string): ReturnType<Books["account"]> {
  const account = books.account(id);
  return account && account.cap === null && account.parent !== null
    ? payerOf(books, account.parent)
    : account;
}

/** A directive as it was when this child of it was started. */
export function preparedFrom(created: Created): Prepared {
  const {
    directive: name,
    model,
    limits,
    outputs = {},
    on_exit: onExit,
    rights,
    system,
    inputs,
    tools,
  } = created;
  const { permissions = [], ask = [], delegates = [] } = rights ?? {};
  const spend = limits["spend"] ?? "shared";
  return {
    directive: {
      ...{ name, model, permissions, ask, delegates, outputs: outputs as never },
      ...{ description: "", body: "", limits: { ...limits, spend } },
      ...(onExit ? { onExit } : {}),
    },
    ...{ system, inputs, tools },
  };
}
