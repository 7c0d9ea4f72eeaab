/**
 * Money: whole nano-dollars, as safe integers inside and as decimal text at the edges (B1). No amount is ever a fraction
 * of a double, so sums are exact and ten times 0.10 is 1.00.
 */
const NANOS = 1_000_000_000;
const NANOS_PER_CENT = 10_000_000;
const NANOS_PER_HUNDREDTH_OF_A_CENT = 100_000;

/** As people and files write it: digits and at most nine decimals. Undefined: not that, or more than can be counted. */
export function parseDollars(text: string): number | undefined {
  const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const nanos = Number(whole) * NANOS + Number(decimals.padEnd(9, "0"));
  return Number.isSafeInteger(nanos) ? nanos : undefined;
}

/** What cannot be counted any more stays at the most that can: a store that holds more could not be read again. */
export function plus(left: number, right: number): number {
  return Math.min(left + right, Number.MAX_SAFE_INTEGER);
}

/** For data: every digit that there is, and four decimals at least. */
export function showDollars(nanos: number): string {
  const { sign, dollars, rest } = parts(nanos);
  const decimals = String(rest)
    .padStart(9, "0")
    .replace(/0{1,5}$/, "");
  return `${sign}${dollars}.${decimals}`;
}

/** For people: cents, and below a cent its hundredths. Nothing that was spent is shown as nothing. */
export function showShort(nanos: number): string {
  const { sign, dollars, rest } = parts(nanos);
  if (dollars === 0 && rest > 0 && rest < NANOS_PER_HUNDREDTH_OF_A_CENT) return `${sign}<$0.0001`;
  if (dollars === 0 && rest > 0 && rest < NANOS_PER_CENT) {
    const hundredths = Math.round(rest / NANOS_PER_HUNDREDTH_OF_A_CENT);
    return `${sign}$0.${String(hundredths).padStart(4, "0")}`;
  }
  const cents = Math.round(rest / NANOS_PER_CENT);
  const carried = cents === 100 ? { dollars: dollars + 1, cents: 0 } : { dollars, cents };
  return `${sign}$${carried.dollars}.${String(carried.cents).padStart(2, "0")}`;
}

/** Below zero too: what is left of a budget that was billed above its hold. */
function parts(nanos: number): { sign: string; dollars: number; rest: number } {
  const size = Math.abs(nanos);
  const rest = size % NANOS;
  return { sign: nanos < 0 ? "-" : "", dollars: (size - rest) / NANOS, rest };
}
