import { describe, expect, test } from "vitest";
import { readThread } from "../../src/testing/index.ts";
import { call, ID, stage, types } from "./stage.ts";

const send = { name: "send", effect: "manual" as const };
const spawn = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
const says = (text: string) => ({ steps: [{ says: text }] });

type Staged = ReturnType<typeof stage>;
const family = async (s: Staged) => {
  const rows = await s.world.store.find({});
  return rows.toReversed().map((row) => [row.directive, row.status] as const);
};
const outputs = (events: readonly { type: string }[], tool: string) =>
  events.flatMap((event) => {
    const { type, tool: name, output, status } = event as unknown as Record<string, string>;
    return type === "tool_call_result" && name === tool
      ? [status === "ok" ? JSON.parse(output ?? "") : output]
      : [];
  });

describe("children (O1)", () => {
  test("a child is started, works beside its parent, and its end is told once", async () => {
    const s = stage(
      [{ calls: [spawn("child")] }, { says: "done" }],
      [],
      {},
      { children: { child: says("hi") } },
    );
    await s.play();
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["child", "completed"],
    ]);
    const events = await s.events();
    const told = events.filter(({ type }) => type.startsWith("child_thread"));
    expect(told).toMatchObject([
      { type: "child_thread_started", directive: "child", start: true },
      { type: "child_thread_completed", text: "hi", cost: { turns: 1 } },
    ]);
    const [result] = outputs(events, "thread_tool");
    expect(result).toEqual({ thread_id: expect.stringMatching(/^child-/), status: "running" });
  });

  test("wait: true comes back with what it came to, and the parent is parked meanwhile", async () => {
    const s = stage(
      [{ calls: [spawn("child", { wait: true })] }, { says: "done" }],
      [],
      {},
      {
        children: { child: says("forty-two") },
      },
    );
    await s.play();
    const [result] = outputs(await s.events(), "thread_tool");
    expect(result).toMatchObject({ success: true });
    expect(Object.values(result.threads)).toMatchObject([{ status: "completed", result: "forty-two" }]);
    expect(types(await s.events())).toContain("wait_finished");
  });

  test("what is wrong with a start is its result, and the parent goes on", async () => {
    const s = stage(
      [
        {
          calls: [
            spawn("nobody"),
            spawn("broke"),
            spawn("rich", { limits: { spend: "50" } }),
            spawn("rich", { limits: { turnz: 3 } }),
            call("thread_tool", { directive: "" }),
          ],
        },
        { says: "done" },
      ],
      [],
      {},
      { children: { broke: { ...says("x"), limits: {} }, rich: says("x") }, limits: { spend: "1.00" } },
    );
    await s.play();
    expect(outputs(await s.events(), "thread_tool")).toEqual(
      [
        expect.stringContaining("There is no directive nobody"),
        expect.stringContaining('Add limits: { spend: "0.50" }'),
        expect.stringContaining("budget_exceeded: asked $50.0000, free $"),
        expect.stringContaining("did you mean turns"),
        expect.stringContaining("directive:"),
      ].map((text) => text),
    );
    expect(await family(s)).toEqual([["story", "completed"]]);
  });

  test("a directive that it has no right to is not started", async () => {
    const s = stage(
      [{ calls: [spawn("child")] }, { says: "done" }],
      [],
      {},
      {
        children: { child: says("x") },
        rights: { permissions: ["selvage.execute.tool.*", "selvage.execute.directive.other*"] },
      },
    );
    await s.play();
    expect(outputs(await s.events(), "thread_tool")).toEqual([
      "permission_denied: its directive story does not grant the right execute.directive.child",
    ]);
  });

  test("rights only narrow: a child that declares more does not have it", async () => {
    const s = stage(
      [{ calls: [spawn("child", { wait: true })] }, { says: "done" }],
      [send],
      {},
      {
        children: { child: { steps: [{ calls: [call("send")] }, { says: "tried" }] } },
        rights: { permissions: ["selvage.execute.tool.thread_tool", "selvage.execute.directive.*"] },
      },
    );
    await s.play();
    expect(s.universe.effects).toEqual([]);
    const rows = await s.world.store.find({});
    const child = rows.find(({ directive }) => directive === "child");
    const { events } = await readThread(s.world, child?.thread_id ?? "");
    expect(outputs(events, "send")).toEqual([
      `Not allowed to call send: the right execute.tool.send is not handed on by ${ID} (story).`,
    ]);
  });

  test("outputs are checked and handed back", async () => {
    const s = stage(
      [{ calls: [spawn("child", { wait: true })] }, { says: "done" }],
      [],
      {},
      {
        children: {
          child: {
            steps: [
              { calls: [call("directive_return", { sum: "4" })] },
              { calls: [call("directive_return", { sum: 4 })] },
            ],
            outputs: { sum: { type: "number" } },
          },
        },
      },
    );
    await s.play();
    const [result] = outputs(await s.events(), "thread_tool");
    expect(Object.values(result.threads)).toMatchObject([{ status: "completed", outputs: { sum: 4 } }]);
  });

  test("one more than it may start is asked about, and then started", async () => {
    const s = stage(
      [{ calls: [spawn("child"), spawn("child")] }, { says: "done" }],
      [],
      {},
      {
        children: { child: says("x") },
        limits: { spawns: 1 },
      },
    );
    await s.play();
    expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
    await s.approve();
    await s.rehost();
    expect((await s.row()).status).toBe("completed");
    expect((await s.thread()).spawns).toBe(2);
  });

  test("depth is a wall", async () => {
    const s = stage(
      [{ calls: [spawn("a", { wait: true })] }, { says: "done" }],
      [],
      {},
      {
        children: {
          a: {
            limits: { spend: "0.40" },
            steps: [{ calls: [spawn("b", { wait: true, limits: { spend: "0.15" } })] }, { says: "a" }],
          },
          b: { steps: [{ calls: [spawn("a", { limits: { spend: "0.1" } })] }, { says: "b" }] },
        },
        limits: { depth: 2 },
      },
    );
    await s.play();
    expect((await family(s)).map(([name]) => name)).toEqual(["story", "a", "b"]);
    const rows = await s.world.store.find({});
    const { events } = await readThread(
      s.world,
      rows.find(({ directive }) => directive === "b")?.thread_id ?? "",
    );
    expect(outputs(events, "thread_tool")).toEqual([expect.stringContaining("depth_exceeded")]);
  });
});

