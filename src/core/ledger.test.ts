import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Account, Attempt, Books, MoneyRefusal } from "./books.ts";
import { adjust, balance, closeAccount, hold, openAccount, reopenAccount, setCap, settle } from "./ledger.ts";

class MapBooks implements Books {
  readonly accounts = new Map<string, Account>();
  readonly attempts = new Map<string, Attempt>();
  account = (id: string) => this.accounts.get(id);
  putAccount = (account: Account) => void this.accounts.set(account.id, account);
  attempt = (id: string) => this.attempts.get(id);
  putAttempt = (attempt: Attempt) => void this.attempts.set(attempt.id, attempt);
  hasChildren = (id: string) =>
    [...this.accounts.values()].some(({ parent, ended }) => parent === id && !ended);
  openAttempts = (id: string) =>
    [...this.attempts.values()].filter(({ by, settled }) => by === id && settled === null);
}

const root = (cap: number | null = 100) => {
  const books = new MapBooks();
  openAccount(books, { id: "root", parent: null, cap });
  return books;
};
const free = (books: Books, id = "root") => balance(books, id).free;

describe("a wall, not a report", () => {
  test("what is held is not free, and what does not fit is not held", () => {
    const books = root(100);
    expect(hold(books, { by: "root", attempt: "a", amount: 60 })).toBeUndefined();
    expect(free(books)).toBe(40);
    expect(hold(books, { by: "root", attempt: "b", amount: 41 })).toEqual({
      why: "budget",
      at: "root",
      asked: 41,
      free: 40,
      held: 60,
    });
    expect(books.attempt("b")).toBeUndefined();
    expect(settle(books, { attempt: "a", amount: 10 })).toBeUndefined();
    expect(balance(books, "root")).toEqual({ account: "root", cap: 100, spent: 10, held: 0, free: 90 });
  });

  test("an attempt is held once and billed once", () => {
    const books = root();
    for (let times = 0; times < 3; times += 1) hold(books, { by: "root", attempt: "a", amount: 60 });
    expect(free(books)).toBe(40);
    for (const amount of [10, 0, 99]) settle(books, { attempt: "a", amount });
    expect(balance(books, "root")).toMatchObject({ spent: 10, held: 0 });
    hold(books, { by: "root", attempt: "a", amount: 60 });
    expect(free(books)).toBe(90);
  });

  test("a bill above the hold is stored as it is, and weighs all the way up", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 30 });
    openAccount(books, { id: "grandchild", parent: "child", cap: 20 });
    expect(free(books)).toBe(70);
    hold(books, { by: "grandchild", attempt: "a", amount: 20 });
    settle(books, { attempt: "a", amount: 50 });
    expect(balance(books, "grandchild")).toMatchObject({ spent: 50, free: -30 });
    expect(balance(books, "child")).toMatchObject({ held: 50, free: -20 });
    expect(free(books)).toBe(50);
    closeAccount(books, "grandchild");
    expect(balance(books, "child")).toMatchObject({ spent: 50, held: 0, free: -20 });
    closeAccount(books, "child");
    expect(balance(books, "root")).toMatchObject({ spent: 50, held: 0, free: 50 });
  });

  test("who shares draws on the nearest cap above; what comes back goes there", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 30 });
    openAccount(books, { id: "shared", parent: "child", cap: null });
    expect(hold(books, { by: "shared", attempt: "a", amount: 31 })).toMatchObject({
      why: "budget",
      at: "child",
      free: 30,
    });
    expect(hold(books, { by: "shared", attempt: "a", amount: 30 })).toBeUndefined();
    expect(closeAccount(books, "shared")).toEqual({ why: "busy", at: "shared" });
    settle(books, { attempt: "a", amount: 12 });
    expect(closeAccount(books, "shared")).toBeUndefined();
    expect(balance(books, "child")).toMatchObject({ spent: 12, free: 18 });
    expect(free(books)).toBe(70);
  });

  test("a child that ends gives the rest of its cap back", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 80 });
    expect(openAccount(books, { id: "other", parent: "root", cap: 21 })).toMatchObject({
      why: "budget",
      at: "root",
    });
    hold(books, { by: "child", attempt: "a", amount: 50 });
    settle(books, { attempt: "a", amount: 45 });
    closeAccount(books, "child");
    expect(balance(books, "root")).toEqual({ account: "root", cap: 100, spent: 45, held: 0, free: 55 });
    expect(hold(books, { by: "child", attempt: "b", amount: 1 })).toEqual({ why: "account", at: "child" });
  });

  test("a raise comes from the payer's free money; a cut stops at what is used", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 30 });
    expect(setCap(books, { id: "child", cap: 101 })).toEqual({
      why: "budget",
      at: "root",
      asked: 71,
      free: 70,
      held: 30,
    });
    expect(setCap(books, { id: "child", cap: 100 })).toBeUndefined();
    expect(free(books)).toBe(0);
    hold(books, { by: "child", attempt: "a", amount: 40 });
    expect(setCap(books, { id: "child", cap: 39 })).toMatchObject({ why: "budget", at: "child" });
    expect(setCap(books, { id: "child", cap: 40 })).toBeUndefined();
    expect(free(books)).toBe(60);
  });

  test("a first cap for who has none: at the root, and not below what is used", () => {
    const books = root(null);
    hold(books, { by: "root", attempt: "a", amount: 40 });
    openAccount(books, { id: "shared", parent: "root", cap: null });
    expect(setCap(books, { id: "root", cap: 39 })).toEqual({
      why: "budget",
      at: "root",
      asked: 39,
      free: 40,
      isCut: true,
    });
    expect(setCap(books, { id: "shared", cap: 50 })).toEqual({ why: "account", at: "shared" });
    expect(setCap(books, { id: "root", cap: 50 })).toBeUndefined();
    expect(free(books, "shared")).toBe(10);
  });

  test("a charge for want of a bill is corrected by the difference, on who paid, and weighs all the way up", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 30 });
    openAccount(books, { id: "shared", parent: "child", cap: null });
    hold(books, { by: "shared", attempt: "a", amount: 30 });
    const correct = (from: number, to: number) => adjust(books, { by: "shared", attempt: "a", from, to });
    expect(correct(30, 5)).toEqual({ why: "busy", at: "shared" });
    settle(books, { attempt: "a", amount: 30 });
    expect(correct(31, 5)).toEqual({ why: "amount", at: "child" });
    for (const to of [-1, 0.5, Number.NaN, 2 ** 53]) expect(correct(30, to)).toMatchObject({ why: "amount" });
    expect(correct(30, 5)).toBeUndefined();
    expect(balance(books, "child")).toMatchObject({ spent: 5, free: 25 });
    expect(correct(5, 50)).toBeUndefined();
    expect(balance(books, "child")).toMatchObject({ spent: 50, free: -20 });
    expect(free(books)).toBe(50);
    closeAccount(books, "shared");
    expect(correct(50, 5)).toEqual({ why: "account", at: "shared" });
  });

  test("one that ended and lives again holds what is left of its cap, or is refused and stays as it is", () => {
    const books = root(100);
    openAccount(books, { id: "child", parent: "root", cap: 80 });
    hold(books, { by: "child", attempt: "a", amount: 30 });
    settle(books, { attempt: "a", amount: 30 });
    closeAccount(books, "child");
    expect(balance(books, "root")).toMatchObject({ spent: 30, held: 0, free: 70 });
    hold(books, { by: "root", attempt: "b", amount: 21 });
    const before = { ...books.account("child") };
    expect(reopenAccount(books, "child")).toEqual({
      ...{ why: "budget", at: "root", asked: 50, free: 49, held: 21 },
    });
    expect(books.account("child")).toEqual(before);
    settle(books, { attempt: "b", amount: 20 });
    for (let times = 0; times < 2; times += 1) expect(reopenAccount(books, "child")).toBeUndefined();
    expect(balance(books, "root")).toMatchObject({ spent: 20, held: 80, free: 0 });
    expect(balance(books, "child")).toMatchObject({ spent: 30, free: 50 });
    expect(reopenAccount(books, "nobody")).toEqual({ why: "account", at: "nobody" });
    closeAccount(books, "child");
    closeAccount(books, "root");
    expect(reopenAccount(books, "child")).toEqual({ why: "account", at: "root" });
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("%s is no money", (amount) => {
    const books = root(100);
    expect(hold(books, { by: "root", attempt: "a", amount })).toMatchObject({ why: "amount" });
    hold(books, { by: "root", attempt: "b", amount: 1 });
    expect(settle(books, { attempt: "b", amount })).toMatchObject({ why: "amount" });
    expect(openAccount(books, { id: "c", parent: "root", cap: amount })).toMatchObject({ why: "amount" });
    expect(setCap(books, { id: "root", cap: amount })).toMatchObject({ why: "amount" });
    expect(free(books)).toBe(99);
  });

  test("nobody unknown, ended or twice", () => {
    const books = root(100);
    expect(openAccount(books, { id: "root", parent: null, cap: 5 })).toEqual({ why: "account", at: "root" });
    expect(openAccount(books, { id: "x", parent: "nobody", cap: 5 })).toEqual({
      why: "account",
      at: "nobody",
    });
    expect(hold(books, { by: "nobody", attempt: "a", amount: 1 })).toEqual({ why: "account", at: "nobody" });
    expect(settle(books, { attempt: "a", amount: 1 })).toMatchObject({ why: "account" });
    closeAccount(books, "root");
    expect(openAccount(books, { id: "x", parent: "root", cap: 5 })).toEqual({ why: "account", at: "root" });
    expect(setCap(books, { id: "root", cap: 500 })).toEqual({ why: "account", at: "root" });
  });
});

