/**
 * What a project may do to a value of its user's, where it touches money, rights or trust (SPEC §16): the same or
 * less, never more. The rules stand beside the keys they are for, in `settings.ts`.
 */
import type { Escalation, PerLimit } from "./settings.ts";

export interface Narrowing {
  /** Whether `above` allows nothing that `below` does not. */
  readonly allows: (below: unknown, above: unknown) => boolean;
  /** What a project may do, for the person who wrote something else. */
  readonly says: string;
}

/** Numbers, or amounts as text. */
export const lower: Narrowing = {
  allows: (below, above) => notAbove(above, below),
  says: "a project may lower this, not raise it",
};

/** Where 0 means never, which is the loosest. */
export const sooner: Narrowing = {
  allows: (below, above) => orNever(above) <= orNever(below),
  says: "a project may lower this, not raise it or set it to 0",
};

/** One of several words, of which one is the narrowest; between the others a project has no say. */
export function towards(narrowest: string | boolean): Narrowing {
  return {
    allows: (below, above) => above === below || above === narrowest,
    says: `a project may only set this to ${narrowest}`,
  };
}

/** Words from the loosest to the narrowest. */
export function onwards(...words: readonly string[]): Narrowing {
  return {
    allows: (below, above) => words.indexOf(String(above)) >= words.indexOf(String(below)),
    says: `a project may go on from ${words.join(" to ")}, not back`,
  };
}

export const escalation: Narrowing = {
  allows: (below, above) => isNoLooser(below as Escalation, above as Escalation),
  says: "a project may deny, or lower the steps and ceilings there are",
};

function isNoLooser(below: Escalation, above: Escalation): boolean {
  if (above === "deny" || above === below) return true;
  if (below === "deny" || above === "double") return false;
  // A step may be more than twice the limit; a ceiling never lets through more than doubling does.
  if (below === "double") return "ceiling" in above;
  if ("step" in below)
    return "step" in above && isNoHigher(withoutZeros(below.step), withoutZeros(above.step));
  return "ceiling" in above && isNoHigher(below.ceiling, above.ceiling);
}

/** A limit that is not named is doubled: so what `below` names must stay named. */
function isNoHigher(below: PerLimit, above: PerLimit): boolean {
  return Object.entries(below).every(([limit, most]) => {
    const value = above[limit as keyof PerLimit];
    return value !== undefined && notAbove(value, most);
  });
}

/** A step of nothing is no step: that limit is doubled. */
function withoutZeros(step: PerLimit): PerLimit {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => nanos(value) > 0n));
}

function orNever(count: unknown): number {
  return count === 0 ? Number.POSITIVE_INFINITY : Number(count);
}

function notAbove(value: unknown, most: unknown): boolean {
  return nanos(value) <= nanos(most);
}

/** Amounts have at most nine decimals; as fractions of a double, two of them might look the same. */
function nanos(value: unknown): bigint {
  const [whole = "0", fraction = ""] = String(value).split(".");
  return BigInt(whole + fraction.padEnd(9, "0"));
}
