/** Limits as people give them: `--set turns=40` is the new limit, `--add spend=0.50` comes on top of what there is. */
import { type Breach, findBreach, type Limits, type LimitValue, parseLimits } from "../../core/limit.ts";
import { sumOf } from "../../core/limit-change.ts";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { Thread } from "../../core/thread.ts";

export interface LimitOptions {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
}

/** Collects an option that may be given more than once. */
export function another(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Throws before anything is written when a pair, a key or a value does not fit. */
export function limitsSet(pairs: readonly string[] = [], flag: "--set" | "--add" = "--set"): Limits {
  const given = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at <= 0) throw unusable(flag, pair, "limits are given as name=value, such as turns=40");
    const key = pair.slice(0, at);
    if (given.has(key)) throw unusable(flag, pair, `${oneLine(key, 30)} is given twice`);
    given.set(key, pair.slice(at + 1));
  }
  const parsed = parseLimits(Object.fromEntries(given));
  if ("problem" in parsed) throw unusable(flag, pairs.join(" "), parsed.problem);
  return parsed.limits;
}

/** Both kinds as new limits over those that hold now. */
export function limitsOver(now: Limits, { set, add }: LimitOptions): Limits {
  const limits: Record<string, LimitValue> = { ...limitsSet(set) };
  for (const [key, more] of Object.entries(limitsSet(add, "--add"))) {
    const pair = `${key}=${more}`;
    if (Object.hasOwn(limits, key)) throw unusable("--add", pair, `${key} is given to --set as well`);
    const current = now[key];
    if (current === undefined) throw unusable("--add", pair, `the thread has no ${key} limit to add to`);
    limits[key] = sumOf(current, more);
  }
  return limits;
}

/** The limit that would stop the thread again at once, among those that were given or asked for. */
export function stillBreached(thread: Thread, limits: Limits, asked?: string): Breach | undefined {
  const breach = findBreach({ ...thread, limits: { ...thread.limits, ...limits } });
  return breach && (breach.key === asked || Object.hasOwn(limits, breach.key)) ? breach : undefined;
}

function unusable(flag: string, pair: string, why: string): Problem {
  return new Problem("E_USAGE", {
    what: `${flag} ${oneLine(pair, 60)} cannot be used.`,
    why: `${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.?]$/.test(why) ? "" : "."}`,
    next: [
      { cmd: `${flag} turns=40`, why: "an example; there are turns, tokens, spend, spawns, duration, depth" },
    ],
  });
}
