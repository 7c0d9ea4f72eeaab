import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { type Family, livingChildren, NO_FAMILY, reduceFamily, spentBelow } from "./family.ts";
import { livingOf } from "./known-below.ts";
import { waitsForChildren } from "./waits-for.ts";

const cost = { turns: 1, tokens: 2, spent: 30 };
const about = (child_id: string) => ({ child_id, directive: "d" });
const FACTS: readonly NewEvent[] = ["a", "b", "__proto__", "constructor"].flatMap((id): NewEvent[] => [
  { type: "child_thread_started", ...about(id), call_id: "c", start: true },
  { type: "child_thread_started", ...about(id), call_id: "c", start: false },
  { type: "child_thread_completed", ...about(id), text: "t", cost },
  { type: "child_thread_failed", ...about(id), status: "cancelled", error: "e", text: "", cost },
  { type: "child_thread_suspended", ...about(id), reason: "budget", message: "m" },
  { type: "child_thread_resumed", ...about(id) },
]);
const waiting: NewEvent<"wait_started"> = {
  ...{ type: "wait_started", call_id: "c", thread_ids: ["a"], require: 1, fail_fast: true },
  ...{ cancel_siblings_on_failure: true, include_suspended: true },
};
const OTHERS: readonly NewEvent[] = [
  waiting,
  { type: "wait_finished", call_id: "c", why: "met" },
  { type: "thread_stopping", end: { type: "thread_failed", code: "E", message: "m" } },
  { type: "thread_started", run: 1 },
];

let seq = 0;
function then(family: Family, event: NewEvent): Family {
  seq += 1;
  const ts = "2026-01-01T00:00:00.000Z";
  return { ...family, ...reduceFamily(family, { v: 1, seq, ts, thread_id: "t", ...event } as Event) };
}
const fold = (...events: readonly NewEvent[]) => events.reduce(then, NO_FAMILY);
const [starts, registers, completes, fails, suspends, resumes] = FACTS.slice(0, 6) as [
  NewEvent,
  NewEvent,
  NewEvent,
  NewEvent,
  NewEvent,
  NewEvent,
];

describe("the fold of a family", () => {
  test("is total: any facts in any order give one in which nobody lives who was never started", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FACTS, ...OTHERS), { maxLength: 40 }), (events) => {
        const family = fold(...events);
        const started = new Set(
          events.flatMap((event) => (event.type === "child_thread_started" ? [event.child_id] : [])),
        );
        expect(livingChildren(family).every(({ id }) => started.has(id))).toBe(true);
        expect(family.spawns).toBe(events.filter(({ type }) => type === "child_thread_started").length);
        expect(spentBelow(family)).toBeLessThanOrEqual(30 * started.size);
      }),
    );
  });

  test.each<[string, readonly NewEvent[], string | undefined]>([
    ["started", [starts], "running"],
    ["registered", [registers], "created"],
    ["registered, then let go", [registers, resumes], "running"],
    ["suspended", [starts, suspends], "suspended"],
    ["resumed", [starts, suspends, resumes], "running"],
    ["ended while suspended", [starts, suspends, fails], "cancelled"],
    ["ended stays as it ended", [starts, completes, fails, suspends, resumes], "completed"],
    ["of a stranger nothing is known", [completes, suspends, resumes], undefined],
  ])("a child that was %s", (_, events, status) => {
    const { children } = fold(...events);
    expect(children["a"]?.status).toBe(status);
  });

  test("what a child came to is kept, and counted once", () => {
    const family = fold(starts, completes, completes);
    expect(family.children["a"]).toMatchObject({ text: "t", cost });
    expect(spentBelow(family)).toBe(30);
    expect(livingChildren(family)).toEqual([]);
  });

  test("every suspension is counted, and told of by a wait that is over", () => {
    const before = fold(starts, suspends, resumes, suspends);
    expect(before.children["a"]).toMatchObject({ suspensions: 2, told: 0, reason: "budget", error: "m" });
    const told = then(then(before, waiting), { type: "wait_finished", call_id: "c", why: "suspended" });
    expect(told.children["a"]).toMatchObject({ suspensions: 2, told: 2 });
    expect(told.wait).toBeUndefined();
  });

  test("a wait has every parameter it was asked for; when it began is when it first began", () => {
    const until = "2026-01-02T00:00:00.000Z";
    expect(fold({ ...waiting, until }).wait).toEqual({
      ...{
        callId: "c",
        ids: ["a"],
        require: 1,
        failFast: true,
        cancelSiblings: true,
        includeSuspended: true,
      },
      ...{ since: "2026-01-01T00:00:00.000Z", until },
    });
    expect(fold({ ...waiting, since: "2025-01-01T00:00:00.000Z" }).wait?.since).toBe(
      "2025-01-01T00:00:00.000Z",
    );
  });

  test("who is about to end waits for nothing else", () => {
    const end = { type: "thread_failed" as const, code: "E", message: "m" };
    expect(fold(starts, waiting, { type: "thread_stopping", end })).toMatchObject({
      stopping: end,
      wait: undefined,
    });
  });
});