describe("nobody is left behind (T7)", () => {
  const slow = { steps: [{ calls: [call("send")] }, { says: "late" }] };

  test("a thread that has done its work waits for its children", async () => {
    const s = stage(
      [{ calls: [spawn("slow")] }, { says: "done" }],
      [{ ...send, rounds: 50 }],
      {},
      {
        children: { slow },
      },
    );
    await s.play();
    const kinds = types(await s.events());
    expect(kinds.indexOf("child_thread_completed")).toBeLessThan(kinds.indexOf("thread_completed"));
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["slow", "completed"],
    ]);
  });

  test("on_exit: cancel stops them, and one that was never started is not waited for", async () => {
    const s = stage(
      [{ calls: [spawn("boss", { wait: true })] }, { says: "done" }],
      [{ ...send, rounds: 5_000 }],
      {},
      {
        children: {
          boss: {
            limits: { spend: "0.40" },
            steps: [{ calls: [spawn("slow", { limits: { spend: "0.15" } })] }, { says: "boss" }],
            onExit: "cancel",
          },
          slow,
        },
      },
    );
    await s.play();
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["boss", "completed"],
      ["slow", "cancelled"],
    ]);
    const t = stage(
      [{ calls: [spawn("slow", { start: false })] }, { says: "done" }],
      [send],
      {},
      { children: { slow } },
    );
    await t.play();
    expect(await family(t)).toEqual([
      ["story", "completed"],
      ["slow", "cancelled"],
    ]);
  });

  test("a thread that fails takes its children along, and ends after them", async () => {
    const s = stage(
      [{ calls: [spawn("slow")] }, { fails: { status: 401 } }],
      [{ ...send, rounds: 5_000 }],
      {},
      { children: { slow } },
    );
    await s.play();
    expect(await family(s)).toEqual([
      ["story", "error"],
      ["slow", "cancelled"],
    ]);
    const kinds = types(await s.events());
    expect(kinds.slice(-3)).toEqual(["thread_stopping", "child_thread_failed", "thread_failed"]);
  });

  test("a cancel reaches everyone below, and the thread ends last", async () => {
    const s = stage(
      [{ calls: [spawn("mid", { wait: true })] }, { says: "done" }],
      [{ ...send, rounds: 100_000 }],
      {},
      {
        children: {
          mid: {
            steps: [{ calls: [spawn("slow", { wait: true, limits: { spend: "0.15" } })] }, { says: "mid" }],
          },
          slow,
        },
      },
    );
    const playing = s.play();
    await s.seen("tool_call_start", 3);
    await s.ask({ kind: "cancel" });
    await playing;
    expect(await family(s)).toEqual([
      ["story", "cancelled"],
      ["mid", "cancelled"],
      ["slow", "cancelled"],
    ]);
    expect(await s.world.store.hosts()).toEqual([]);
  });
});

test("a cancel reaches a thread that is at work beside its children", async () => {
  const s = stage(
    [{ calls: [spawn("slow"), call("send")] }, { says: "never" }],
    [{ ...send, rounds: 100_000 }],
    {},
    { children: { slow: { steps: [{ calls: [call("send")] }, { says: "late" }] } } },
  );
  const playing = s.play();
  await s.seen("tool_call_start", 3);
  await s.ask({ kind: "cancel" });
  await playing;
  expect(await family(s)).toEqual([
    ["story", "cancelled"],
    ["slow", "cancelled"],
  ]);
  expect(s.universe.effects).toEqual([]);
});

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