/** The plain tree: everything that happened, and sums over it whenever somebody asks. */
class PlainTree {
  readonly nodes = new Map<string, { parent: string | null; cap: number | null; ended: boolean }>();
  readonly calls = new Map<string, { by: string; held: number; bill: number | null }>();

  payer(id: string): string {
    const node = this.nodes.get(id);
    return node && node.cap === null && node.parent !== null ? this.payer(node.parent) : id;
  }

  /** All that was billed to calls that this account pays for, and to everything that has ended below it. */
  spent(id: string): number {
    const own = [...this.calls.values()].filter(({ by, bill }) => bill !== null && this.payer(by) === id);
    const ended = [...this.nodes].filter(([, node]) => node.ended && this.isChild(node, id));
    return sum(own.map(({ bill }) => bill ?? 0)) + sum(ended.map(([child]) => this.spent(child)));
  }

  held(id: string): number {
    const open = [...this.calls.values()].filter(({ by, bill }) => bill === null && this.payer(by) === id);
    const living = [...this.nodes].filter(([, node]) => !node.ended && this.isChild(node, id));
    const weights = living.map(([child, { cap }]) =>
      Math.max(cap ?? 0, this.spent(child) + this.held(child)),
    );
    return sum(open.map(({ held }) => held)) + sum(weights);
  }

