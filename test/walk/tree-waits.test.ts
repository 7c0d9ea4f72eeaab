import { describe, expect, test } from "vitest";
import { defaultSettings } from "../../src/core/settings.ts";
import { readThread } from "../../src/testing/index.ts";
import { family, outputs, says, send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

describe("waits (O2, O3)", () => {
  const good = says("good");
  const bad = { steps: [{ fails: { status: 401 } }] };
  const slow = { steps: [{ calls: [call("send")] }, { says: "late" }] };
  const asks = {
    steps: [{ calls: [call("send")] }, { says: "allowed" }],
    rights: { ask: ["selvage.execute.tool.send"] },
  };
  const children = { good, bad, slow, asks };

  /** Starts children, then waits for all of them, with whatever else the wait is given. */
  function waiting(names: readonly string[], more: Record<string, unknown> = {}, rounds = 200) {
    const s = stage([], [{ ...send, rounds }], {}, { children });
    const ids = async () => {
      const rows = (await s.world.store.find({})).toReversed();
      return rows.slice(1).map(({ thread_id }) => thread_id);
    };
    return { s, ids, names, more };
  }
  /** The ids are known only when the children are there: the script is made of the calls' own keys. */
  async function played({ names, more }: ReturnType<typeof waiting>, rounds = 200) {
    const probe = stage(
      [{ calls: names.map((name) => spawn(name)) }, { says: "x" }],
      [{ ...send, rounds }],
      {},
      { children },
    );
    probe.play().catch(() => {});
    await probe.seen("child_thread_started", names.length);
    const started = (await probe.events()).filter((event) => event.type === "child_thread_started");
    const thread_ids = started.map((event) => ("child_id" in event ? event.child_id : ""));
    await probe.first.kill();
    const s = stage(
      [
        { calls: names.map((name) => spawn(name)) },
        { calls: [call("wait_threads", { thread_ids, ...more })] },
        { says: "done" },
      ],
      [{ ...send, rounds }],
      {},
      { children },
    );
    return { s, thread_ids };
  }
  const statuses = (result: { threads: Record<string, { status: string }> }) =>
    Object.values(result.threads).map(({ status }) => status);

  test("all of them; the truth about each; what they cost", async () => {
    const { s } = await played(waiting(["good", "bad", "slow"]));
    await s.play();
    const [result] = outputs(await s.events(), "wait_threads");
    expect(statuses(result)).toEqual(["completed", "error", "completed"]);
    expect(result).toMatchObject({ success: false, failed_thread: expect.stringMatching(/^bad-/) });
    expect(Number(result.total_cost)).toBeGreaterThan(0);
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["good", "completed"],
      ["bad", "error"],
      ["slow", "completed"],
    ]);
  });

  test("one is enough: the others go on and are told as running", async () => {
    const { s } = await played(waiting(["slow", "good"], { require_all: false }));
    await s.play();
    const [result] = outputs(await s.events(), "wait_threads");
    expect(result.success).toBe(true);
    expect(statuses(result)).toEqual(["running", "completed"]);
  });

  test("fail_fast comes back at the first failure; siblings are asked to stop, and say so until they have", async () => {
    const { s } = await played(
      waiting(["slow", "bad"], { fail_fast: true, cancel_siblings_on_failure: true }),
      100_000,
    );
    await s.play();
    const [result] = outputs(await s.events(), "wait_threads");
    expect(statuses(result)).toEqual(["cancel_requested", "error"]);
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["slow", "cancelled"],
      ["bad", "error"],
    ]);
    const rows = await s.world.store.find({});
    const { events } = await readThread(
      s.world,
      rows.find(({ directive }) => directive === "slow")?.thread_id ?? "",
    );
    expect(events.find(({ type }) => type === "thread_cancelled")).toMatchObject({
      reason: expect.stringMatching(/^Sibling thread bad-.* failed$/),
    });
  });

  test("a time-out reports each child and harms none", async () => {
    const { s } = await played(waiting(["asks", "good"], { timeout: 60 }));
    await s.play();
    const [result] = outputs(await s.events(), "wait_threads");
    expect(statuses(result)).toEqual(["timeout", "completed"]);
    // The thread then waits at its end for the one that waits for a person.
    expect(await s.row()).toMatchObject({ status: "running", waits_for: { kind: "children" } });
    await s.approve();
    await s.rehost();
    expect((await s.row()).status).toBe("completed");
  });

  test("a suspended child does not end a wait, unless that is asked for", async () => {
    const { s } = await played(waiting(["asks"], { timeout: 0 }));
    await s.play();
    expect(await s.row()).toMatchObject({ status: "running", waits_for: { kind: "children" } });
    await s.approve();
    await s.rehost();
    expect(statuses(outputs(await s.events(), "wait_threads")[0])).toEqual(["completed"]);
    const other = await played(waiting(["asks"], { include_suspended: true }));
    await other.s.play();
    expect(statuses(outputs(await other.s.events(), "wait_threads")[0])).toEqual(["suspended"]);
  });

  test("strangers, itself and nonsense are told as such", async () => {
    const s = stage(
      [
        { calls: [call("wait_threads", { thread_ids: [ID, "nobody-1-aaaaaa"] })] },
        { calls: [call("wait_threads", { thread_ids: [] })] },
        { calls: [call("wait_threads", { thread_ids: ["a"], require: 2 })] },
        { calls: [call("wait_threads", { thread_ids: ["a"], cancel_siblings_on_failure: true })] },
        { calls: [call("wait_threads", { thread_ids: Array.from({ length: 1_001 }, (_, n) => `t-${n}`) })] },
        { says: "done" },
      ],
      [],
      {},
      { children },
    );
    await s.play();
    const [first, ...others] = outputs(await s.events(), "wait_threads");
    expect(statuses(first)).toEqual(["error", "error"]);
    expect(others).toEqual([
      expect.stringContaining("thread_ids"),
      "require: there are fewer threads than that",
      "cancel_siblings_on_failure: it needs fail_fast",
      expect.stringContaining("thread_ids"),
    ]);
    expect((await s.row()).status).toBe("completed");
  });

  test.each([
    ["a price", {}, {}],
    // Nothing is held for it, so nothing is written down between the retry and the answer.
    ["no price and no cap", { price: undefined }, { limits: { ...defaultSettings.limits, defaults: {} } }],
  ])("a wait that is asked for after a retry has its whole time, with %s", async (_, model, settings) => {
    const { thread_ids } = await played(waiting(["asks"]));
    const s = stage(
      [
        { calls: [spawn("asks")] },
        { fails: { status: 503 } },
        { calls: [call("wait_threads", { thread_ids, timeout: 600 })] },
        { says: "done" },
      ],
      [send],
      settings as object,
      { children: { asks: { ...asks, limits: { spend: "shared" } } }, model: model as object },
    );
    await s.play();
    const [result] = outputs(await s.events(), "wait_threads");
    expect(statuses(result)).toEqual(["timeout"]);
    expect(result.elapsed_seconds).toBeGreaterThanOrEqual(600);
  });

  test("a wait survives the death of everybody", async () => {
    const { s } = await played(waiting(["slow", "good"], { timeout: 0 }), 100_000);
    s.play().catch(() => {});
    await s.seen("wait_started");
    await s.first.kill();
    const next = s.universe.open();
    await s.rehost(next);
    const { thread, events } = await readThread(next.world, ID);
    expect(thread.status).toBe("completed");
    expect(events.filter(({ type }) => type === "wait_started")).toHaveLength(1);
    expect(statuses(outputs(events, "wait_threads")[0])).toEqual(["completed", "completed"]);
  });
});
