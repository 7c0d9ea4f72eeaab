import { expect, test } from "vitest";
import { ahead } from "./decide.ts";
import { askAboutShortage } from "./escalation.ts";
import type { NewEvent } from "./event.ts";
import { newThread, type Thread } from "./thread.ts";

const NOW = Date.UTC(2026, 0, 1);
const needs = {
  now: NOW,
  newApprovalId: () => "ap_1",
  sha256: (text: string) => text,
  timeoutSeconds: 3_600,
  onTimeout: "remind" as const,
};
const short = { at: "root", asked: 100, free: 40 };
const then = (thread: Thread, ...events: readonly NewEvent[]) =>
  events.reduce((fold, event) => ahead(fold, event, new Date(NOW).toISOString()), thread);
const running = then(newThread("t"), { type: "thread_started", run: 1 });
const resumed: NewEvent = { type: "thread_resumed", by: "timer", run: 0, nonce: "" };
const waitOf = (events: readonly NewEvent[]) => {
  const [first] = events;
  const waits = first?.type === "thread_suspended" ? first.waits_for : undefined;
  return waits?.kind === "person" && waits.until ? Date.parse(waits.until) - NOW : undefined;
};

test("money that others hold is looked for again, later each time, five times; then a person is asked", () => {
  const waits: (number | undefined)[] = [];
  let thread = running;
  for (let time = 0; time < 7; time += 1) {
    const events = askAboutShortage(thread, { ...short, held: 60 }, needs);
    waits.push(waitOf(events));
    thread = then(thread, ...events, resumed);
  }
  expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, undefined, undefined]);
  const begun = then(thread, { type: "step_start", turn: 1 });
  expect(waitOf(askAboutShortage(begun, { ...short, held: 60 }, needs))).toBe(15_000);
});

test("money that nobody holds does not come by itself", () => {
  expect(waitOf(askAboutShortage(running, { ...short, held: 59 }, needs))).toBeUndefined();
});
