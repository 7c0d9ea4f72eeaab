/** What `selvage doctor` found: one check for each thing that was looked at, and one word over all of them. */

export const CHECK_STATUSES = ["ok", "warn", "fail", "skip"] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

export const CHECK_CATEGORIES = [
  "runtime",
  "project",
  "config",
  "hooks",
  "keys",
  "state",
  "ledger",
  "processes",
  "clock",
  "terminal",
] as const;
export type CheckCategory = (typeof CHECK_CATEGORIES)[number];

export interface Check {
  /** `CATEGORY.WHAT`: the same in every version. */
  readonly id: `${CheckCategory}.${string}`;
  readonly status: CheckStatus;
  readonly summary: string;
  readonly detail: readonly string[];
  /** `safe`: it loses nothing and decides nothing, so that `--fix` may do it. */
  readonly fix: { readonly cmd: string; readonly safe: boolean } | null;
}

export type Overall = "ok" | "warn" | "fail";

/** What could not be looked at is no news, good or bad. */
export function overallOf(checks: readonly Check[]): Overall {
  const has = (status: CheckStatus) => checks.some((check) => check.status === status);
  if (has("fail")) return "fail";
  return has("warn") ? "warn" : "ok";
}

/** Strict: a warning is a failure too. */
export function isHealthy(overall: Overall, strict: boolean): boolean {
  return overall === "ok" || (overall === "warn" && !strict);
}

export function categoryOf({ id }: Check): CheckCategory {
  const name = id.slice(0, id.indexOf("."));
  return CHECK_CATEGORIES.find((category) => category === name) ?? "runtime";
}

/** In the order in which they are told. */
export function byCategory(checks: readonly Check[]): [CheckCategory, Check[]][] {
  return CHECK_CATEGORIES.map((category): [CheckCategory, Check[]] => [
    category,
    checks.filter((check) => categoryOf(check) === category),
  ]).filter(([, found]) => found.length > 0);
}
