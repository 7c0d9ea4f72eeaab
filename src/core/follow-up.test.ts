import { expect, test } from "vitest";
import { carriedFrom, takenOver } from "./context-fold.ts";
import { ahead, nextAction } from "./decide.ts";
import type { Event, NewEvent } from "./event.ts";
import { newThread, type Thread } from "./thread.ts";

const later = (id: string): NewEvent => ({
  ...{ type: "message_received", request_id: id, by: "me", text: `then ${id}`, after: "end" },
});
const folded = (events: readonly NewEvent[], from: Partial<Thread> = {}): Thread =>
  events.reduce((thread, event) => ahead(thread, event, "2026-01-01T00:00:00.000Z"), {
    ...newThread("t"),
    status: "running" as const,
    turns: 1,
    wantsMore: false,
    ...from,
  });

test("what is said for later does not stand in the conversation, and wants nothing yet", () => {
  const thread = folded([later("a"), later("b")]);
  expect(thread.followUps.map(({ text }) => text)).toEqual(["then a", "then b"]);
  expect(thread.wantsMore).toBe(false);
  expect(thread.chars).toBe(0);
});

test("instead of ending, a thread takes the oldest", () => {
  expect(nextAction(folded([later("a"), later("b")]), { now: 0 })).toEqual({
    type: "follow_up",
    said: { request_id: "a", by: "me", text: "then a" },
  });
  expect(nextAction(folded([]), { now: 0 })).toMatchObject({ type: "complete" });
  // Not while it has something to do.
  expect(nextAction(folded([later("a")], { wantsMore: true }), { now: 0 })).toMatchObject({
    type: "open_step",
  });
});

test("once it is taken it waits no more, and no other goes with it", () => {
  const thread = folded([
    later("a"),
    later("b"),
    { type: "cognition_in", source: "me", text: "then a", request_id: "a" },
  ]);
  expect(thread.followUps.map(({ request_id }) => request_id)).toEqual(["b"]);
  expect(thread.wantsMore).toBe(true);
});

test.each([
  ["running", ["a"]],
  ["error", ["a"]],
  ["completed", ["a"]],
  ["cancelled", undefined],
] as const)("a chain whose thread is %s takes along %j", (status, ids) => {
  const carried = carriedFrom(folded([later("a")], { status: "running" }), "context");
  expect(carried.follow_ups?.map(({ request_id }) => request_id)).toEqual(["a"]);
  const ended = carriedFrom({ ...folded([later("a")]), status }, "user");
  expect(ended.follow_ups?.map(({ request_id }) => request_id)).toEqual(ids);
});

test("what was said about retries goes on with the chain, and is over every setting", () => {
  const thread = folded([{ type: "auto_retry_set", request_id: "r", by: "me", enabled: false }]);
  expect(thread.autoRetry).toBe(false);
  const carried = carriedFrom(thread, "user");
  const created = { carried } as Event<"thread_created">;
  expect(takenOver(created)).toMatchObject({ autoRetry: false });
  expect(
    takenOver({ carried: carriedFrom(folded([]), "user") } as Event<"thread_created">),
  ).not.toHaveProperty("autoRetry");
});
