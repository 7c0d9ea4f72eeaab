/** Times in the reader's zone; what needs no zone is the same on every surface. */

export { age, bytes, counted, duration } from "../../core/moment.ts";

/** Wall time of an ISO text in the reader's zone, `10:01:58`. */
export function clockTime(ts: string): string {
  const when = new Date(ts);
  return [when.getHours(), when.getMinutes(), when.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** `01:20` in the reader's zone; with its date when that is more than a day away. */
export function shortTime(ts: string, now: number): string {
  const when = new Date(ts);
  const time = clockTime(ts).slice(0, 5);
  if (Math.abs(when.getTime() - now) < 86_400_000) return time;
  const date = [when.getFullYear(), when.getMonth() + 1, when.getDate()];
  return `${date.map((part) => String(part).padStart(2, "0")).join("-")} ${time}`;
}
