import { describe, expect, test } from "vitest";
import type { Child } from "./family.ts";
import { notesOf, planSummary } from "./summary.ts";
import { newThread, type Thread } from "./thread.ts";

const hash = (text: string) =>
  [...text]
    .reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 0xffffff, 7)
    .toString(16)
    .padEnd(64, "0");
const thread: Thread = {
  ...newThread("work-1-bbbbbb"),
  ...{
    chainRootId: "work-1-aaaaaa",
    rootId: "boss-1-cccccc",
    directive: "work",
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  ...{ limits: { spend: "1.00", depth: 0 } },
};
const prepared = {
  directive: {
    name: "thread_summary",
    model: "scripted/fast",
    limits: { turns: 9, spend: "5.00" },
    body: "Notes: {input:transcript}",
    inputs: {},
    outputs: {},
    permissions: ["selvage.execute.tool.*"],
    ask: [],
    delegates: [],
  },
  inputs: { transcript: "{}" },
  tools: ["bash"],
  system: "",
};
const plan = (of: Thread = thread) =>
  planSummary(of, prepared as never, {
    limits: { turns: 3, spend: "0.02" },
    defaults: {},
    nonce: "n",
    sha256: hash,
  });

describe("the thread that makes notes", () => {
  test("is a child of the chain, with its own small budget, no rights and nobody below it", () => {
    const { birth, started } = plan();
    const [created] = birth.events;
    expect(created).toMatchObject({
      ...{ type: "thread_created", parent_id: "work-1-aaaaaa", root_id: "boss-1-cccccc" },
      ...{ chain_root_id: birth.threadId, limits: { turns: 3, spend: "0.02", depth: 0 }, tools: [] },
      rights: { permissions: [], ask: [], delegates: [] },
    });
    expect(birth.requests).toMatchObject([{ kind: "start", thread_id: birth.threadId }]);
    expect(started).toMatchObject({ child_id: birth.threadId, call_id: null, for: "summary", start: true });
  });

  test("is the same when it is planned again, and another the next time", () => {
    expect(plan()).toEqual(plan());
    const more = { ...thread, children: { x: {} as Child } };
    expect(plan(more).birth.threadId).not.toBe(plan().birth.threadId);
  });

  test("below a hook it triggers no hooks", () => {
    expect(plan().birth.events[0]).not.toHaveProperty("hook");
    expect(plan({ ...thread, forHook: "guard" }).birth.events[0]).toMatchObject({ hook: "guard" });
  });
});

describe("what it noted", () => {
  const child = (more: Partial<Child>): Thread => ({
    ...thread,
    compaction: { why: "pressure", tokens: 1, childId: "n" },
    children: { n: { id: "n", directive: "x", status: "completed", suspensions: 0, told: 0, ...more } },
  });
  const asked = { ...thread, compaction: { why: "pressure" as const, tokens: 1 } };
  test.each<[string, Thread, ReturnType<typeof notesOf>]>([
    ["is its text", child({ text: " notes " }), { summary: "notes" }],
    [
      "is what it handed back, where it did",
      child({ text: "x", outputs: { summary: "notes" } }),
      { summary: "notes" },
    ],
    ["is nothing, where it is empty", child({ text: " \n" }), { missing: "n had nothing to note" }],
    [
      "is nothing, where it failed",
      child({ status: "error", text: "half", error: "E: no" }),
      { missing: "n is error: E: no" },
    ],
    [
      "is nothing, where it was stopped",
      child({ status: "cancelled", text: "half" }),
      { missing: "n is cancelled" },
    ],
    ["is not known, where nobody was asked", asked, undefined],
    [
      "is not known, where there is no such child",
      { ...asked, compaction: { ...asked.compaction, childId: "n" } },
      undefined,
    ],
  ])("%s", (_, of, expected) => {
    expect(notesOf(of, 1_000)).toEqual(expected);
  });

  test.each(["created", "running", "suspended"] as const)(
    "comes too late while it is %s: it is told to stop",
    (status) => {
      expect(notesOf(child({ status }), 1_000)).toEqual({
        missing: `n is ${status}`,
        stops: [{ thread_id: "n", reason: "its notes came too late", by: thread.id }],
      });
    },
  );

  test("is no longer than it may be", () => {
    const notes = notesOf(child({ text: "x".repeat(90_000) }), 300);
    const summary = notes && "summary" in notes ? notes.summary : "";
    expect(summary.length).toBeLessThan(1_100);
    expect(summary).toContain("left out");
  });
});
