import { expect, test } from "vitest";
import { defaultSettings } from "../../src/core/settings.ts";
import { outputs, says, send, spawn } from "./family.ts";
import { call, stage } from "./stage.ts";

test("a limit that nobody may raise leaves a whole conversation behind", async () => {
  const s = stage(
    [{ calls: [spawn("good"), call("send"), spawn("good", { inputs: { n: 2 } })] }, { says: "x" }],
    [send],
    { limits: { ...defaultSettings.limits, escalation: "deny" } },
    { children: { good: says("good") }, limits: { spawns: 1 } },
  );
  await s.play();
  expect(await s.row()).toMatchObject({ status: "cancelled" });
  expect(outputs(await s.events(), "thread_tool")).toEqual([
    expect.objectContaining({ status: "running" }),
    "Not started: the thread was stopped first.",
  ]);
  expect((await s.thread()).step).toBeUndefined();
});