  free(id: string): number {
    const payer = this.payer(id);
    const cap = this.nodes.get(payer)?.cap ?? null;
    return cap === null ? Number.POSITIVE_INFINITY : cap - this.spent(payer) - this.held(payer);
  }

  isChild({ parent, cap }: { parent: string | null; cap: number | null }, id: string): boolean {
    return parent !== null && cap !== null && this.payer(parent) === id;
  }
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

type Op =
  | { type: "spawn"; of: number; cap: number | null }
  | { type: "hold"; of: number; amount: number }
  | { type: "settle"; call: number; percent: number }
  | { type: "settle_again"; call: number }
  | { type: "correct"; call: number; amount: number }
  | { type: "end"; of: number }
  | { type: "reopen"; of: number }
  | { type: "raise"; of: number; cap: number };

const small = fc.nat(60);
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ type: fc.constant("spawn" as const), of: small, cap: fc.option(fc.nat(80)) }),
  fc.record({ type: fc.constant("hold" as const), of: small, amount: fc.nat(60) }),
  fc.record({ type: fc.constant("settle" as const), call: small, percent: fc.nat(160) }),
  fc.record({ type: fc.constant("settle_again" as const), call: small }),
  fc.record({ type: fc.constant("correct" as const), call: small, amount: fc.nat(90) }),
  fc.record({ type: fc.constant("end" as const), of: small }),
  fc.record({ type: fc.constant("reopen" as const), of: small }),
  fc.record({ type: fc.constant("raise" as const), of: small, cap: fc.nat(200) }),
);

function play(ops: readonly Op[], rootCap: number | null): void {
  const books = new MapBooks();
  const plain = new PlainTree();
  openAccount(books, { id: "n0", parent: null, cap: rootCap });
  plain.nodes.set("n0", { parent: null, cap: rootCap, ended: false });
  const nodeAt = (index: number) => [...plain.nodes.keys()][index % plain.nodes.size] ?? "n0";
  const callAt = (index: number) => [...plain.calls.keys()][index % Math.max(1, plain.calls.size)];
  for (const each of ops) {
    perform(each, { books, plain, nodeAt, callAt });
    for (const id of plain.nodes.keys()) {
      const { spent, held, free, account } = balance(books, id);
      expect(account).toBe(plain.payer(id));
      expect({ id, spent, held, free }).toEqual({
        id,
        spent: plain.spent(account),
        held: plain.held(account),
        free: plain.free(id),
      });
    }
  }
  const open = [...books.attempts.values()].filter(({ settled }) => settled === null).map(({ id }) => id);
  expect(open.sort()).toEqual(
    [...plain.calls]
      .filter(([, { bill }]) => bill === null)
      .map(([id]) => id)
      .sort(),
  );
}

