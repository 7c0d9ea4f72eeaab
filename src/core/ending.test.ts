import { describe, expect, test } from "vitest";
import { afterChildren } from "./ending.ts";
import type { NewEvent } from "./event.ts";
import type { Child, ChildStatus } from "./family.ts";
import { append, emptyLog } from "./log.ts";
import type { Message } from "./message.ts";
import { newThread, type Thread } from "./thread.ts";

const TS = "2026-01-01T00:00:00.000Z";
const child = (id: string, status: ChildStatus): Child => ({
  id,
  directive: "d",
  status,
  suspensions: 0,
  told: 0,
});
const thread = (...children: readonly Child[]): Thread => ({
  ...{ ...newThread("t"), status: "running" },
  children: Object.fromEntries(children.map((each) => [each.id, each])),
});
const failed: NewEvent<"thread_failed"> = { type: "thread_failed", code: "E", message: "m" };
const cancelled: NewEvent<"thread_cancelled"> = {
  type: "thread_cancelled",
  reason: "enough",
  by: "me",
  report: [],
};
const step: NewEvent = { type: "step_finish", turn: 1, duration_ms: 0 };
const gone = (child_id: string): NewEvent => ({
  ...{ type: "child_thread_failed", child_id, directive: "d", status: "cancelled", error: "e", text: "" },
  cost: { turns: 0, tokens: 0, spent: 0 },
});

describe("an end", () => {
  test("that nobody asks for is none of its business", () => {
    expect(afterChildren(thread(child("a", "running")), [step], TS)).toBeUndefined();
    // Completing is decided only when nobody lives; the store sees to that too.
    expect(afterChildren(thread(), [{ type: "thread_completed", text: "" }], TS)).toBeUndefined();
  });

  test("over nobody happens as it is", () => {
    expect(afterChildren(thread(child("a", "completed")), [step, failed], TS)).toEqual({
      events: [step, failed],
    });
  });

  test.each(["created", "running", "suspended"] as const)("over a child that is %s is put off", (status) => {
    const put = afterChildren(thread(child("a", status), child("b", "error")), [step, failed, step], TS);
    expect(put).toEqual({
      events: [step, { type: "thread_stopping", end: failed }],
      stops: [{ thread_id: "a", reason: "parent_failed", by: "t" }],
    });
  });

  test("that was asked for gives its own reason", () => {
    const put = afterChildren(thread(child("a", "running"), child("b", "created")), [cancelled], TS);
    expect(put?.stops).toEqual(["a", "b"].map((thread_id) => ({ thread_id, reason: "enough", by: "t" })));
  });

  test("counts what is told with it: the last child may end in the same commit", () => {
    const put = afterChildren(thread(child("a", "running")), [gone("a"), failed], TS);
    expect(put).toEqual({ events: [gone("a"), failed] });
    expect(
      afterChildren(thread(child("a", "running"), child("b", "running")), [gone("a"), failed], TS)?.stops,
    ).toMatchObject([{ thread_id: "b" }]);
  });

  test("of a child carries what it had said by then; of a root it does not need to", () => {
    const said: Message = { role: "assistant", blocks: [{ type: "text", text: "so far" }] };
    const messages = append<Message>(emptyLog, said);
    const put = (parentId: string | null, end: NewEvent) =>
      afterChildren({ ...thread(), parentId, messages }, [end], TS)?.events[0];
    expect(put("p", cancelled)).toEqual({ ...cancelled, text: "so far" });
    expect(put("p", { ...failed, text: "mine" })).toEqual({ ...failed, text: "mine" });
    expect(put(null, failed)).toEqual(failed);
  });
});
