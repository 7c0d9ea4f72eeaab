/** One limit as people read it. */
import type { LimitValue } from "./limit.ts";
import { grouped, oneLine } from "./text.ts";

export function limitText(key: string, value: LimitValue | undefined): string {
  if (value === undefined) return "none";
  if (typeof value === "string") return key === "spend" ? `$${oneLine(value, 30)}` : oneLine(value, 30);
  return `${grouped(value)}${key === "duration" ? " s" : ""}`;
}
