import { describe, expect, test } from "vitest";
import type { Child, Wait } from "./family.ts";
import { waitEnd } from "./wait.ts";

const SINCE = "2026-01-01T00:00:00.000Z";
const NOW = Date.parse(SINCE) + 12_340;
const cost = { turns: 2, tokens: 30, spent: 1_500_000_000 };

function child(id: string, more: Partial<Child> = {}): Child {
  return { id, directive: id, status: "running", suspensions: 0, told: 0, ...more };
}
const done = (id: string, more: Partial<Child> = {}) =>
  child(id, { status: "completed", text: `${id} says`, cost, ...more });
const failed = (id: string) => child(id, { status: "error", error: "E_X: no", text: "", cost });
const stopped = (id: string) => child(id, { status: "cancelled", error: "enough", text: "so far", cost });
const stuck = (id: string, reason: NonNullable<Child["reason"]>, more: Partial<Child> = {}) =>
  child(id, { status: "suspended", reason, error: "wait", suspensions: 1, ...more });

function wait(ids: readonly string[], more: Partial<Wait> = {}): Wait {
  const flags = { failFast: false, cancelSiblings: false, includeSuspended: false };
  return { callId: "call_1", ids, require: ids.length, ...flags, since: SINCE, ...more };
}

function end(children: readonly Child[], ids: readonly string[], more: Partial<Wait> = {}, isDue = false) {
  const known = Object.fromEntries(children.map((each) => [each.id, each]));
  return waitEnd({ children: known, further: {} }, wait(ids, more), NOW, isDue);
}
const told = (ended: ReturnType<typeof end>) =>
  ended && Object.fromEntries(Object.entries(ended.result.threads).map(([id, { status }]) => [id, status]));

describe("when a wait is over", () => {
  test.each<[string, readonly Child[], Partial<Wait>, boolean, string | undefined]>([
    ["one still works", [done("a"), child("b")], {}, false, undefined],
    ["all have completed", [done("a"), done("b")], {}, false, "met"],
    ["one failed and one works: the other may matter", [failed("a"), child("b")], {}, false, undefined],
    ["nothing more can come", [failed("a"), done("b")], {}, false, "failed"],
    ["all failed", [failed("a"), stopped("b")], {}, false, "failed"],
    ["one is enough", [done("a"), child("b")], { require: 1 }, false, "met"],
    ["one is enough, and the other failed", [failed("a"), done("b")], { require: 1 }, false, "met"],
    ["one is enough, none yet", [failed("a"), child("b")], { require: 1 }, false, undefined],
    ["fail_fast: the first that fails", [failed("a"), child("b")], { failFast: true }, false, "failed"],
    ["fail_fast: one that is stopped", [stopped("a"), child("b")], { failFast: true }, false, "failed"],
    [
      "fail_fast: what is required is there",
      [failed("a"), done("b")],
      { require: 1, failFast: true },
      false,
      "met",
    ],
    ["its time is up", [done("a"), child("b")], {}, true, "timeout"],
    ["its time is up, and so is everything", [done("a"), done("b")], {}, true, "met"],
    ["its time is up, and all ended otherwise", [done("a"), failed("b")], {}, true, "failed"],
    ["a person is asked", [done("a"), stuck("b", "approval")], {}, false, undefined],
    [
      "a person is asked, and that counts",
      [done("a"), stuck("b", "approval")],
      { includeSuspended: true },
      false,
      "failed",
    ],
    [
      "asked, that counts, and one is enough",
      [done("a"), stuck("b", "limit")],
      { includeSuspended: true, require: 1 },
      false,
      "met",
    ],
    ["it has no money", [done("a"), stuck("b", "budget")], {}, false, "suspended"],
    ["it has no money, as was told", [done("a"), stuck("b", "budget", { told: 1 })], {}, false, undefined],
    [
      "it has no money again",
      [done("a"), stuck("b", "budget", { suspensions: 2, told: 1 })],
      {},
      false,
      "suspended",
    ],
    [
      "it has no money until tomorrow",
      [done("a"), stuck("b", "budget", { resumesAt: SINCE })],
      {},
      false,
      undefined,
    ],
    ["one was never started", [done("a"), child("b", { status: "created" })], {}, false, "failed"],
    [
      "one was never started, one works",
      [child("a"), child("b", { status: "created" })],
      {},
      false,
      undefined,
    ],
  ])("%s", (_, children, more, isDue, why) => {
    expect(end(children, ["a", "b"], more, isDue)?.why).toBe(why);
  });

  test("nobody is nobody to wait for", () => {
    expect(end([], [])).toMatchObject({
      why: "met",
      result: { success: true, threads: {}, total_cost: "0.0000" },
    });
  });

  test("strangers are errors; they keep nobody from coming back, and nobody waits for them", () => {
    const ended = end([done("a")], ["a", "toString", "nobody"]);
    expect(ended).toMatchObject({ why: "failed", result: { success: false, failed_thread: "toString" } });
    expect(ended?.result.threads["nobody"]).toEqual({
      status: "error",
      error: "nobody is no thread below this one",
    });
    expect(end([child("a")], ["a", "nobody"])).toBeUndefined();
    expect(end([done("a")], ["a", "nobody"], { require: 1 })?.result.success).toBe(true);
  });

  test.each([0, 1, 2, 3])("require %i of three", (require) => {
    const most = [done("a"), done("b"), child("c")];
    const ended = end(most, ["a", "b", "c"], { require });
    expect(ended?.why).toBe(require === 0 || require === 3 ? undefined : "met");
    expect(end(most, ["a", "b", "c"], { require }, true)?.result.success).toBe(require < 3);
  });
});

