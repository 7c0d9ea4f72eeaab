// `--after-tool`: a cancel that lets the tools that run come to their end, here and below, and starts nothing new.
import { expect, test } from "vitest";
import { host } from "../../src/runtime/index.ts";
import { call, ID, rounds, stage } from "./stage.ts";

const spawn = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
const slow = (count: number) => ({ name: "slow", effect: "manual" as const, rounds: count });
const outcomes = (events: readonly { type: string }[]) =>
  events.flatMap((event) => {
    const { type, report = [] } = event as { type: string; report?: { tool: string; outcome: string }[] };
    return type === "thread_cancelled" ? report.map(({ tool, outcome }) => `${tool} ${outcome}`) : [];
  });

test("the tool that runs ends with its effect; the next one and the next turn do not begin", async () => {
  const steps = [{ calls: [call("slow", { n: 1 }), call("slow", { n: 2 })] }, { says: "never" }];
  const { play, seen, ask, row, events, universe } = stage(steps, [slow(300)]);
  const played = play();
  await seen("cognition_out");
  await ask({ kind: "cancel", after_tool: true } as never);
  await played;
  expect((await row()).status).toBe("cancelled");
  expect(universe.effects).toHaveLength(1);
  const found = await events();
  expect(outcomes(found)).toEqual(["slow finished", "slow not started"]);
  expect(found.find(({ type }) => type === "cancel_requested")).toMatchObject({ after_tool: true });
  expect(found.filter(({ type }) => type === "step_start")).toHaveLength(1);
});

test("the model's stream is stopped all the same", async () => {
  const steps = [{ says: "…", calls: [call("slow")], hangs: true as const }];
  const { play, seen, ask, row, universe } = stage(steps, [slow(100)]);
  const played = play();
  await seen("tool_call_start");
  await ask({ kind: "cancel", after_tool: true } as never);
  await played;
  expect((await row()).status).toBe("cancelled");
  expect(universe.effects).toHaveLength(1);
});

test("whoever cannot wait any longer asks again without it", async () => {
  const steps = [{ calls: [call("slow")] }, { says: "never" }];
  const { play, seen, ask, row, events, universe } = stage(steps, [slow(1e9)]);
  const played = play();
  await seen("tool_call_start");
  await ask({ kind: "cancel", after_tool: true } as never);
  await rounds(200);
  expect((await row()).status).toBe("running");
  await ask({ kind: "cancel" });
  await played;
  expect((await row()).status).toBe("cancelled");
  expect(universe.effects).toEqual([]);
  expect(outcomes(await events())).toEqual(["slow stopped"]);
});

test("a host that leaves does not wait for them", async () => {
  const steps = [{ calls: [call("slow")] }, { says: "never" }];
  const { make, seen, ask, first, universe, row } = stage(steps, [slow(1e9)]);
  await make();
  const leaving = new AbortController();
  const { signal } = leaving;
  const hosted = host(first.world, { scope: ID, mayRecover: () => true, patienceMs: 1_000, signal });
  await seen("tool_call_start");
  await ask({ kind: "cancel", after_tool: true } as never);
  await rounds(50);
  leaving.abort();
  await hosted;
  expect(universe.effects).toEqual([]);
  expect((await row()).status).toBe("cancelled");
});

test("those below are waited for in the same way, however many generations", async () => {
  const child = { steps: [{ calls: [call("slow")] }, { says: "never" }], limits: { spend: "0.10" } };
  const mid = { steps: [{ calls: [spawn("child", { wait: true })] }, { says: "never" }] };
  const s = stage(
    [{ calls: [spawn("mid", { wait: true })] }, { says: "never" }],
    [slow(2_000)],
    {},
    { children: { child, mid } },
  );
  const played = s.play();
  await s.seen("tool_call_start", 3);
  await s.ask({ kind: "cancel", after_tool: true } as never);
  await played;
  const rows = await s.world.store.find({});
  expect(rows.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  expect(s.universe.effects).toHaveLength(1);
  const [bottom] = rows;
  const { events } = await s.world.store.load(bottom?.thread_id ?? ID);
  expect(outcomes(events)).toEqual(["slow finished"]);
});
