import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import type { StoryChild, StoryHook } from "../../src/testing/story.ts";
import { family, outputs, says, send, spawn } from "./family.ts";
import { call, stage, types } from "./stage.ts";

const work = { calls: [call("send", { to: "a" })] };
const OUTPUTS = { action: { type: "string" as const }, message: { type: "string" as const } };
const answers = (action: string, message = "so it is", more: Partial<StoryChild> = {}): StoryChild => ({
  steps: [{ calls: [call("directive_return", { action, message })] }],
  outputs: OUTPUTS,
  ...more,
});
const on = (event: StoryHook["event"], directive = "guard", timeoutSeconds = 60): StoryHook => ({
  ...{ event, directive, timeoutSeconds },
});
type More = Parameters<typeof stage>[3];
const staged = (
  hooks: readonly StoryHook[],
  guard: StoryChild,
  more: More = {},
  steps = [work, { says: "done" }],
) => stage(steps, [send], {}, { hooks, ...more, children: { guard, ...more.children } });
const matched = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "hook_matched" ? [event] : []));
const started = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "child_thread_started" ? [event] : []));

test("a directive is asked before a tool: what it hands back is the answer", async () => {
  const s = staged([on("before_tool")], answers("continue"));
  await s.play();
  const events = await s.events();
  expect(await family(s)).toEqual([
    ["story", "completed"],
    ["guard", "completed"],
  ]);
  expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["send"]);
  const [child] = started(events);
  expect(child).toMatchObject({
    ...{ call_id: null, directive: "guard", start: true },
    hook: { id: "hook-1", event: "before_tool", asked_before: [] },
  });
  expect(matched(events)).toMatchObject([
    { hook: "hook-1", action: "continue", message: "so it is", child_id: child?.child_id },
  ]);
  // Parked for it: no turn of its own in between, and what follows comes after the answer.
  const order = types(events);
  expect(order.indexOf("wait_started")).toBeGreaterThan(order.indexOf("child_thread_started"));
  expect(order.indexOf("hook_matched")).toBeGreaterThan(order.indexOf("wait_finished"));
  expect(order.indexOf("tool_call_start")).toBeGreaterThan(order.indexOf("hook_matched"));
});

test("it is handed what is known at the moment", async () => {
  const s = staged([on("limit")], answers("continue"), { limits: { turns: 1, spend: "9.00" } });
  await s.play();
  const [child] = started(await s.events());
  const { events } = await s.world.store.load(child?.child_id ?? "");
  expect(events[0]).toMatchObject({
    inputs: {
      ...{ hook: "hook-1", event: "limit", code: "turns_exceeded", current: 1, max: 1, remaining: 0 },
      ...{ directive: "story", cost_turns: 1, limits_turns: 1 },
    },
    hook: "hook-1",
  });
});

test("a no before a tool: fail ends the thread, suspend asks a person about exactly this call", async () => {
  const failed = staged([on("before_tool")], answers("fail", "no mails"));
  await failed.play();
  expect(await failed.row()).toMatchObject({ status: "error", error: "Failed by hook hook-1: no mails" });
  expect(failed.universe.effects).toEqual([]);
  const asks = staged([on("before_tool")], answers("suspend", "is this right?"));
  await asks.play();
  expect(await asks.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
  const [question] = await asks.world.store.approvals({});
  expect(question?.approval).toMatchObject({
    call: { tool: "send", input: { to: "a" } },
    on_deny: "refuse_call",
  });
  await asks.approve();
  await asks.rehost();
  expect(await asks.row()).toMatchObject({ status: "completed" });
  expect(started(await asks.events())).toHaveLength(1);
});

const dies = { steps: [{ fails: { status: 401, message: "bad key" } }], outputs: OUTPUTS };
const poor = { ...answers("continue"), limits: { spend: "0.000001" } };
const asksPerson = {
  steps: [work],
  outputs: OUTPUTS,
  rights: { permissions: [], ask: ["selvage.execute.tool.send"] },
};
const slow = { steps: [{ hangs: true as const }], outputs: OUTPUTS };

test.each<[string, StoryChild, string]>([
  ["fails", dies, "failed:"],
  ["hands back nothing", says("fine, go on"), "handed back nothing"],
  ["talks nonsense", answers("sure"), "unknown action"],
  ["is out of budget", poor, "stopped for a person (limit)"],
  ["stops for a person", asksPerson, "stopped for a person (approval)"],
  ["takes too long", slow, "did not answer in its time"],
])("a guard that %s lets nobody in: a person is asked", async (_, guard, problem) => {
  const s = staged([on("before_tool")], guard);
  await s.play();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
  expect(s.universe.effects).toEqual([]);
  expect(matched(await s.events())).toMatchObject([
    { action: "suspend", problem: expect.stringContaining(problem) },
  ]);
  await s.approve();
  await s.rehost();
  expect(await s.row()).toMatchObject({ status: "completed" });
  // Nobody who is not heard any more goes on.
  expect((await family(s)).map(([, status]) => status)).not.toContain("suspended");
  expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["send"]);
});

