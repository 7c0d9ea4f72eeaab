import { expect, test } from "vitest";
import { futureTime } from "./when.ts";

const NOW = Date.parse("2026-11-15T10:00:00.000Z");
const local = (time: string) => Date.parse(`2026-11-15T${time}`);

test.each([
  ["+2h", "2026-11-15T12:00:00.000Z"],
  ["+90s", "2026-11-15T10:01:30.000Z"],
  ["+0.5d", "2026-11-15T22:00:00.000Z"],
  ["2026-11-16T01:20:00Z", "2026-11-16T01:20:00.000Z"],
  ["2026-11-16T01:20+01:00", "2026-11-16T00:20:00.000Z"],
])("%s is %s", (text, at) => {
  expect(futureTime(text, NOW)).toBe(at);
});

test("a time of day is the next one there is", () => {
  const noon = local("12:00:00");
  expect(Date.parse(futureTime("12:30", noon))).toBe(local("12:30:00"));
  expect(Date.parse(futureTime("12:00", noon))).toBeGreaterThan(noon);
  expect(Date.parse(futureTime("9:15", noon)) - noon).toBeLessThanOrEqual(25 * 3_600_000);
});

test.each([
  ["2026-11-15T09:59:59Z", "has passed"],
  ["+0s", "has passed"],
  ["2026-02-30T25:00:00Z", "A time is written"],
  ["25:00", "A time is written"],
  ["tomorrow", "A time is written"],
  ["1763200800", "A time is written"],
  ["", "A time is written"],
])("%j is refused", (text, why) => {
  expect(() => futureTime(text, NOW)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  try {
    futureTime(text, NOW);
  } catch (error) {
    expect(String((error as { why?: string }).why)).toContain(why);
  }
});
