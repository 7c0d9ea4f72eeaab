import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatSchedule } from "./chat-file.ts";
import { messageOf } from "./chat-intake.ts";
import { owedAt, promptDueAt, quietFor } from "./chat-schedule.ts";
import { dueAfter } from "./schedule.ts";

const schedule = (when: Pick<ChatSchedule, "cron" | "once" | "zone">): ChatSchedule => ({
  ...{ id: "standup", place: "slack:C1", prompt: "What is open?" },
  ...when,
});
const at = (text: string) => Date.parse(text);

describe("what is owed", () => {
  test.each([
    ["on the minute", "0 9 * * *", "2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"],
    ["not a moment before it", "0 9 * * *", "2026-11-20T08:59:59.999Z", "2026-11-19T09:00:00Z"],
    ["the last of many that were missed", "*/5 * * * *", "2026-11-20T09:03:00Z", "2026-11-20T09:00:00Z"],
    ["of a burst in the morning its end", "0-30 9 * * *", "2026-11-20T23:59:00Z", "2026-11-20T09:30:00Z"],
    ["23 hours late", "0 9 20 * *", "2026-11-21T08:00:00Z", "2026-11-20T09:00:00Z"],
    ["a day late, nothing", "0 9 20 * *", "2026-11-21T09:00:00Z", undefined],
  ])("%s", (_, cron, now, due) => {
    expect(owedAt(schedule({ cron }), at(now))).toBe(due && at(due));
  });

  test.each([
    ["before it, nothing", "2026-11-20T08:59:59Z", undefined],
    ["when it is due", "2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"],
    ["six days late", "2026-11-26T09:00:00Z", "2026-11-20T09:00:00Z"],
    ["a week late, nothing", "2026-11-27T09:00:00Z", undefined],
  ])("of what comes once: %s", (_, now, due) => {
    expect(owedAt(schedule({ once: "2026-11-20T09:00" }), at(now))).toBe(due && at(due));
  });

  test("in the zone's own time", () => {
    const oslo = schedule({ cron: "0 9 * * *", zone: "Europe/Oslo" });
    expect(owedAt(oslo, at("2026-11-20T08:30:00Z"))).toBe(at("2026-11-20T08:00:00Z"));
  });

  test("nothing lies between it and now", () => {
    const crons = fc.constantFrom("* * * * *", "*/7 * * * *", "0-30 9 * * *", "15 */6 * * *", "0 0 1 * *");
    const moment = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2027-01-01T00:00:00Z") });
    fc.assert(
      fc.property(crons, moment, fc.constantFrom("UTC", "Europe/Oslo"), (cron, now, zone) => {
        const one = schedule({ cron, zone });
        const due = owedAt(one, now);
        if (due === undefined) expect(dueAfter(one, now - 86_400_000)).toBeGreaterThan(now);
        else {
          expect(due).toBeLessThanOrEqual(now);
          expect(dueAfter(one, due - 1)).toBe(due);
          expect(dueAfter(one, due)).toBeGreaterThan(now);
        }
      }),
    );
  });
});

test("it has one name, which no message of a platform has, and speaks as nobody", () => {
  const prompt = promptDueAt(schedule({ cron: "0 9 * * *" }), at("2026-11-20T09:00:00Z"));
  expect(prompt).toEqual({
    by: "schedule:standup",
    text: "[schedule standup] What is open?",
    messageId: "schedule:standup:2026-11-20T09:00:00.000Z",
  });
  expect(messageOf(prompt.messageId)).toBeUndefined();
});

test("nobody sleeps past what is due, nor for longer than a minute", () => {
  const now = at("2026-11-20T08:59:40Z");
  const nine = schedule({ cron: "0 9 * * *" });
  expect(quietFor([nine], now)).toBe(20_000);
  expect(quietFor([nine], now - 600_000)).toBe(60_000);
  expect(quietFor([schedule({ once: "2020-01-01T00:00" })], now)).toBe(60_000);
  expect(quietFor([schedule({ once: "2020-01-01T00:00" }), nine], now)).toBe(20_000);
});