describe("what it comes to", () => {
  test("the truth about each, in the order they were named", () => {
    const kin = [
      done("a", { outputs: { n: 1 } }),
      failed("b"),
      stopped("c"),
      child("d"),
      stuck("e", "limit"),
    ];
    const { result } =
      end([...kin, child("f", { status: "created" })], ["f", "e", "d", "c", "b", "a", "z"], {}, true) ?? {};
    const spent = { cost: { turns: 2, tokens: 30, spend: "1.5000" } };
    expect(Object.entries(result?.threads ?? {})).toEqual([
      ["f", { status: "created" }],
      ["e", { status: "timeout", error: "limit: wait" }],
      ["d", { status: "timeout" }],
      ["c", { status: "cancelled", ...spent, result: "so far", error: "enough" }],
      ["b", { status: "error", ...spent, error: "E_X: no" }],
      ["a", { status: "completed", ...spent, result: "a says", outputs: { n: 1 } }],
      ["z", { status: "error", error: "z is no thread below this one" }],
    ]);
    expect(result).toMatchObject({
      success: false,
      failed_thread: "c",
      total_cost: "4.5000",
      elapsed_seconds: 12.3,
    });
  });

  test("what is there is never labelled as late", () => {
    expect(told(end([done("a"), failed("b"), child("c")], ["a", "b", "c"], {}, true))).toEqual({
      ...{ a: "completed", b: "error", c: "timeout" },
    });
  });

  test("before its time is up nobody is late", () => {
    expect(told(end([done("a"), child("b")], ["a", "b"], { require: 1 }))).toEqual({
      a: "completed",
      b: "running",
    });
    expect(told(end([stuck("a", "budget")], ["a"]))).toEqual({ a: "suspended" });
  });

  test("siblings that are told to stop say so until they have, and only where that was asked for", () => {
    const kin = [
      failed("a"),
      child("b"),
      stuck("c", "approval"),
      done("d"),
      child("e", { status: "created" }),
    ];
    const ids = ["a", "b", "c", "d", "e", "z"];
    const ended = end(kin, ids, { failFast: true, cancelSiblings: true });
    const reason = "Sibling thread a failed";
    expect(ended?.cancels).toEqual(["b", "c", "e"].map((id) => ({ id, reason })));
    const asked = "cancel_requested";
    expect(told(ended)).toEqual({ a: "error", b: asked, c: asked, d: "completed", e: asked, z: "error" });
    const spared = end(kin, ids, { failFast: true });
    expect(spared?.cancels).toEqual([]);
    expect(told(spared)).toMatchObject({ b: "running", c: "suspended", e: "created" });
    // Met is met: nobody is stopped for a failure that does not count.
    expect(end(kin, ids, { require: 1, failFast: true, cancelSiblings: true })?.cancels).toEqual([]);
  });

  test("long words are cut; a clock that went back is no negative time", () => {
    const [entry] = Object.values(
      end([done("a", { text: "x".repeat(50_000) })], ["a"])?.result.threads ?? {},
    );
    expect(entry?.result?.length).toBeLessThan(8_200);
    const kin = { children: { a: done("a") }, further: {} };
    const back = waitEnd(kin, wait(["a"]), Date.parse(SINCE) - 5_000, false);
    expect(back?.result.elapsed_seconds).toBe(0);
  });
});

describe("threads further down", () => {
  const down = (id: string, above: readonly string[], more: Partial<Child> = {}) =>
    done(id, { above, ...more });
  const ended = (children: Record<string, Child>, further: Record<string, Child>, ids: readonly string[]) =>
    waitEnd({ children, further }, wait(ids), NOW, false);

  test("are waited for like children, and told as what they came to", () => {
    expect(ended({}, { g: child("g", { above: ["a"] }) }, ["g"])).toBeUndefined();
    expect(ended({}, { g: stuck("g", "approval", { above: ["a"] }) }, ["g"])).toBeUndefined();
    expect(ended({}, { g: stuck("g", "budget", { above: ["a"] }) }, ["g"])?.why).toBe("suspended");
    expect(told(ended({ a: done("a") }, { g: down("g", ["a"]) }, ["a", "g"]))).toEqual({
      ...{ a: "completed", g: "completed" },
    });
    expect(told(ended({}, { g: down("g", ["a"]) }, ["x"]))).toEqual({ x: "error" });
  });

  test.each<[string, string, readonly string[]]>([
    ["it alone counts", "1.5000", ["g"]],
    ["below one that is told of, it is in what that one cost", "1.5000", ["a", "g"]],
    ["further below too", "1.5000", ["a", "h"]],
    ["both below one that is not named", "3.0000", ["g", "i"]],
    ["one of them below the other", "1.5000", ["g", "h"]],
  ])("cost what they cost, once: %s", (_, total, ids) => {
    const further = { g: down("g", ["a"]), h: down("h", ["g", "a"]), i: down("i", ["a"]) };
    expect(ended({ a: done("a") }, further, ids)?.result.total_cost).toBe(total);
  });

  test("one that lives counts nothing yet: those below it do", () => {
    const kin = { children: { a: child("a") }, further: { g: down("g", ["a"]) } };
    expect(waitEnd(kin, wait(["a", "g"]), NOW, true)?.result.total_cost).toBe("1.5000");
  });
});
