/** How long a provider asks us to wait, from the headers of its refusal (E3). */

type Headers = Readonly<Record<string, string>>;

/** Nobody waits longer; it also keeps absurd numbers out of the journal. */
const LONGEST_MS = 31 * 86_400_000;
const BUSY = new Set([429, 503, 529]);

/** Undefined: it said nothing, or nothing that makes sense. `now` in ms since 1970. */
export function retryHint(status: number, headers: Headers, now: number): number | undefined {
  const said =
    number(headers["retry-after-ms"]) ??
    scaled(number(headers["retry-after"]), 1000) ??
    until(headers["retry-after"], now) ??
    // These stand in good answers too; only of a refusal do they say when to come back.
    (BUSY.has(status) ? resetHint(headers, now) : undefined);
  return said === undefined ? undefined : Math.min(Math.ceil(said), LONGEST_MS);
}

/** The budgets that are used up decide; where none says so, all of them do. The slowest one counts. */
function resetHint(headers: Headers, now: number): number | undefined {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const budget = budgetOf(name);
    const ms = budget && (until(value, now) ?? duration(value));
    return budget && ms !== undefined ? [{ ms, isUsedUp: headers[budget.remaining] === "0" }] : [];
  });
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp);
  const deciding = usedUp.length > 0 ? usedUp : resets;
  return deciding.length > 0 ? Math.max(...deciding.map(({ ms }) => ms)) : undefined;
}

function budgetOf(header: string): { readonly remaining: string } | undefined {
  const prefixed = /^(anthropic-ratelimit-.+)-reset$/.exec(header);
  if (prefixed) return { remaining: `${prefixed[1]}-remaining` };
  const suffixed = /^(x-ratelimit)-reset(-.+)?$/.exec(header);
  return suffixed ? { remaining: `${suffixed[1]}-remaining${suffixed[2] ?? ""}` } : undefined;
}

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined;
}

function scaled(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

/** A date of HTTP or RFC 3339 that is still to come. Numbers are no dates, whatever `Date.parse` makes of them. */
function until(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/[A-Za-z]{3},? |\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const wait = Date.parse(text) - now;
  return wait > 0 ? wait : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9}(\.\d{1,9})?(ms|s|m|h|d)){1,5}$/;

/** `1s`, `6m0s`, `1h2m3.5s`, `20ms`. */
function duration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
}
