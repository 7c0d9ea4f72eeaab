/** Limits that somebody changes ahead of time: set to a value, or raised by so much, over those that hold. */
import type { Event, NewEvent } from "./event.ts";
import { type Limits, type LimitValue, parseLimits } from "./limit.ts";
import { parseDollars } from "./money.ts";
import type { Request } from "./request.ts";

export interface LimitChange {
  readonly set?: Limits | undefined;
  readonly add?: Limits | undefined;
}

/** Only what becomes another value; or what is wrong with it, in words. */
export function changedLimits(
  now: Limits,
  { set = {}, add = {} }: LimitChange,
): { readonly limits: Limits } | { readonly problem: string } {
  const over = parseLimits(set);
  const more = parseLimits(add);
  if ("problem" in over) return over;
  if ("problem" in more) return more;
  const wanted: Record<string, LimitValue> = { ...over.limits };
  for (const [key, value] of Object.entries(more.limits)) {
    const current = now[key];
    if (Object.hasOwn(wanted, key)) return { problem: `${key} is set and added to at once` };
    if (current === undefined) return { problem: `the thread has no ${key} limit to add to` };
    wanted[key] = sumOf(current, value);
  }
  // A sum may be more than can be counted.
  const whole = parseLimits(wanted);
  if ("problem" in whole) return whole;
  const changed = Object.entries(whole.limits).filter(([key, to]) => !isSame(now[key], to));
  return { limits: Object.fromEntries(changed) };
}

/** What the owner writes down: a change, why there is none, or nothing where nothing would change. */
export function answerToBudget(
  { limits: now }: { readonly limits: Limits },
  { by, request_id, set, add }: Request & { readonly kind: "budget" },
): NewEvent[] {
  const changed = changedLimits(now, { set, add });
  if ("problem" in changed) {
    return [{ type: "budget_changed", by, limits: {}, request_id, refused: changed.problem }];
  }
  const { limits } = changed;
  return Object.keys(limits).length === 0 ? [] : [{ type: "budget_changed", by, limits, request_id }];
}

/** Amounts are decimal text: floats would not add up. */
export function sumOf(current: LimitValue, more: LimitValue): LimitValue {
  if (typeof current === "number" && typeof more === "number") return current + more;
  const total = nanos(current) + nanos(more);
  const part = String(total % NANOS).padStart(DIGITS, "0");
  return `${total / NANOS}.${part.replace(/0+$/, "").padEnd(2, "0")}`;
}

const DIGITS = 9;
const NANOS = 1_000_000_000n;

function nanos(amount: LimitValue): bigint {
  const [, whole = "0", part = ""] = /^(\d+)(?:\.(\d{1,9}))?$/.exec(String(amount)) ?? [];
  return BigInt(whole) * NANOS + BigInt(part.padEnd(DIGITS, "0"));
}

/** Money is the same however many zeros stand behind it. */
function isSame(left: LimitValue | undefined, right: LimitValue): boolean {
  if (left === undefined) return false;
  if (typeof left === "number" && typeof right === "number") return left === right;
  return parseDollars(String(left)) === parseDollars(String(right));
}

/** One change of limits, as the journal tells it. */
export interface LimitsChanged {
  readonly at: string;
  readonly by: string;
  /** What held before, of the limits that changed; a limit that was not there is not in it. */
  readonly from: Limits;
  readonly to: Limits;
  /** Why nothing changed. */
  readonly refused: string | null;
  readonly requestId: string | null;
}

/** The oldest first. */
export function limitHistory(events: readonly Event[]): LimitsChanged[] {
  let now: Limits = {};
  return events.flatMap((event): LimitsChanged[] => {
    if (event.type === "thread_created") now = event.limits;
    if (event.type !== "budget_changed") return [];
    const { ts: at, by, limits: to, refused = null, request_id: requestId = null } = event;
    const from = Object.fromEntries(Object.entries(now).filter(([key]) => Object.hasOwn(to, key)));
    now = { ...now, ...to };
    return [{ at, by, from, to, refused, requestId }];
  });
}
