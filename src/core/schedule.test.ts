import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cron, dueAfter, isZone, nextDue, onceAt, parseCron } from "./schedule.ts";

const at = (text: string) => Date.parse(text);
function cron(text: string): Cron {
  const read = parseCron(text);
  if ("why" in read) throw new Error(read.why);
  return read.cron;
}
const shown = (due: number | undefined) =>
  due === undefined ? undefined : new Date(due).toISOString().slice(0, 16);

describe("cron", () => {
  test.each([
    ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01"],
    ["* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01"],
    ["0 9 * * *", "2026-01-01T09:00:00Z", "2026-01-02T09:00"],
    ["0 9 * * 1-5", "2026-01-02T10:00:00Z", "2026-01-05T09:00"],
    ["0 9 * * mon,WED", "2026-01-05T09:00:00Z", "2026-01-07T09:00"],
    ["*/15 8-9 * * *", "2026-01-01T08:45:00Z", "2026-01-01T09:00"],
    ["5/20 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:05"],
    ["0 0 1,15 * *", "2026-01-02T00:00:00Z", "2026-01-15T00:00"],
    ["0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00"],
    ["0 0 31 * *", "2026-02-01T00:00:00Z", "2026-03-31T00:00"],
    ["0 0 29 feb *", "2025-03-01T00:00:00Z", "2028-02-29T00:00"],
    ["0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00"],
    ["0 0 */30 2 1", "2027-02-01T00:00:00Z", "2038-02-01T00:00"],
    // Both days said: either is enough.
    ["0 0 13 * 5", "2026-01-10T00:00:00Z", "2026-01-13T00:00"],
    ["0 0 13 * 5", "2026-01-13T00:00:00Z", "2026-01-16T00:00"],
    ["0 0 */2 * 5", "2026-01-01T00:00:00Z", "2026-01-09T00:00"],
  ])("%s after %s", (text, after, due) => {
    expect(shown(nextDue(cron(text), at(after)))).toBe(due);
  });

  test.each([
    ["0 9 * * 1-5", "Europe/Oslo", "2026-01-02T07:00:00Z", "2026-01-02T08:00"],
    ["0 9 * * *", "Europe/Oslo", "2026-07-01T00:00:00Z", "2026-07-01T07:00"],
    ["30 8 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T03:00"],
    ["0 1 * * *", "America/Los_Angeles", "2026-01-01T00:00:00Z", "2026-01-01T09:00"],
    ["0 12 * * *", "Pacific/Kiritimati", "2026-01-01T00:00:00Z", "2026-01-01T22:00"],
    // An hour that is left out is caught up; one that comes twice counts once.
    ["30 2 * * *", "Europe/Oslo", "2026-03-28T12:00:00Z", "2026-03-29T01:30"],
    ["0 3 * * *", "Europe/Oslo", "2026-03-28T12:00:00Z", "2026-03-29T01:00"],
    ["30 2 * * *", "Europe/Oslo", "2026-10-24T12:00:00Z", "2026-10-25T00:30"],
    ["30 2 * * *", "Europe/Oslo", "2026-10-25T00:30:00Z", "2026-10-26T01:30"],
  ])("%s in %s after %s", (text, zone, after, due) => {
    expect(shown(nextDue(cron(text), at(after), zone))).toBe(due);
  });

  test.each([
    ["", "expected five fields"],
    ["* * * *", "expected five fields (minute hour day month weekday), not 4"],
    [
      "60 * * * *",
      'minute: expected *, numbers from 0 to 59, ranges (1-5), lists (1,3) or steps (*/5), not "60"',
    ],
    ["* 24 * * *", "hour"],
    ["* * 0 * *", "day"],
    ["* * * 13 *", "month"],
    ["* * * * 8", "weekday"],
    ["*/0 * * * *", "minute"],
    ["5-1 * * * *", "minute"],
    ["1,,2 * * * *", "minute"],
    ["a * * * *", "minute"],
    ["0 0 31 2 *", "no day ever fits it"],
  ])("%j is none: %s", (text, why) => {
    expect(parseCron(text)).toEqual({ why: expect.stringContaining(why) });
  });

  test("what is due is later, fits, and nothing before it does", () => {
    const field = (least: number, most: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min: least, max: most }).map(String),
        fc.integer({ min: 2, max: 9 }).map((n) => `*/${n}`),
      );
    const text = fc
      .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
      .map((parts) => parts.join(" "));
    const zones = fc.constantFrom("UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe");
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 2_000_000_000 }), zones, (said, seconds, zone) => {
        const after = seconds * 1_000;
        const due = nextDue(cron(said), after, zone);
        if (due === undefined) throw new Error("never");
        expect(due).toBeGreaterThan(after);
        expect(due % 60_000).toBe(0);
        // Asked from just before it, the answer is the same.
        expect(nextDue(cron(said), due - 1, zone)).toBe(due);
      }),
      { numRuns: 300 },
    );
  });
});

describe("once", () => {
  test.each([
    ["2026-11-20T09:00", undefined, "2026-11-20T09:00"],
    ["2026-11-20T09:00:00Z", "Europe/Oslo", "2026-11-20T09:00"],
    ["2026-11-20T09:00+02:00", undefined, "2026-11-20T07:00"],
    ["2026-11-20T09:00", "Europe/Oslo", "2026-11-20T08:00"],
    ["2026-07-01T09:00", "Europe/Oslo", "2026-07-01T07:00"],
    ["2026-02-30T09:00", undefined, undefined],
    ["2026-11-20", undefined, undefined],
    ["tomorrow", undefined, undefined],
    ["2026-11-20T25:00", undefined, undefined],
  ])("%s in %s", (text, zone, due) => {
    expect(shown(onceAt(text, zone))).toBe(due);
  });

  test("is due until it has come", () => {
    const once = { once: "2026-11-20T09:00" };
    expect(shown(dueAfter(once, at("2026-11-20T08:59:59Z")))).toBe("2026-11-20T09:00");
    expect(dueAfter(once, at("2026-11-20T09:00:00Z"))).toBeUndefined();
    expect(shown(dueAfter({ cron: "0 9 * * *", zone: "Europe/Oslo" }, at("2026-01-01T00:00:00Z")))).toBe(
      "2026-01-01T08:00",
    );
    expect(dueAfter({ cron: "no" }, 0)).toBeUndefined();
  });
});

test("zones are known by name", () => {
  expect([isZone("UTC"), isZone("Europe/Oslo"), isZone("Europe/Atlantis"), isZone("")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
