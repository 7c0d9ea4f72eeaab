import { expect, test } from "vitest";
import { inFlight } from "../../src/core/recover.ts";
import { call, ID, stage, types, unreplayed } from "./stage.ts";

test("a cancel ends a stream that hangs", async () => {
  const { play, seen, ask, row, events } = stage([{ says: "…", hangs: true }]);
  const played = play();
  await seen("step_start");
  await ask({ kind: "cancel", reason: "wrong plan" });
  await played;
  expect(await row()).toMatchObject({ status: "cancelled", owner: null });
  expect(types(await events()).slice(-2)).toEqual(["cancel_requested", "thread_cancelled"]);
});

test("a cancel stops a running tool, starts none, and says for each call what became of it", async () => {
  const steps = [
    { calls: [call("slow", { n: 1 }), call("slow", { n: 2 }), call("quick")], hangs: true as const },
  ];
  const { play, seen, ask, events, universe, thread } = stage(steps, [
    { name: "slow", effect: "manual", rounds: 1e9 },
    { name: "quick", effect: "manual" },
  ]);
  const played = play();
  await seen("tool_call_start", 2);
  await seen("tool_call_result");
  await ask({ kind: "cancel" });
  await played;
  const found = await events();
  expect(
    found.find((event) => event.type === "thread_cancelled")?.report.map((line) => line.outcome),
  ).toEqual(["stopped", "not started", "finished"]);
  expect(universe.effects.map((effect) => effect.tool)).toEqual(["quick"]);
  expect(inFlight(await thread())).toEqual([]);
});

test.each(["step", "closed"] as const)(
  "a call that had to be killed is told as killed (%s)",
  async (when) => {
    const hangs = when === "step" ? { hangs: true as const } : {};
    const { play, seen, ask, events } = stage(
      [{ calls: [call("stubborn"), call("slow")], ...hangs }],
      [
        { name: "stubborn", effect: "manual", rounds: 1e9, isStubborn: true },
        { name: "slow", effect: "manual", rounds: 1e9 },
      ],
    );
    const played = play();
    await seen("tool_call_start", 2);
    await ask({ kind: "cancel" });
    await played;
    const found = await events();
    const [end] = found.filter((event) => event.type === "thread_cancelled");
    expect(end?.report.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["stubborn", "killed"],
      ["slow", "stopped"],
    ]);
    const results = found.flatMap((event) =>
      event.type === "tool_call_result" ? [[event.tool, event.killed]] : [],
    );
    expect(Object.fromEntries(results)).toEqual({ stubborn: true, slow: undefined });
  },
);

test("a cancel ends a backoff at once", async () => {
  const { play, seen, ask, row, universe } = stage([{ fails: { status: 429 } }, { says: "never" }]);
  const played = play();
  await seen("auto_retry_start");
  const before = universe.clock.monotonic();
  await ask({ kind: "cancel" });
  await played;
  expect(await row()).toMatchObject({ status: "cancelled", waits_for: null });
  expect(universe.clock.monotonic() - before).toBeLessThan(2_000);
});

test("a cancel that nobody rings for is seen within a second, and ends a backoff in the same moment", async () => {
  const { play, seen, row, events, universe } = stage([
    { fails: { status: 429, retry_after_ms: 60_000 } },
    { says: "never" },
  ]);
  const played = play();
  await seen("auto_retry_start");
  const { nonce } = await row();
  // What the retry itself has rung for is over: nothing but the time brings the next look.
  await universe.clock.sleep(1_100);
  const asked = { request_id: "c", thread_id: ID, by: "me", nonce, reason: "enough" };
  const since = universe.clock.now();
  await universe.open().world.store.post([{ kind: "cancel", ...asked }]);
  await played;
  const told = (await events()).filter(({ type }) => /^(cancel_requested|thread_cancelled)$/.test(type));
  const [known = 0, ended = 0] = told.map(({ ts }) => Date.parse(ts) - since);
  expect(known).toBeGreaterThan(0);
  expect(known).toBeLessThanOrEqual(1_000);
  expect(ended).toBe(known);
});

