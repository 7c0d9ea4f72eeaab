import { expect, test } from "vitest";
import type { Event } from "../../core/event.ts";
import { countsText } from "../host/host-status.ts";
import { stateChange } from "./serve-lines.ts";
import { parseShow, timeOf } from "./service-report.ts";

const now = Date.parse("2026-11-15T10:00:00.000Z");
const event = (fields: object) => ({ v: 1, seq: 1, ts: "", thread_id: "t", ...fields }) as unknown as Event;

test.each([
  [
    { type: "thread_started", run: 1 },
    { view: "running", text: "" },
  ],
  [
    { type: "thread_resumed", by: "maya" },
    { view: "running", word: "resumed", text: "by maya" },
  ],
  [
    { type: "auto_retry_start", attempt: 2, maxAttempts: 3 },
    { view: "retrying", text: "attempt 2 of 3" },
  ],
  [
    {
      type: "thread_suspended",
      reason: "limit",
      message: "turns\u001b[31m used",
      waits_for: { kind: "person" },
    },
    { view: "suspended", text: "limit: turns used" },
  ],
  [
    { type: "thread_failed", message: "no\nway" },
    { view: "error", word: "failed", text: "no way" },
  ],
  [
    { type: "thread_completed", text: "" },
    { view: "completed", text: "" },
  ],
  [
    { type: "thread_continued", to: "next" },
    { view: "continued", text: "in next" },
  ],
  [{ type: "cognition_out" }, undefined],
  [{ type: "tool_call_start" }, undefined],
])("%j", (fields, wanted) => {
  expect(stateChange(event(fields), now)).toEqual(wanted);
});

test.each([
  [{}, "0 running"],
  [{ running: 2, waiting: 1, suspended: 1 }, "3 running, 1 needs you"],
  [{ suspended: 2, orphaned: 1 }, "0 running, 2 need you, 1 left behind"],
])("%j: %s", (counts, text) => expect(countsText(counts)).toBe(text));

test("what systemctl shows", () => {
  expect(parseShow("A=1\nB=x=y \nnothing\n=z\n")).toEqual({ A: "1", B: "x=y" });
  expect(timeOf("Sun 2026-11-15 10:02:11 UTC")).toBe("2026-11-15T10:02:11.000Z");
  for (const text of [undefined, "", "n/a", "yesterday"]) expect(timeOf(text)).toBeNull();
});
