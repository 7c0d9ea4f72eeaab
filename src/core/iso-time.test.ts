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
});
