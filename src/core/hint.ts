/** How long a provider asks us to wait, from the headers of its refusal (E3). */

type Headers = Readonly<Record<string, string>>;

export interface Hint {
  readonly ms: number;
  /** The header that says so. */
  readonly source: string;
}

/** Nobody waits longer; it also keeps absurd numbers out of the journal. */
const LONGEST_MS = 31 * 86_400_000;
const BUSY = new Set([429, 503, 529]);

/**
 * Undefined: it said nothing, or nothing that makes sense: none, less than none, a time that has passed.
 * Names of headers in lower case; `now` in ms since 1970.
 */
export function retryHint(status: number | undefined, headers: Headers, now: number): Hint | undefined {
  const said =
    hint("retry-after-ms", number(headers["retry-after-ms"])) ??
    hint("retry-after", wait(headers["retry-after"], now)) ??
    // These stand in good answers too; only of a refusal do they say when to come back.
    (status !== undefined && BUSY.has(status) ? resetHint(headers, now) : undefined);
  return said && { ...said, ms: Math.min(Math.ceil(said.ms), LONGEST_MS) };
}

/** The budgets that are used up decide; where none says so, all of them do. The slowest one counts. */
function resetHint(headers: Headers, now: number): Hint | undefined {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const remaining = remainingOf(name);
    const found = remaining === undefined ? undefined : hint(name, wait(value, now));
    return found && remaining !== undefined ? [{ ...found, isUsedUp: headers[remaining] === "0" }] : [];
  });
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp);
  const [first, ...rest] = usedUp.length > 0 ? usedUp : resets;
  if (!first) return undefined;
  const { ms, source } = rest.reduce((slowest, other) => (other.ms > slowest.ms ? other : slowest), first);
  return { ms, source };
}

/** The header with what is left of the budget whose reset this header tells; undefined when it tells none. */
function remainingOf(header: string): string | undefined {
  const prefixed = /^(anthropic-ratelimit-.+)-reset$/.exec(header);
  if (prefixed) return `${prefixed[1]}-remaining`;
  const suffixed = /^((?:x-)?ratelimit)-reset(-.+)?$/.exec(header);
  return suffixed ? `${suffixed[1]}-remaining${suffixed[2] ?? ""}` : undefined;
}

function hint(source: string, ms: number | undefined): Hint | undefined {
  return ms !== undefined && ms > 0 ? { ms, source } : undefined;
}

/** In ms: from seconds, a duration, a date, or a moment in seconds or ms since 1970. */
function wait(text: string | undefined, now: number): number | undefined {
  const value = number(text);
  if (value === undefined)
    return text === undefined ? undefined : (until(text, now) ?? duration(text.trim()));
  if (value >= EPOCH_MS) return value - now;
  return value >= EPOCH_SECONDS ? value * 1000 - now : value * 1000;
}

/** As a wait it would be thirty years: it can only be meant as a moment. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined;
}

/** A date of HTTP or RFC 3339. Numbers are no dates, whatever `Date.parse` makes of them. */
function until(text: string, now: number): number | undefined {
  if (!/[A-Za-z]{3},? |\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment - now;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9}(\.\d{1,9})?(ms|s|m|h|d)){1,5}$/;

/** `1s`, `6m0s`, `1h2m3.5s`, `20ms`. */
function duration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
}
