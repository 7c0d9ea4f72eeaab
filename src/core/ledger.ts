/**
 * The ledger of a tree (B1–B4): who may spend what, what is held for calls and children, what was spent. The rules
 * for every store, over accounts of constant size; each verb looks first and writes then, or refuses and writes nothing.
 *   L1. A call is one hold, on its own account, or, for who shares, on the nearest account above that has a cap.
 *   L2. A child's cap weighs on the account that pays for it from the moment the child is there.
 *   L3. What was billed is stored as it is, never clamped; it closes its hold, once, whatever is said later.
 *   L4. A child that ends leaves its true total, descendants included, and gives the rest of its cap back.
 *   L5. Amounts are whole nano-dollars from 0 up.
 *   L6. A cap is raised out of the free money of whoever pays for it, or not at all.
 *   L7. A child that was billed above its cap weighs what it was billed, on every account up the tree.
 *   L8. What was charged for want of a bill may be corrected while its account lives: by the difference, on who paid.
 */
import type { Account, Books, MoneyRefusal } from "./books.ts";
import { plus } from "./money.ts";

interface NewAccount {
  readonly id: string;
  readonly parent: string | null;
  readonly cap: number | null;
}

/** A root brings its cap along; a child's comes out of what its parent has free (L2). */
export function openAccount(books: Books, { id, parent, cap }: NewAccount): MoneyRefusal | undefined {
  if (books.account(id)) return { why: "account", at: id };
  if (cap !== null && !isAmount(cap)) return { why: "amount", at: id };
  if (parent !== null) {
    const above = books.account(parent);
    if (!above || above.ended) return { why: "account", at: parent };
    const short = cap === null ? undefined : shortage(books, parent, cap);
    if (short) return short;
  }
  books.putAccount({ id, parent, cap, spent: 0, held: 0, ended: false });
  if (parent !== null && cap !== null) shift(books, payerOf(books, parent), { held: cap });
  return undefined;
}

/** Nothing is sent before this says yes (B2). Asked twice for one attempt, it is held once. */
export function hold(
  books: Books,
  { by, attempt, amount }: { readonly by: string; readonly attempt: string; readonly amount: number },
): MoneyRefusal | undefined {
  if (!isAmount(amount)) return { why: "amount", at: by };
  if (books.account(by)?.ended !== false) return { why: "account", at: by };
  if (books.attempt(attempt)) return undefined;
  const short = shortage(books, by, amount);
  if (short) return short;
  const payer = payerOf(books, by);
  books.putAttempt({ id: attempt, account: payer.id, by, held: amount, settled: null });
  shift(books, payer, { held: amount });
  return undefined;
}

/** The bill, as it came; 0 gives the hold back. Said twice, it counts once (L3). */
export function settle(
  books: Books,
  { attempt, amount }: { readonly attempt: string; readonly amount: number },
): MoneyRefusal | undefined {
  const found = books.attempt(attempt);
  if (!found) return { why: "account", at: attempt };
  if (!isAmount(amount)) return { why: "amount", at: found.account };
  if (found.settled !== null) return undefined;
  const payer = books.account(found.account);
  if (!payer) return { why: "account", at: found.account };
  books.putAttempt({ ...found, settled: amount });
  shift(books, payer, { held: -found.held, spent: amount });
  return undefined;
}

/** A charge that was made for want of a bill becomes what it really was, up or down; never clamped (L8). */
export function adjust(
  books: Books,
  charge: { readonly by: string; readonly attempt: string; readonly from: number; readonly to: number },
): MoneyRefusal | undefined {
  const { by, attempt, from, to } = charge;
  if (books.account(by)?.ended !== false) return { why: "account", at: by };
  if (books.attempt(attempt)?.settled === null) return { why: "busy", at: by };
  const payer = payerOf(books, by);
  if (!isAmount(from) || !isAmount(to) || from > payer.spent) return { why: "amount", at: payer.id };
  shift(books, payer, { spent: to - from });
  return undefined;
}

