import { getEventListeners } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a sleep lasts at least as long as asked, on the clock that never jumps", async () => {
  const before = realClock.monotonic();
  await realClock.sleep(20);
  expect(realClock.monotonic() - before).toBeGreaterThanOrEqual(20);
});

test("a sleep of forty days is not cut short by the overflow of timers", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "hrtime"] });
  const days = 24 * 3_600_000;
  let woke = false;
  const sleeping = realClock.sleep(40 * days).then(() => {
    woke = true;
  });
  await vi.advanceTimersByTimeAsync(40 * days - 1);
  expect(woke).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await sleeping;
  expect(woke).toBe(true);
});

test("an abort ends a sleep at once and leaves no listener behind", async () => {
  const controller = new AbortController();
  const sleeping = realClock.sleep(Number.POSITIVE_INFINITY, controller.signal);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  controller.abort();
  await sleeping;
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
});

test("a sleep that runs out leaves no listener behind either", async () => {
  const { signal } = new AbortController();
  await realClock.sleep(1, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test.each([0, -5, Number.NaN])("a sleep of %s ms returns at once", async (ms) => {
  await realClock.sleep(ms);
});

test("with a signal that has already aborted there is no sleep", async () => {
  await realClock.sleep(Number.POSITIVE_INFINITY, AbortSignal.abort());
});

test("wall time is the time of day", () => {
  expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(1_000);
});
