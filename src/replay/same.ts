/**
 * Whether an event that would be written now is the one that was written then. What was measured cannot be the same:
 * durations are taken as they were, and a time that was computed a moment before its commit may lie a little off.
 */
import type { Event, NewEvent } from "../core/event.ts";
import type { Difference } from "../core/replayed.ts";

/** Between a decision and the commit of it a disk may take its time. */
const LATENESS_MS = 5_000;
const MEASURED = ["duration_ms"];
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const ELAPSED = /"elapsed_seconds":\d+(?:\.\d+)?/g;

/** The event's own fields. */
export function fieldsOf(event: Event): NewEvent {
  const { v: _v, seq: _seq, ts: _ts, thread_id: _id, ...fields } = event;
  return fields as NewEvent;
}

export function differences(recorded: NewEvent, now: NewEvent): Difference[] {
  const found = compare("", plain(recorded), plain(now));
  // A digest is of the words that were shown, with the times in them: those were compared.
  const timed = recorded.type === "approval_requested" && new RegExp(TIMES).test(recorded.prompt);
  return timed && found.every(({ field }) => field === "digest") ? [] : found;
}

/** As it is stored: what is undefined is not there. */
function plain(event: NewEvent): unknown {
  return JSON.parse(JSON.stringify(event));
}

function compare(field: string, recorded: unknown, now: unknown): Difference[] {
  if (isMapping(recorded) && isMapping(now)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(now)])];
    return keys
      .filter((key) => !MEASURED.includes(key))
      .flatMap((key) => compare(field === "" ? key : `${field}.${key}`, recorded[key], now[key]));
  }
  if (Array.isArray(recorded) && Array.isArray(now)) {
    if (recorded.length !== now.length) return [{ field, recorded, now }];
    return recorded.flatMap((item, at) => compare(`${field}[${at}]`, item, now[at]));
  }
  const isSame =
    typeof recorded === "string" && typeof now === "string" ? sameText(recorded, now) : recorded === now;
  return isSame ? [] : [{ field, recorded, now }];
}

function sameText(recorded: string, now: string): boolean {
  if (recorded === now) return true;
  const [then, later] = [recorded.match(TIMES) ?? [], now.match(TIMES) ?? []];
  const near = then.every(
    (time, at) => Math.abs(Date.parse(time) - Date.parse(later[at] ?? "")) <= LATENESS_MS,
  );
  return near && then.length === later.length && timeless(recorded) === timeless(now);
}

function timeless(text: string): string {
  return text.replace(TIMES, "TIME").replace(ELAPSED, "ELAPSED");
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
