import { describe, expect, test } from "vitest";
import { readThread } from "../../src/testing/index.ts";
import { family, outputs, says, send, spawn } from "./family.ts";
import { call, ID, stage, types } from "./stage.ts";

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

  test("one that waits for a person is cancelled too, once its children are", async () => {
    const s = stage(
      [{ calls: [spawn("slow")] }, { calls: [call("drop")] }, { says: "never" }],
      [
        { ...send, rounds: 100_000 },
        { name: "drop", effect: "manual" },
      ],
      {},
      {
        children: { slow },
        rights: { permissions: ["selvage.*"], ask: ["selvage.execute.tool.drop"] },
      },
    );
    const playing = s.play();
    await s.seen("thread_suspended");
    await s.ask({ kind: "cancel" });
    await playing;
    expect(await family(s)).toEqual([
      ["story", "cancelled"],
      ["slow", "cancelled"],
    ]);
    expect(types(await s.events()).slice(-3)).toEqual([
      "thread_stopping",
      "child_thread_failed",
      "thread_cancelled",
    ]);
    expect(await s.world.store.approvals({ states: ["open"] })).toEqual([]);
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
