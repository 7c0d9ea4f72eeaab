/** A time as people write it: ISO, `02:30` (the next one), `+2h`. */
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** As an ISO time in UTC. What has passed already is refused. */
export function futureTime(text: string, now: number): string {
  const at = relative(text, now) ?? timeOfDay(text, now) ?? dated(text);
  if (at === undefined) {
    throw unusable(text, "A time is written as 2026-11-16T01:20:00Z, 01:20 or +2h, or it is the word reset.");
  }
  if (at <= now) throw unusable(text, `${shown(at)} has passed; it is ${shown(now)} now.`);
  return new Date(at).toISOString();
}

/** A time that has passed: `2h` ago, a day, or an ISO time; as an ISO time in UTC. */
export function pastTime(text: string, now: number, command = "cost", flag = "--since"): string {
  const ago = relative(`+${text}`, now);
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : undefined;
  const at = ago === undefined ? (day ?? dated(text)) : 2 * now - ago;
  if (at !== undefined && !Number.isNaN(at) && at <= now) return new Date(at).toISOString();
  const isLater = at !== undefined && at > now;
  throw new Problem("E_USAGE", {
    what: `${flag} ${oneLine(text, 40)} cannot be used.`,
    why: isLater
      ? `${shown(at)} has not come yet; it is ${shown(now)} now.`
      : "A time is written as 2h, 7d, 2026-11-16 or 2026-11-16T01:20:00Z.",
    next: [{ cmd: `selvage ${command} ${flag} 24h`, why: "counts from a day ago" }],
  });
}

function relative(text: string, now: number): number | undefined {
  const [, count, unit = ""] = /^\+(\d{1,6}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : now + Math.round(Number(count) * (UNIT_MS[unit] ?? 0));
}

/** In the reader's zone; tomorrow's when today's has passed. */
function timeOfDay(text: string, now: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** Only the ISO form: everything else that a date parser takes means something else to somebody. */
function dated(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function shown(at: number): string {
  return new Date(at).toISOString();
}

function unusable(text: string, why: string): Problem {
  return new Problem("E_USAGE", {
    what: `--at ${oneLine(text, 40)} cannot be used.`,
    why,
    next: [{ cmd: "selvage resume ID --at +2h", why: "in two hours" }],
  });
}
