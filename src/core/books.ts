/** What the ledger is kept in: accounts of constant size, and the requests that are under way on them. */
export interface Account {
  readonly id: string;
  readonly parent: string | null;
  /** Null: it has none of its own and draws on the nearest one above that has; at the root, nothing stops it. */
  readonly cap: number | null;
  /** Own calls, and children that have ended. */
  readonly spent: number;
  /** Calls under way, and what living children weigh. */
  readonly held: number;
  readonly ended: boolean;
}

/** One request to a model: held, then settled. */
export interface Attempt {
  readonly id: string;
  /** The account that pays. */
  readonly account: string;
  readonly by: string;
  readonly held: number;
  /** Null while it is under way. A store may forget it once it is settled: its name is never used again. */
  readonly settled: number | null;
}

/** An attempt is named after who makes it: `<account>/<turn>/<n>`. */
export function makerOf(attempt: string): string {
  return attempt.split("/").slice(0, -2).join("/");
}

/** What a store keeps for it; used inside one transaction. */
export interface Books {
  account(id: string): Account | undefined;
  putAccount(account: Account): void;
  attempt(id: string): Attempt | undefined;
  putAttempt(attempt: Attempt): void;
  /** Whether accounts below it live. */
  hasChildren(id: string): boolean;
  /** Its attempts that are under way, whoever pays for them. */
  openAttempts(by: string): readonly Attempt[];
}

export interface MoneyRefusal {
  readonly why: "budget" | "price" | "amount" | "account" | "busy";
  /** The account in question; for money: what was asked for and what is free there. */
  readonly at: string;
  readonly asked?: number;
  readonly free?: number;
  /** What others hold there for now. */
  readonly held?: number;
  /** A cap was asked for that is below what is used: `free` is what is spent and held. */
  readonly isCut?: true;
}
