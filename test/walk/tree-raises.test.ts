import { expect, test } from "vitest";
import { outputs, says, send, spawn } from "./family.ts";
import { call, stage } from "./stage.ts";

const short = {
  steps: [{ calls: [call("send")] }, { says: "whole" }],
  limits: { spend: "0.20", turns: 1, depth: 1 },
};
const children = { short, good: says("good") };

/** The id of the first child is the same in every run of a script that begins with the same call. */
async function childId(directive: string, more: Record<string, unknown> = {}) {
  const probe = stage([{ calls: [spawn(directive, more)] }, { says: "x" }], [send], {}, { children });
  await probe.play();
  const [started] = (await probe.events()).filter((event) => event.type === "child_thread_started");
  return started?.type === "child_thread_started" ? started.child_id : "";
}

test("nobody below gets deeper than the thread that raises its limits may be followed", async () => {
  const thread_id = await childId("short");
  const wait = call("wait_threads", { thread_ids: [thread_id], include_suspended: true });
  const raise = (depth: number) =>
    call("resume_thread", { thread_id, action: "bump_and_resume", new_limits: { turns: 5, depth } });
  const s = stage(
    [
      { calls: [spawn("short")] },
      { calls: [wait] },
      { calls: [raise(3)] },
      { calls: [raise(2)] },
      { says: "x" },
    ],
    [send],
    {},
    { children, limits: { depth: 3 } },
  );
  await s.play();
  expect(outputs(await s.events(), "resume_thread")).toEqual([
    "new_limits: depth 3 is too much: this thread's own is 3, so a child has at most 2",
    { success: true, thread_id, status: "resumed" },
  ]);
});
