import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import type { Facts, HookResult } from "../../src/core/hook.ts";
import { toArray } from "../../src/core/log.ts";
import type { StoryHook } from "../../src/testing/story.ts";
import { call, stage, types } from "./stage.ts";

const send = [{ name: "send", effect: "manual" as const }];
const work = { calls: [call("send", { to: "a" })] };
type Says = Extract<StoryHook, { says: unknown }>["says"];
const on = (event: StoryHook["event"], says: Says | HookResult): StoryHook => ({
  event,
  says: typeof says === "function" ? says : () => says,
});
const matched = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "hook_matched" ? [`${event.event} ${event.action}`] : []));

test("each moment, once, with what is known at it", async () => {
  const told: [string, Facts][] = [];
  const every = (["before_step", "before_tool", "after_tool", "after_step", "after_complete"] as const).map(
    (event) =>
      on(event, (facts) => {
        told.push([event, facts]);
        return { action: "continue" };
      }),
  );
  const { play, row } = stage([work, { says: "done" }], send, {}, { hooks: every, limits: { turns: 9 } });
  await play();
  expect(await row()).toMatchObject({ status: "completed" });
  expect(told.map(([event]) => event)).toEqual([
    "before_step",
    "before_tool",
    "after_tool",
    "after_step",
    "before_step",
    "after_step",
    "after_complete",
  ]);
  expect(told[1]?.[1]).toMatchObject({
    directive: "story",
    turn: 1,
    tool: "send",
    input: { to: "a" },
    cost: { turns: 1 },
    limits: { turns: 9 },
  });
  expect(told[2]?.[1]).toMatchObject({ result: 'send did {"to":"a"}' });
  expect(told.at(-1)?.[1]).toMatchObject({ result: "done" });
});

test.each(["fail", "abort"] as const)(
  "%s before a tool ends the thread, and leaves a whole conversation",
  async (action) => {
    const { play, row, universe, thread } = stage(
      [work, { says: "never" }],
      send,
      {},
      { hooks: [on("before_tool", { action, message: "no mails" })] },
    );
    await play();
    expect(await row()).toMatchObject({
      status: "error",
      error: expect.stringMatching(/(Failed|Aborted) by hook hook-1: no mails/),
    });
    expect(universe.effects).toEqual([]);
    expect(toArray((await thread()).messages).at(-1)).toMatchObject({
      role: "tool",
      results: [{ status: "stopped" }],
    });
  },
);

test("a hook that asks before a tool: the whole call is shown, bound by a digest, and runs after the yes", async () => {
  const hooks = [on("before_tool", ({ tool }) => ({ action: tool === "drop" ? "suspend" : "continue" }))];
  const tools = [...send, { name: "drop", effect: "manual" as const }];
  const steps = [{ calls: [call("send"), call("drop", { table: "users" })] }, { says: "done" }];
  const { play, row, world, approve, rehost, universe, ask } = stage(steps, tools, {}, { hooks });
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
  expect(universe.effects.map(({ tool }) => tool)).toEqual([]);
  const [question] = await world.store.approvals({});
  expect(question?.approval).toMatchObject({
    call: { tool: "drop", input: { table: "users" } },
    on_deny: "refuse_call",
  });
  expect(question?.approval.prompt).toContain('"table": "users"');
  expect(await ask({ kind: "resume" })).toMatchObject({
    accepted: false,
    why: "it waits for an answer to a question",
  });
  await approve();
  await rehost();
  expect(await row()).toMatchObject({ status: "completed" });
  expect(universe.effects.map(({ tool }) => tool).sort()).toEqual(["drop", "send"]);
});

test("a refused call becomes a result, and the thread goes on", async () => {
  const { play, row, deny, rehost, universe, thread } = stage(
    [work, { says: "fine" }],
    send,
    {},
    { hooks: [on("before_tool", { action: "suspend" })] },
  );
  await play();
  await deny("wrong address");
  await rehost();
  expect(await row()).toMatchObject({ status: "completed" });
  expect(universe.effects).toEqual([]);
  expect(toArray((await thread()).messages)[2]).toMatchObject({
    results: [{ status: "error", output: "A person refused this call: wrong address" }],
  });
});

