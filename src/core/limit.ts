/**
 * Limits of a thread (L1–L3): found before the spending, never after it. What is reached is asked for, by a policy
 * that is data; nothing here lifts a limit.
 */
import { closest } from "./closest.ts";
import { costOf } from "./cost.ts";
import { parseDollars } from "./money.ts";
import type { Escalation } from "./settings.ts";
import type { Thread } from "./thread.ts";

export type LimitValue = number | string;
export type Limits = Readonly<Record<string, LimitValue>>;

/** The limits there are, in the order in which they are looked at. */
export const LIMIT_KEYS = ["turns", "tokens", "spend", "spawns", "duration", "depth"] as const;
type LimitKey = (typeof LIMIT_KEYS)[number];

export const LIMIT_CODES = [
  "turns_exceeded",
  "tokens_exceeded",
  "spend_exceeded",
  "spawns_exceeded",
  "duration_exceeded",
  "depth_exceeded",
  "hierarchical_budget_exceeded",
] as const;
type LimitCode = (typeof LIMIT_CODES)[number];

export interface Breach {
  readonly code: LimitCode;
  readonly key: LimitKey;
  readonly current: number;
  readonly max: number;
  /** The least that lets the next turn through. */
  readonly needs: number;
}

type Used = Pick<Thread, "turns" | "usage" | "activeMs" | "spent" | "spawns" | "limits" | "contextTokens">;

/** The limit to raise. Money that an ancestor lacks is asked for as money. */
export function limitKeyOf(code: string): string {
  return code === "hierarchical_budget_exceeded" ? "spend" : code.replace(/_exceeded$/, "");
}

/** The limit that the next turn would break. The conversation goes out again with it, so its tokens count already. */
export function findBreach(thread: Used, expectedTokens = thread.contextTokens): Breach | undefined {
  const { turns, tokens, duration_seconds } = costOf(thread);
  const { limits } = thread;
  const max = (key: LimitKey) => (typeof limits[key] === "number" ? limits[key] : Number.POSITIVE_INFINITY);
  const breach = (key: LimitKey, current: number, needs: number): Breach => ({
    code: `${key}_exceeded` as LimitCode,
    key,
    current,
    max: max(key),
    needs,
  });
  if (turns >= max("turns")) return breach("turns", turns, turns + 1);
  const next = tokens + expectedTokens;
  if (next >= max("tokens")) return breach("tokens", tokens, next + 1);
  if (duration_seconds >= max("duration")) {
    return breach("duration", duration_seconds, Math.ceil(duration_seconds) + 1);
  }
  return undefined;
}

/** What one answer may have of the tokens that are left. */
export function outputCap(thread: Used, cap: number): number {
  const max = thread.limits["tokens"];
  if (typeof max !== "number") return cap;
  const left = max - costOf(thread).tokens - thread.contextTokens;
  return Math.max(1, Math.min(cap, left));
}

/** The limit to ask for; undefined when the policy says that nobody is asked. */
export function proposal({ key, max, needs }: Breach, policy: Escalation): number | undefined {
  if (policy === "deny") return undefined;
  // A yes that changes nothing would be a lie: as often doubled, or as many steps, as the next turn needs.
  const doubled = Math.max(max, 1e-9) * 2 ** Math.max(1, Math.ceil(Math.log2(needs / Math.max(max, 1e-9))));
  if (policy === "double") return doubled;
  if ("step" in policy) {
    const step = Number(policy.step[key] ?? 0);
    return step > 0 ? max + step * Math.max(1, Math.ceil((needs - max) / step)) : doubled;
  }
  const ceiling = Number(policy.ceiling[key] ?? Number.POSITIVE_INFINITY);
  return ceiling >= needs && ceiling > max ? Math.min(doubled, ceiling) : undefined;
}

/** Limits as a person writes them (`turns=40`, `spend=2.00`); or what is wrong with them. */
export function parseLimits(
  given: Readonly<Record<string, unknown>>,
): { readonly limits: Limits } | { readonly problem: string } {
  const limits: Record<string, LimitValue> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!LIMIT_KEYS.some((known) => known === key)) {
      const [meant] = closest(key, LIMIT_KEYS);
      const hint = meant === undefined ? `there are ${LIMIT_KEYS.join(", ")}` : `did you mean ${meant}?`;
      return { problem: `there is no limit "${key}": ${hint}` };
    }
    const parsed = key === "spend" ? amount(value) : wholeNumber(value);
    if (parsed === undefined) {
      const expected = key === "spend" ? 'an amount such as "1.50"' : "a whole number above 0";
      return { problem: `${key} needs ${expected}, not ${JSON.stringify(value)}` };
    }
    limits[key] = parsed;
  }
  return { limits };
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function amount(value: unknown): string | undefined {
  const text = typeof value === "number" && value < 1e9 ? String(value) : value;
  return typeof text === "string" && (parseDollars(text) ?? 0) > 0 ? text : undefined;
}
