import { expect, test } from "vitest";
import { type Progress, paced, toldBy } from "./progress.ts";

test.each([
  [["asking Oslo"], { message: "asking Oslo" }],
  [[0.5, "asking Oslo"], { message: "asking Oslo", progress: 0.5 }],
  [[0.256], { message: "26 %", progress: 0.256 }],
  [[7, "x"], { message: "x", progress: 1 }],
  [[-1, "x"], { message: "x", progress: 0 }],
  [[Number.NaN, "x"], { message: "x" }],
  [[Number.POSITIVE_INFINITY], { message: "100 %", progress: 1 }],
] as const)("%j is told as %j", (said, told) => {
  expect(toldBy([...said] as Progress)).toEqual(told);
});

test("at most once in a while, but every quarter that is done", () => {
  const isTime = paced(1_000);
  const at: readonly (readonly [number, number?])[] = [
    [0],
    [10],
    [20, 0],
    [30, 0.2],
    [40, 0.25],
    [50, 0.3],
    [60, 0.9],
    [70, 1],
    [80, 1],
    [90, 0.1],
    [1_069],
    [1_070],
  ];
  const told = at.filter(([now, progress]) => isTime(now, progress)).map(([now]) => now);
  expect(told).toEqual([0, 20, 40, 60, 70, 1_070]);
});