test("one that is not there, or finds no money at all, falls over too", async () => {
  const gone = staged([on("before_tool", "nobody")], answers("continue"));
  await gone.play();
  expect(matched(await gone.events())).toMatchObject([
    { action: "suspend", problem: expect.stringContaining("There is no directive nobody") },
  ]);
  const unnamed = staged([on("before_tool")], answers("continue", "", { limits: {} }));
  await unnamed.play();
  expect(matched(await unnamed.events())).toMatchObject([
    { action: "suspend", problem: expect.stringContaining("no spend limit") },
  ]);
});

test("elsewhere one that falls over is told of and passed over", async () => {
  const s = staged([on("before_step"), on("after_complete")], dies);
  await s.play();
  expect(await s.row()).toMatchObject({ status: "completed" });
  expect(
    matched(await s.events()).map(({ event, action, problem }) => [event, action, typeof problem]),
  ).toEqual([
    ["before_step", "continue", "string"],
    ["before_step", "continue", "string"],
    ["after_complete", "continue", "string"],
  ]);
});

test.each([
  ["retry", "suspended"],
  ["continue", "suspended"],
  ["escalate", "suspended"],
  ["abort", "error"],
] as const)("a directive on a limit never lifts it: %s ends %s", async (action, status) => {
  const s = staged([on("limit")], answers(action), { limits: { turns: 1 } });
  await s.play();
  expect(await s.row()).toMatchObject({ status, turns: 1 });
  expect(matched(await s.events())).toMatchObject([{ event: "limit", action }]);
  const [question] = await s.world.store.approvals({});
  expect(question?.approval.limit_code).toBe(status === "suspended" ? "turns_exceeded" : undefined);
});

test("a limit on money leaves enough for a small question, and the question comes out of the same money", async () => {
  const s = staged(
    [on("limit")],
    answers("escalate", "mind the cost", {
      limits: { spend: "5.00", tokens: 500 },
      rights: { permissions: [] },
    }),
    {
      limits: { spend: "0.01" },
    },
  );
  await s.play();
  const events = await s.events();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
  expect(matched(events)).toMatchObject([{ event: "limit", action: "escalate", message: "mind the cost" }]);
  const [child] = started(events);
  const { events: told } = await s.world.store.load(child?.child_id ?? "");
  const [created] = told;
  expect(created?.type === "thread_created" && Number(created.limits["spend"])).toBe(0.01);
});

test("an error waits for the answer: the failure is written down first, and decided after it", async () => {
  const s = staged([on("error")], answers("suspend", "the night is over"), {}, [
    { fails: { status: 503, message: "busy" } },
    { says: "x" },
  ] as never);
  await s.play();
  expect(await s.row()).toMatchObject({
    status: "suspended",
    suspend_reason: "approval",
    error: expect.stringMatching(/^the night is over/),
  });
  expect(types(await s.events()).filter((type) => type === "error_classified")).toHaveLength(1);
});

test("an error that a directive leaves to the rules is retried as ever, each attempt asked about once", async () => {
  const fails = { fails: { status: 503, message: "busy" } };
  const s = staged([on("error")], answers("continue"), {}, [fails, fails, { says: "x" }] as never);
  await s.play();
  const events = await s.events();
  expect(await s.row()).toMatchObject({ status: "completed" });
  const retries = events.flatMap((event) =>
    event.type === "auto_retry_start" ? [[event.attempt, event.delayMs]] : [],
  );
  expect(retries).toEqual([
    [1, 2_000],
    [2, 4_000],
  ]);
  expect(started(events)).toHaveLength(2);
  expect(matched(events).map(({ point }) => point)).toEqual(["error:1:1", "error:1:2"]);
});