test("a guard that fell over lets nobody in without asking; elsewhere a broken hook is told of and passed over", async () => {
  const broken = { problem: "it answered nonsense" };
  const guarded = stage([work, { says: "x" }], send, {}, { hooks: [on("before_tool", () => broken)] });
  await guarded.play();
  expect(await guarded.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
  const passed = stage([work, { says: "x" }], send, {}, { hooks: [on("before_step", () => broken)] });
  await passed.play();
  expect(await passed.row()).toMatchObject({ status: "completed" });
  expect((await passed.events()).find((event) => event.type === "hook_matched")).toMatchObject(broken);
});

test("the first decisive hook wins; those after it do not run", async () => {
  let ran = 0;
  const hooks = [
    on("before_step", { action: "continue" }),
    on("before_step", { action: "fail", message: "closed on Sundays" }),
    on("before_step", () => {
      ran += 1;
      return { action: "continue" };
    }),
  ];
  const { play, row, events } = stage([{ says: "x" }], [], {}, { hooks });
  await play();
  expect(await row()).toMatchObject({ status: "error", error: "Failed by hook hook-2: closed on Sundays" });
  expect(matched(await events())).toEqual(["before_step continue", "before_step fail"]);
  expect(ran).toBe(0);
});

test.each([
  ["retry", "suspended"],
  ["continue", "suspended"],
  ["suspend", "suspended"],
  ["escalate", "suspended"],
  ["fail", "error"],
] as const)("a hook on a limit never lifts it: %s ends %s", async (action, status) => {
  const { play, row, events, world } = stage(
    [work, { says: "never" }],
    send,
    {},
    { limits: { turns: 1 }, hooks: [on("limit", { action })] },
  );
  await play();
  expect(await row()).toMatchObject({ status, turns: 1 });
  expect(matched(await events())).toEqual([`limit ${action}`]);
  if (status === "suspended") {
    expect((await world.store.approvals({}))[0]?.approval.limit_code).toBe("turns_exceeded");
  }
});

test("a hook on an error decides before the retry rules, and sees each attempt", async () => {
  const attempts: unknown[] = [];
  const hooks = [
    on("error", ({ attempt, error_category }) => {
      attempts.push([attempt, error_category]);
      return attempts.length < 2
        ? { action: "continue" }
        : { action: "suspend", message: "the night is over" };
    }),
  ];
  const dead = { fails: { status: 503 } };
  const { play, row } = stage([dead, dead, { says: "x" }], [], {}, { hooks });
  await play();
  expect(await row()).toMatchObject({
    status: "suspended",
    suspend_reason: "approval",
    error: expect.stringMatching(/^the night is over/),
  });
  expect(attempts).toEqual([
    [1, "transient"],
    [2, "transient"],
  ]);
});

test("no hook turns a refused key into retries", async () => {
  const { play, row, events } = stage(
    [{ fails: { status: 401, message: "bad key" } }, { says: "never" }],
    [],
    {},
    { hooks: [on("error", { action: "retry" })] },
  );
  await play();
  expect(await row()).toMatchObject({ status: "error" });
  expect(types(await events())).not.toContain("auto_retry_start");
});

test("what a hook adds to the conversation stands there; success can be sent back to work", async () => {
  const hooks = [
    on("after_complete", ({ result }) =>
      result === "done"
        ? { action: "continue", context: { message: "the tests fail" } }
        : { action: "continue" },
    ),
  ];
  const { play, row, thread } = stage([{ says: "done" }, { says: "really done" }], [], {}, { hooks });
  await play();
  expect(await row()).toMatchObject({ status: "completed", turns: 2 });
  expect(toArray((await thread()).messages)[2]).toEqual({ role: "user", text: "the tests fail" });
});

test("a cancel ends a hook's moment: what it said on the way out does not count", async () => {
  let cancel = async () => {};
  const hooks: StoryHook[] = [on("before_step", () => ({ action: "fail" }))];
  const staged = stage([{ says: "x" }], [], {}, { hooks });
  const { world } = staged.first;
  const { runHook } = world;
  cancel = async () => void (await staged.ask({ kind: "cancel" }));
  Object.assign(world, {
    runHook: async (...given: Parameters<NonNullable<typeof runHook>>) => {
      await cancel();
      while (!given[2].signal.aborted) await new Promise((resolve) => setImmediate(resolve));
      return runHook?.(...given);
    },
  });
  await staged.play();
  expect(await staged.row()).toMatchObject({ status: "cancelled" });
  expect(matched(await staged.events())).toEqual([]);
});
