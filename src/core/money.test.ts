import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDollars, showDollars, showShort } from "./money.ts";

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe("dollars as text", () => {
  test.each<[string, number | undefined]>([
    ["0", 0],
    ["1.50", 1_500_000_000],
    ["0.1", 100_000_000],
    ["0.000000001", 1],
    ["007", 7_000_000_000],
    ["9007199.254740991", Number.MAX_SAFE_INTEGER],
    ["9007199.254740992", undefined],
    ["9007200", undefined],
    ["999999999", undefined],
    ["1.0000000000", undefined],
    ["", undefined],
    [".5", undefined],
    ["1.", undefined],
    ["-1", undefined],
    ["+1", undefined],
    ["1e3", undefined],
    ["1e-7", undefined],
    ["1,50", undefined],
    [" 1", undefined],
    ["1\n", undefined],
    ["$1", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["0x10", undefined],
    ["१", undefined],
  ])("%j is %j", (text, nanos) => {
    expect(parseDollars(text)).toBe(nanos);
  });

  test("ten times a dime is a dollar", () => {
    const dime = parseDollars("0.10") ?? 0;
    expect(Array.from({ length: 10 }, () => dime).reduce((sum, each) => sum + each, 0)).toBe(
      parseDollars("1.00"),
    );
  });
});

describe("for data", () => {
  test.each([
    [0, "0.0000"],
    [450_000_000, "0.4500"],
    [1, "0.000000001"],
    [100_000, "0.0001"],
    [123_450, "0.00012345"],
    [3_000_000_000, "3.0000"],
    [-450_000_000, "-0.4500"],
    [Number.MAX_SAFE_INTEGER, "9007199.254740991"],
  ])("%j is %s", (nanos, text) => {
    expect(showDollars(nanos)).toBe(text);
  });

  test("what is shown is read back to the last unit", () => {
    fc.assert(fc.property(amount, (nanos) => parseDollars(showDollars(nanos)) === nanos));
  });

  test("there are always four decimals, and never a needless one more", () => {
    fc.assert(fc.property(amount, (nanos) => /^\d+\.\d{4}(\d{0,4}[1-9])?$/.test(showDollars(nanos))));
  });
});

describe("for people", () => {
  test.each([
    [0, "$0.00"],
    [450_000_000, "$0.45"],
    [1_200_000, "$0.0012"],
    [10_000_000, "$0.01"],
    [9_999_999, "$0.0100"],
    [100_000, "$0.0001"],
    [99_999, "<$0.0001"],
    [1, "<$0.0001"],
    [1_999_999_999, "$2.00"],
    [1_004_999_999, "$1.00"],
    [1_005_000_000, "$1.01"],
    [1_000_000_001, "$1.00"],
    [-2_500_000_000, "-$2.50"],
    [-1, "-<$0.0001"],
    [Number.MAX_SAFE_INTEGER, "$9007199.25"],
  ])("%j is %s", (nanos, text) => {
    expect(showShort(nanos)).toBe(text);
  });

  test("something is never shown as nothing", () => {
    const some = fc.oneof(fc.integer({ min: 1, max: 20_000_000 }), amount.filter(Boolean));
    fc.assert(fc.property(some, (nanos) => !/^\$0\.0+$/.test(showShort(nanos))));
  });
});
