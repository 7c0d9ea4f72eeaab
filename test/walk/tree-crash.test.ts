import { expect, test } from "vitest";
import { outputs, says, spawn } from "./family.ts";
import { call, stage } from "./stage.ts";

const children = { good: says("good") };

/** The id of the first child is the same in every run of a script that begins with the same call. */
async function childId(directive: string, more: Record<string, unknown> = {}) {
  const probe = stage([{ calls: [spawn(directive, more)] }, { says: "x" }], [], {}, { children });
  await probe.play();
  const [started] = (await probe.events()).filter((event) => event.type === "child_thread_started");
  return started?.type === "child_thread_started" ? started.child_id : "";
}

test("a registered child that a dying parent started is known to run, and is not told to stop at the end", async () => {
  const thread_id = await childId("good", { start: false });
  const s = stage(
    [
      { calls: [spawn("good", { start: false })] },
      { calls: [call("resume_thread", { thread_id })] },
      { says: "done" },
    ],
    [],
    {},
    { children },
  );
  const { post } = s.world.store;
  s.world.store.post = async (requests) => {
    const posted = await post(requests);
    // Stored, and then nobody is there to hear of it.
    if (requests[0]?.kind === "start") s.first.kill();
    return posted;
  };
  s.play().catch(() => {});
  await s.seen("tool_call_start", 2);
  const opened = s.universe.open();
  while ((await opened.world.store.openRequests(thread_id)).length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The child is taken up before its parent is.
  await s.play(opened);
  const rows = await opened.world.store.find({});
  expect(rows.map(({ directive, status }) => [directive, status])).toEqual([
    ["good", "completed"],
    ["story", "completed"],
  ]);
  const { events } = await opened.world.store.load(rows[1]?.thread_id ?? "");
  expect(outputs(events, "resume_thread")).toEqual([{ success: true, thread_id, status: "running" }]);
});
