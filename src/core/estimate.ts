/**
 * What a thread may still take until it is done (R3). Nobody knows how many turns that needs: what its limits leave, at
 * its average so far, is the most it can be before a person is asked. An estimate, and called so wherever it is shown.
 */
import { costOf } from "./cost.ts";
import { spentBelow } from "./family.ts";
import { parseDollars } from "./money.ts";
import type { Thread } from "./thread.ts";

export interface Estimate {
  /** At most so many more, before one of its limits is reached: which one. */
  readonly turns: number;
  readonly limit: "turns" | "tokens" | "spend" | "duration";
  /** What these would come to, in nano-dollars; null where nobody knows what its turns cost. */
  readonly spend: number | null;
  readonly seconds: number;
  /** So many turns the averages are of. */
  readonly sample: number;
}

type Measured = Pick<Thread, "turns" | "usage" | "activeMs" | "spent" | "spawns" | "limits" | "children">;

/** Undefined while it has not had a turn, and where none of its limits tells how far it may go. */
export function estimateToFinish(thread: Measured): Estimate | undefined {
  const { turns: sample, limits, activeMs, spent } = thread;
  if (sample === 0) return undefined;
  const { tokens } = costOf(thread);
  const cap = limits["spend"] === undefined ? undefined : parseDollars(String(limits["spend"]));
  const left = (max: unknown, used: number) =>
    typeof max === "number" ? Math.max(0, max - used) : undefined;
  const bounds = [
    bound("turns", left(limits["turns"], sample), 1),
    bound("tokens", left(limits["tokens"], tokens), tokens / sample),
    bound("spend", left(cap, spent + spentBelow(thread)), spent / sample),
    bound("duration", left(limits["duration"], activeMs / 1_000), activeMs / 1_000 / sample),
  ].flatMap((found) => found ?? []);
  const [least] = bounds.sort((one, other) => one.turns - other.turns);
  if (!least) return undefined;
  const isUnpriced = spent === 0 && tokens > 0;
  return {
    ...least,
    spend: isUnpriced ? null : Math.round((spent / sample) * least.turns),
    seconds: Math.round((activeMs / 1_000 / sample) * least.turns),
    sample,
  };
}

function bound(limit: Estimate["limit"], left: number | undefined, each: number) {
  return left === undefined || each <= 0 ? undefined : { limit, turns: Math.floor(left / each) };
}
