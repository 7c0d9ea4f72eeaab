import { describe, expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { host } from "../../src/runtime/index.ts";
import { family, outputs, send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

const slow = { steps: [{ calls: [call("send")] }, { says: "late" }] };
const nobody = call("wait_threads", { thread_ids: ["stranger-1-aaaaaa"] });

test("what must be asked for is asked before a wait that stands in front of it", async () => {
  const rights = { ask: ["selvage.execute.tool.send"] };
  const s = stage([{ calls: [nobody, call("send")] }, { says: "x" }], [send], {}, { children: {}, rights });
  await s.play();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
  await s.approve();
  await s.rehost();
  expect((await s.row()).status).toBe("completed");
  expect(s.universe.effects).toHaveLength(1);
});

test("one child too many is asked about before a wait that stands in front of it", async () => {
  const s = stage(
    [{ calls: [nobody, spawn("slow"), spawn("slow", { inputs: { n: 2 } })] }, { says: "done" }],
    [send],
    {},
    { children: { slow }, limits: { spawns: 1 } },
  );
  await s.play();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
  await s.approve();
  await s.rehost();
  expect(outputs(await s.events(), "thread_tool")).toHaveLength(2);
  expect(outputs(await s.events(), "wait_threads")).toHaveLength(1);
});

describe("a thread that waits for a person while its children live", () => {
  const both = (status: string) => [
    ["story", status],
    ["slow", "cancelled"],
  ];
  const staged = async () => {
    const s = stage(
      [{ calls: [spawn("slow")] }, { calls: [call("send")] }, { says: "x" }],
      [send],
      {},
      { children: { slow }, rights: { ask: ["selvage.execute.tool.send"] } },
    );
    await s.play();
    expect((await s.row()).status).toBe("suspended");
    return s;
  };

  test.each([
    ["cancel", "cancelled"],
    ["mark_error", "error"],
  ] as const)("ends when they have: %s", async (kind, status) => {
    const s = await staged();
    await s.ask({ kind });
    await s.rehost();
    expect(await family(s)).toEqual(both(status));
    expect(await s.world.store.approvals({ states: ["open"] })).toEqual([]);
  });

  test("a person's no ends it too", async () => {
    const s = stage(
      [{ calls: [spawn("slow")] }, { calls: [call("send")] }, { says: "x" }],
      [send],
      {},
      { children: { slow }, limits: { turns: 1 } },
    );
    await s.play();
    const [question] = await s.world.store.approvals({ threadId: ID });
    const { approval_id = "" } = question?.approval ?? {};
    await s.ask({ kind: "decide", approval_id, approved: false, via: "test", resume: true });
    await s.rehost();
    expect((await s.row()).status).toBe("cancelled");
  });

  test("is not let go on once it is being stopped, and needs no hooks to end", async () => {
    const s = await staged();
    await s.ask({ kind: "cancel" });
    const hooks = async () => {
      throw new Problem("E_CONFIG_INVALID", { what: "hooks.yaml is broken." });
    };
    const answer = await s.approve();
    await host({ ...s.world, hooks }, { scope: ID, mayRecover: () => true, patienceMs: 1_000 });
    expect(answer.accepted).toBe(true); // it was asked for before the cancel was taken
    expect(await family(s)).toEqual(both("cancelled"));
  });
});