test("hooks before it are not asked again, hooks after it are asked when it has answered", async () => {
  const ran: string[] = [];
  const local = (name: string): StoryHook => ({
    event: "before_tool",
    when: ({ tool }) => tool === "send",
    says: () => {
      ran.push(name);
      return { action: "continue", context: { message: name } };
    },
  });
  const s = staged(
    [local("first"), on("before_tool"), local("third"), on("before_tool", "second")],
    answers("continue"),
    {
      children: { second: answers("continue") },
    },
  );
  await s.play();
  const events = await s.events();
  expect(ran).toEqual(["first", "third"]);
  expect(matched(events).map(({ hook }) => hook)).toEqual(["hook-1", "hook-2", "hook-3", "hook-4"]);
  expect(started(events).map(({ directive, hook }) => [directive, hook?.asked_before])).toEqual([
    ["guard", ["project/hook-1"]],
    ["second", ["project/hook-1", "project/hook-2", "project/hook-3"]],
  ]);
});

test("a hook triggers no hooks, nor does anybody below it; a guard on the spot stands before every tool", async () => {
  const seen: unknown[] = [];
  const guard: StoryChild = {
    steps: [
      { calls: [call("send", { to: "guard" }), spawn("leaf", { wait: true })] },
      { calls: [call("directive_return", { action: "continue", message: "" })] },
    ],
    outputs: OUTPUTS,
    limits: { spend: "3.00" },
  };
  const hooks: StoryHook[] = [
    on("before_tool"),
    on("before_step"),
    {
      event: "before_tool",
      says: ({ input }) => {
        seen.push(input);
        return { action: "continue" };
      },
    },
  ];
  const leaf = {
    steps: [{ calls: [call("send", { to: "leaf" })] }, { says: "x" }],
    limits: { spend: "1.00" },
  };
  const s = staged(hooks, guard, { limits: { spend: "50.00" }, children: { leaf } });
  await s.play();
  expect(await s.row()).toMatchObject({ status: "completed" });
  // Twice before a step, once before the one call of the thread itself.
  expect((await family(s)).filter(([directive]) => directive === "guard")).toHaveLength(3);
  expect(seen).toContainEqual({ to: "leaf" });
  expect(seen).toContainEqual({ to: "guard" });
  expect(seen).toContainEqual({ to: "a" });
});

test("a thread that may start nobody is guarded all the same, and its hooks do not count as its own", async () => {
  const s = staged([on("before_tool")], answers("continue"), {
    limits: { depth: 0, spawns: 0 },
    rights: { permissions: ["selvage.execute.tool.send"] },
  });
  await s.play();
  expect(await s.row()).toMatchObject({ status: "completed" });
  expect((await s.thread()).spawns).toBe(0);
  expect(s.universe.effects).toHaveLength(1);
});

test("its rights are the thread's, and no more", async () => {
  const guard: StoryChild = {
    steps: [work, { calls: [call("directive_return", { action: "continue", message: "" })] }],
    outputs: OUTPUTS,
  };
  const s = staged([on("before_step")], guard, { rights: { permissions: [] } }, [{ says: "done" }] as never);
  await s.play();
  expect(s.universe.effects).toEqual([]);
  const [child] = started(await s.events());
  const { events } = await s.world.store.load(child?.child_id ?? "");
  expect(outputs(events, "send")).toEqual([expect.stringContaining("Not allowed to call send")]);
});

test("a cancel ends the child as well", async () => {
  const s = staged([on("before_tool")], slow);
  const played = s.play();
  await s.seen("wait_started");
  await s.ask({ kind: "cancel" });
  await played;
  expect(await family(s)).toEqual([
    ["story", "cancelled"],
    ["guard", "cancelled"],
  ]);
  expect(s.universe.effects).toEqual([]);
});

test("a message while it waits changes nothing about the answer", async () => {
  const s = staged(
    [on("before_tool")],
    answers("continue", "", { steps: [work, ...answers("continue").steps] }),
  );
  const played = s.play();
  await s.seen("wait_started");
  await s.ask({ kind: "message", text: "hurry" });
  await played;
  expect(await s.row()).toMatchObject({ status: "completed" });
  expect(started(await s.events())).toHaveLength(1);
});
