import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTime } from "./iso-time.ts";

describe("isoTime", () => {
  it.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [1_700_000_000_001, "2023-11-14T22:13:20.001Z"],
    [0, "1970-01-01T00:00:00.000Z"],
  ])("writes %d as %s, whatever was asked before", (ms, text) => {
    expect(isoTime(ms)).toBe(text);
  });

  it("throws on what is no time, and is not confused by it", () => {
    expect(() => isoTime(Number.NaN)).toThrow(RangeError);
    expect(isoTime(1)).toBe("1970-01-01T00:00:00.001Z");
    expect(() => isoTime(Number.POSITIVE_INFINITY)).toThrow(RangeError);
    expect(isoTime(1)).toBe("1970-01-01T00:00:00.001Z");
  });

  /** Close to each other, and in any order: what is kept of one must not be seen in the next. */
  it("writes every time as the language does", () => {
    const moment = fc.oneof(
      fc.integer({ min: -70_000_000_000_000, max: 300_000_000_000_000 }),
      fc.double({ min: 0, max: 4_000_000_000_000, noNaN: true }),
    );
    const steps = fc.array(fc.integer({ min: -1_500, max: 1_500 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(moment, steps, (start, ways) => {
        let at = start;
        for (const way of ways) {
          at += way;
          expect(isoTime(at)).toBe(new Date(at).toISOString());
        }
      }),
    );
  });
});