interface Stage {
  readonly books: MapBooks;
  readonly plain: PlainTree;
  nodeAt(index: number): string;
  callAt(index: number): string | undefined;
}

function perform(each: Op, { books, plain, nodeAt, callAt }: Stage): void {
  const said = (refusal: MoneyRefusal | undefined, isAllowed: boolean) =>
    expect(refusal === undefined, JSON.stringify({ each, refusal })).toBe(isAllowed);
  switch (each.type) {
    case "spawn": {
      const parent = nodeAt(each.of);
      const id = `n${plain.nodes.size}`;
      const isAllowed =
        !plain.nodes.get(parent)?.ended && (each.cap === null || each.cap <= plain.free(parent));
      said(openAccount(books, { id, parent, cap: each.cap }), isAllowed);
      if (isAllowed) plain.nodes.set(id, { parent, cap: each.cap, ended: false });
      return;
    }
    case "hold": {
      const by = nodeAt(each.of);
      const attempt = `c${plain.calls.size}`;
      const isAllowed = !plain.nodes.get(by)?.ended && each.amount <= plain.free(by);
      said(hold(books, { by, attempt, amount: each.amount }), isAllowed);
      if (isAllowed) plain.calls.set(attempt, { by, held: each.amount, bill: null });
      return;
    }
    case "settle": {
      const attempt = callAt(each.call);
      const call = attempt === undefined ? undefined : plain.calls.get(attempt);
      if (attempt === undefined || !call) return;
      const amount = Math.floor((call.held * each.percent) / 100);
      said(settle(books, { attempt, amount }), true);
      call.bill ??= amount;
      return;
    }
    case "settle_again": {
      const attempt = callAt(each.call);
      if (attempt !== undefined && plain.calls.get(attempt)?.bill !== null)
        settle(books, { attempt, amount: 7 });
      return;
    }
    case "correct": {
      const attempt = callAt(each.call);
      const call = attempt === undefined ? undefined : plain.calls.get(attempt);
      if (attempt === undefined || !call) return;
      const isAllowed = !plain.nodes.get(call.by)?.ended && call.bill !== null;
      said(adjust(books, { by: call.by, attempt, from: call.bill ?? 0, to: each.amount }), isAllowed);
      if (isAllowed) call.bill = each.amount;
      return;
    }
    case "end": {
      const id = nodeAt(each.of);
      const isBusy =
        [...plain.nodes.values()].some(({ parent, ended }) => parent === id && !ended) ||
        [...plain.calls.values()].some(({ by, bill }) => by === id && bill === null);
      const node = plain.nodes.get(id);
      said(closeAccount(books, id), node?.ended === true || !isBusy);
      if (node && !isBusy) node.ended = true;
      return;
    }
    case "reopen": {
      const id = nodeAt(each.of);
      const node = plain.nodes.get(id);
      if (!node) return;
      const isDead = node.parent !== null && plain.nodes.get(node.parent)?.ended === true;
      const left = Math.max(0, (node.cap ?? 0) - plain.spent(id));
      const isPaid = node.parent === null || node.cap === null || left <= plain.free(node.parent);
      const isAllowed = !node.ended || (!isDead && isPaid);
      said(reopenAccount(books, id), isAllowed);
      if (isAllowed) node.ended = false;
      return;
    }
    case "raise": {
      const id = nodeAt(each.of);
      const node = plain.nodes.get(id);
      if (!node || node.ended || (node.cap === null && node.parent !== null)) return;
      const used = plain.spent(id) + plain.held(id);
      const more = Math.max(each.cap, used) - Math.max(node.cap ?? 0, used);
      const isAllowed =
        !(each.cap < (node.cap ?? Number.POSITIVE_INFINITY) && each.cap < used) &&
        (node.parent === null || more <= 0 || more <= plain.free(node.parent));
      said(setCap(books, { id, cap: each.cap }), isAllowed);
      if (isAllowed) node.cap = each.cap;
      return;
    }
  }
}

const programs = process.env["SELVAGE_CAMPAIGN"] === "1" ? 1_000_000 : 20_000;

test(`${programs} random programs of a tree: every sum is exact after every step, drift 0`, () => {
  fc.assert(
    fc.property(fc.array(op, { maxLength: 14 }), fc.option(fc.nat(150), { freq: 8 }), (ops, cap) =>
      play(ops, cap),
    ),
    { numRuns: programs },
  );
}, 3_600_000);
