/** Limits as people read them: `turns 25 → 50`, `spend $0.80 → $1.20`. */
import type { Limits, LimitValue } from "../../core/limit.ts";
import { limitText } from "../../core/limit-text.ts";
import { grouped, oneLine } from "../../core/text.ts";

export { limitText };

/** `turns_exceeded` is about the limit `turns`. */
export function limitKey(code: string): string {
  return code.replace(/_exceeded$/, "");
}

/** What changes, each limit with both numbers. */
export function changeText(before: Limits, after: Limits): string {
  return Object.entries(after)
    .map(([key, value]) => `${oneLine(key, 30)} ${limitText(key, before[key])} → ${limitText(key, value)}`)
    .join(", ");
}

/** `8/25`; only the number when there is no limit. */
export function usedText(used: number, max: LimitValue | undefined): string {
  const shown = grouped(used);
  return max === undefined ? shown : `${shown}/${typeof max === "number" ? grouped(max) : max}`;
}
