import { describe, expect, test } from "vitest";
import type { Child, ChildStatus, Wait } from "./family.ts";
import { newThread, type Step, type Thread } from "./thread.ts";
import { waitEnd } from "./wait.ts";
import { furtherBelow, joined, unheardOf, waitedAgain, waitFinished, waitStarted } from "./waiting.ts";

const NOW = Date.parse("2026-01-01T00:00:00.000Z");
const ask = {
  ...{ thread_ids: ["a", "b"], timeout: 60, require_all: true, fail_fast: false },
  ...{ cancel_siblings_on_failure: false, include_suspended: false },
};
const child = (id: string, status: ChildStatus): Child => ({
  id,
  directive: "d",
  status,
  suspensions: 0,
  told: 0,
});
const wait: Wait = {
  ...{ callId: "call_1", ids: ["a", "b"], require: 2, failFast: true, cancelSiblings: true },
  ...{ includeSuspended: true, since: "2026-01-01T00:00:00.000Z", until: "2026-01-01T00:01:00.000Z" },
};
const thread = (...children: readonly Child[]): Thread => ({
  ...{ ...newThread("t"), status: "running" },
  children: Object.fromEntries(children.map((each) => [each.id, each])),
});

describe("a wait begins", () => {
  test.each([
    [{}, 2],
    [{ require_all: false }, 1],
    [{ require: 1 }, 1],
    [{ require: 2, require_all: false }, 2],
    [{ thread_ids: ["a", "a", "a"] }, 1],
    [{ thread_ids: ["a", "a"], require: 2 }, 1],
  ])("with %j it needs %i", (more, require) => {
    expect(waitStarted("call_1", { ...ask, ...more }, NOW).require).toBe(require);
  });

  test("with the time until which it waits; or none", () => {
    expect(waitStarted("call_1", ask, NOW)).toMatchObject({
      call_id: "call_1",
      until: "2026-01-01T00:01:00.000Z",
    });
    expect(waitStarted("call_1", { ...ask, timeout: 0 }, NOW)).not.toHaveProperty("until");
  });

  test("again, as what it was, with when it began", () => {
    expect(waitedAgain({ ...thread(), wait })).toEqual({
      ...{ type: "wait_started", call_id: "call_1", thread_ids: ["a", "b"], require: 2, fail_fast: true },
      ...{ cancel_siblings_on_failure: true, include_suspended: true },
      ...{ since: wait.since, until: wait.until },
    });
    const end = { type: "thread_failed" as const, code: "E", message: "m" };
    expect(waitedAgain({ ...thread(), stopping: end })).toEqual({ type: "thread_stopping", end });
    expect(() => waitedAgain(thread())).toThrow("waits for nothing");
  });
});

describe("who is further down", () => {
  const row = (id: string, parent_id: string | null, directive = id) => ({
    ...{ thread_id: id, chain_root_id: id, parent_id, directive },
  });
  const rows = [
    row("top", null),
    row("t", "top"),
    row("a", "t"),
    row("g", "a"),
    row("h", "g"),
    row("o", "top"),
  ];
  rows.push(row("loop", "pool"), row("pool", "loop"), row("lost", "nobody"));

  test.each([
    ["a grandchild", "g", ["a"]],
    ["one below it", "h", ["g", "a"]],
    ["itself", "t", undefined],
    ["the one above", "top", undefined],
    ["a sibling", "o", undefined],
    ["a stranger", "x", undefined],
    ["nonsense in the store", "loop", undefined],
    ["one whose parent is not there", "lost", undefined],
    ["a name that every object has", "constructor", undefined],
  ])("%s", (_, id, above) => {
    expect(furtherBelow({ chainRootId: "t" }, [id], rows)).toEqual(
      above ? [{ id, directive: id, above }] : [],
    );
  });

  test("is looked for once: children and those named before are known", () => {
    const knows = { ...thread(child("a", "running")), further: { g: child("g", "completed") } };
    expect(unheardOf(knows, ["a", "g", "h", "h", "constructor"])).toEqual(["h", "constructor"]);
  });

  test("stands in the event, when there is somebody", () => {
    const further = [{ id: "g", directive: "d", above: ["a"] }];
    expect(waitStarted("call_1", ask, NOW, further)).toMatchObject({ further });
    expect(waitStarted("call_1", ask, NOW, [])).not.toHaveProperty("further");
  });
});

describe("a wait is over", () => {
  const step = {
    ...{ turn: 3, attempt: 1, startedAt: "", blocks: [], holds: 0, switches: 0, restedMs: 0 },
    calls: [{ call_id: "call_1", at: 0, tool: "wait_threads", input: {}, effect: "pure" }],
  } as unknown as Step;

  test("the model gets its result, and siblings are told to stop in the same commit", () => {
    const waits = { ...thread(child("a", "error"), child("b", "running")), wait, step };
    const end = waitEnd(waits, wait, NOW + 2_000, false);
    const { events, stops } = waitFinished(waits, end);
    expect(events).toMatchObject([
      { type: "wait_finished", call_id: "call_1", why: "failed" },
      {
        type: "tool_call_result",
        turn: 3,
        call_id: "call_1",
        status: "ok",
        source: "run",
        duration_ms: 2_000,
      },
    ]);
    const output = events[1]?.type === "tool_call_result" ? JSON.parse(events[1].output) : {};
    expect(output.threads).toMatchObject({ a: { status: "error" }, b: { status: "cancel_requested" } });
    expect(stops).toEqual([{ thread_id: "b", reason: "Sibling thread a failed", by: "t" }]);
  });

  test("at its own end there is no call: it is met, or cut short by something to do", () => {
    const atEnd = { ...wait, callId: null };
    expect(waitFinished({ ...thread(child("a", "completed")), wait: atEnd }, undefined).events).toEqual([
      { type: "wait_finished", call_id: null, why: "met" },
    ]);
    expect(waitFinished({ ...thread(child("a", "running")), wait: atEnd }, undefined).events).toEqual([
      { type: "wait_finished", call_id: null, why: "interrupted" },
    ]);
  });
});

describe("the work is done and children live", () => {
  const kin = [
    child("a", "running"),
    child("b", "created"),
    child("c", "suspended"),
    child("d", "completed"),
  ];
  const reason = "the thread that started it has done its work";
  const stop = (thread_id: string) => ({ thread_id, reason, by: "t" });

  test("they are waited for; who was never started is stopped", () => {
    const { events, stops } = joined(thread(...kin));
    expect(events).toMatchObject([
      { type: "wait_started", call_id: null, thread_ids: ["a", "b", "c"], require: 3 },
    ]);
    expect(events[0]).not.toHaveProperty("until");
    expect(stops).toEqual([stop("b")]);
  });

  test("on_exit: cancel stops them all", () => {
    expect(joined({ ...thread(...kin), onExit: "cancel" }).stops).toEqual(["a", "b", "c"].map(stop));
  });
});
