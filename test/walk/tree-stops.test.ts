import { expect, test } from "vitest";
import { outputs, send, spawn } from "./family.ts";
import { call, stage } from "./stage.ts";

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