/** All below must have ended (T7) and no call may be under way: what is not known yet cannot be settled (L4). */
export function closeAccount(books: Books, id: string): MoneyRefusal | undefined {
  const account = books.account(id);
  if (!account) return { why: "account", at: id };
  if (account.ended) return undefined;
  if (books.hasChildren(id) || books.openAttempts(id).length > 0) return { why: "busy", at: id };
  books.putAccount({ ...account, ended: true });
  if (account.parent !== null && account.cap !== null) {
    shift(books, payerOf(books, account.parent), { held: -weight(account), spent: account.spent });
  }
  return undefined;
}

/** What is left of its cap is taken from whoever pays for it once more; what it had spent by then counts as its own again. */
export function reopenAccount(books: Books, id: string): MoneyRefusal | undefined {
  const account = books.account(id);
  if (!account) return { why: "account", at: id };
  if (!account.ended) return undefined;
  const opened = { ...account, ended: false };
  if (account.parent !== null) {
    const above = books.account(account.parent);
    if (!above || above.ended) return { why: "account", at: account.parent };
    if (account.cap !== null) {
      const short = shortage(books, account.parent, weight(opened) - account.spent);
      if (short) return short;
      shift(books, payerOf(books, account.parent), { held: weight(opened), spent: -account.spent });
    }
  }
  books.putAccount(opened);
  return undefined;
}

/** More comes from whoever pays for it; less is possible down to what is spent and held (L6). */
export function setCap(
  books: Books,
  { id, cap }: { readonly id: string; readonly cap: number },
): MoneyRefusal | undefined {
  const account = books.account(id);
  if (!account || account.ended) return { why: "account", at: id };
  // Who shares has no cap to move: a first one would change who pays for what is under way.
  if (account.cap === null && account.parent !== null) return { why: "account", at: id };
  if (!isAmount(cap)) return { why: "amount", at: id };
  const used = account.spent + account.held;
  if (cap < used && (account.cap === null || cap < account.cap)) {
    return { why: "budget", at: id, asked: cap, free: used, isCut: true };
  }
  const raised = { ...account, cap };
  const more = weight(raised) - weight(account);
  if (account.parent !== null && more > 0) {
    const short = shortage(books, account.parent, more);
    if (short) return short;
  }
  books.putAccount(raised);
  if (account.parent !== null) shift(books, payerOf(books, account.parent), { held: more });
  return undefined;
}

export interface Balance {
  /** The account that pays. */
  readonly account: string;
  /** Null: nobody above has a cap. */
  readonly cap: number | null;
  readonly spent: number;
  readonly held: number;
  /** Below 0 when more was billed than was held. */
  readonly free: number;
}

export function balance(books: Books, id: string): Balance {
  const { id: account, cap, spent, held } = payerOf(books, id);
  return { account, cap, spent, held, free: cap === null ? Number.POSITIVE_INFINITY : cap - spent - held };
}

function payerOf(books: Books, id: string): Account {
  let account = books.account(id);
  while (account && account.cap === null && account.parent !== null) account = books.account(account.parent);
  if (!account) throw new Error(`no account pays for ${id}`);
  return account;
}

/** What a living child takes from the account that pays for it. */
function weight({ cap, spent, held }: Account): number {
  return Math.max(cap ?? 0, plus(spent, held));
}

/** Moves money on an account, and what that changes for the accounts above it (L7). */
function shift(
  books: Books,
  account: Account,
  { held = 0, spent = 0 }: { readonly held?: number; readonly spent?: number },
): void {
  const moved = { ...account, held: plus(account.held, held), spent: plus(account.spent, spent) };
  books.putAccount(moved);
  const heavier = weight(moved) - weight(account);
  if (heavier !== 0 && account.parent !== null && !account.ended) {
    shift(books, payerOf(books, account.parent), { held: heavier });
  }
}

function shortage(books: Books, id: string, amount: number): MoneyRefusal | undefined {
  const { account, free, held } = balance(books, id);
  return amount > free ? { why: "budget", at: account, asked: amount, free, held } : undefined;
}

/** NaN, fractions, negatives and what a number cannot hold exactly are no money (C4, C13). */
function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