test("the registry says whom it waits for, and until when", () => {
  const said = (event: NewEvent) => waitsForChildren(event as Event<"wait_started">);
  expect(said(waiting)).toEqual({ kind: "children", what: "a", ids: ["a"] });
  expect(said({ ...waiting, thread_ids: ["a", "b"], until: "then" })).toEqual({
    ...{ kind: "children", what: "2 threads", ids: ["a", "b"], until: "then" },
  });
  expect(said({ ...waiting, call_id: null })).toMatchObject({ what: "its children, to end" });
  const end = { type: "thread_failed" as const, code: "E", message: "m" };
  expect(said({ type: "thread_stopping", end })).toEqual({
    ...{ kind: "children", what: "its children to stop", ids: [] },
  });
});

describe("threads further down", () => {
  const further = [{ id: "g", directive: "d", above: ["a"] }];
  const names: NewEvent = { ...waiting, thread_ids: ["g"], further };
  const reports = (status: NewEvent<"descendant_reported">["status"], more = {}): NewEvent => ({
    ...{ type: "descendant_reported", descendant_id: "g", directive: "d", status },
    ...more,
  });
  const over: NewEvent = { type: "wait_finished", call_id: "c", why: "suspended" };

  test("are known from the wait that names them, and are no children", () => {
    const family = fold(names);
    expect(family.further).toEqual({
      g: { id: "g", directive: "d", above: ["a"], status: "running", suspensions: 0, told: 0 },
    });
    expect([family.children, family.spawns, livingChildren(family), spentBelow(family)]).toEqual([
      {},
      0,
      [],
      0,
    ]);
    expect(livingOf(family, ["g", "x", "constructor"])).toEqual(["g"]);
  });

  test("are what they said last; who ended stays so, however often it is named", () => {
    const done = reports("completed", { text: "t", cost, outputs: { n: 1 } });
    const family = fold(
      names,
      reports("suspended", { reason: "budget", error: "e" }),
      reports("running"),
      done,
    );
    expect(family.further["g"]).toMatchObject({ status: "completed", text: "t", cost, suspensions: 1 });
    expect(then(then(family, reports("running")), names).further).toEqual(family.further);
    expect(spentBelow(family)).toBe(0);
    expect(livingOf(family, ["g"])).toEqual([]);
  });

  test("of who was never named nothing is taken", () => {
    expect(fold(reports("completed")).further).toEqual({});
    expect(fold(starts, reports("completed", { descendant_id: "a" })).children["a"]?.status).toBe("running");
  });

  test("each suspension is told once", () => {
    const stuck = reports("suspended", { reason: "budget", error: "e" });
    expect(fold(names, stuck).further["g"]).toMatchObject({ suspensions: 1, told: 0 });
    expect(fold(names, stuck, over).further["g"]).toMatchObject({ suspensions: 1, told: 1 });
    expect(fold(names, stuck, over, names, reports("running"), stuck).further["g"]).toMatchObject({
      ...{ suspensions: 2, told: 1 },
    });
  });
});