test("a cancel for another run is journaled, not obeyed", async () => {
  const steps = [{ calls: [call("slow")] }, { says: "done" }];
  const { play, seen, ask, row, events } = stage(steps, [{ name: "slow", effect: "manual", rounds: 50 }]);
  const played = play();
  await seen("tool_call_start");
  await ask({ kind: "cancel", nonce: "of an earlier run" } as never);
  await played;
  expect((await row()).status).toBe("completed");
  expect((await events()).find((event) => event.type === "cancel_requested")).toMatchObject({
    accepted: false,
  });
});

test("a cancel by file reaches the thread", async () => {
  const { play, seen, row, universe, world } = stage([{ hangs: true }]);
  const played = play();
  await seen("step_start");
  universe.cancelFiles.push({ threadId: ID, nonce: (await row()).nonce, reason: "by file" });
  await played;
  expect(await row()).toMatchObject({ status: "cancelled" });
  expect(await world.store.openRequests(ID)).toEqual([]);
});

test("a suspended thread can be cancelled without model or tool", async () => {
  const dead = { fails: { status: 503 } };
  const { play, ask, row, rehost, universe } = stage([dead, dead, dead, dead]);
  await play();
  const asked = universe.notices.length;
  await ask({ kind: "cancel" });
  await rehost();
  expect(await row()).toMatchObject({ status: "cancelled", suspend_reason: null });
  expect(universe.notices.length - asked).toBe(2);
});

test("an ended thread refuses a cancel and nothing is written", async () => {
  const { play, ask, world, row } = stage([{ says: "done" }]);
  await play();
  const { seq } = await row();
  expect(await ask({ kind: "cancel" })).toEqual({ accepted: false, why: "it is completed" });
  expect((await row()).seq).toBe(seq);
  expect(await world.store.openRequests(ID)).toEqual([]);
});

test("a message that arrives with the last answer is not lost: the thread goes on", async () => {
  const { play, seen, ask, events, row } = stage(
    [{ calls: [call("slow")] }, { says: "first end" }, { says: "second end" }],
    [{ name: "slow", effect: "pure", rounds: 20 }],
  );
  const played = play();
  await seen("tool_call_start");
  await ask({ kind: "message", text: "one more thing" } as never);
  await played;
  expect((await row()).status).toBe("completed");
  const found = await events();
  expect(types(found)).toContain("message_received");
  expect(found.at(-1)).toMatchObject({ type: "thread_completed" });
});

test("a model that ignores the abort is left behind, and what it sends later is not heard", async () => {
  const { world, play, seen, ask, row, events, universe } = stage([]);
  unreplayed(universe);
  let late: (() => void) | undefined;
  Object.assign(world, {
    model: () => ({
      streams: false,
      price: { input: 0, cache_read: 0, cache_write: 0, output: 0 },
      ask: (_: unknown, on: (event: unknown) => void) =>
        new Promise(() => {
          late = () => on({ type: "block", block: { type: "text", text: "too late" } });
        }),
    }),
  });
  const played = play();
  await seen("step_start");
  await ask({ kind: "cancel" });
  await played;
  late?.();
  expect((await row()).status).toBe("cancelled");
  expect(JSON.stringify(await events())).not.toContain("too late");
});

test("the report has every call, also when the stop itself closed the answer", async () => {
  const { play, seen, ask, events } = stage(
    [{ calls: [call("slow")] }, { says: "never" }],
    [{ name: "slow", effect: "manual", rounds: 1e9 }],
  );
  const played = play();
  await seen("cognition_out");
  await ask({ kind: "cancel" });
  await played;
  const end = (await events()).find((event) => event.type === "thread_cancelled");
  expect(end).toMatchObject({ report: [{ tool: "slow", outcome: "stopped" }] });
});
