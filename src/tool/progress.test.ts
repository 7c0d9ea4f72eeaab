import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lastLine } from "./progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the first line at once, later ones once a second, the newest of them", () => {
  const told: string[] = [];
  const line = lastLine((message) => told.push(message));
  line.hear("a\n");
  line.hear("b\n");
  line.hear("c\n");
  expect(told).toEqual(["a"]);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(["a", "c"]);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(["a", "c"]);
  line.hear("d\n");
  expect(told).toEqual(["a", "c", "d"]);
});

test("escapes and blank lines are not shown, and a progress bar is its last state", () => {
  const told: string[] = [];
  lastLine((message) => told.push(message)).hear("\u001b[2K10 %\r\u001b[2K20 %\r\n\n");
  expect(told).toEqual(["20 %"]);
});

test("after the end nothing is told", () => {
  const told: string[] = [];
  const line = lastLine((message) => told.push(message));
  line.hear("a\n");
  line.hear("b\n");
  line.end();
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(["a"]);
});
