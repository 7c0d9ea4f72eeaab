import { expect, test } from "vitest";
import { family, outputs, send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

const slow = { steps: [{ calls: [call("send")] }, { says: "late" }] };

test("a wait tells of a child whose journal is damaged, and its end is told when somebody ends it", async () => {
  const probe = stage([{ calls: [spawn("slow")] }, { says: "x" }], [send], {}, { children: { slow } });
  await probe.play();
  const [started] = (await probe.events()).filter((event) => event.type === "child_thread_started");
  const thread_id = started?.type === "child_thread_started" ? started.child_id : "";
  const wait = call("wait_threads", { thread_ids: [thread_id], timeout: 0, include_suspended: true });
  const s = stage(
    [{ calls: [spawn("slow")] }, { calls: [wait] }, { says: "done" }],
    [send],
    {},
    { children: { slow } },
  );
  const { load } = s.world.store;
  s.world.store.load = async (threadId) => {
    const loaded = await load(threadId);
    return threadId === ID ? loaded : { ...loaded, damage: { last_good: 1, why: "event 2 is missing" } };
  };
  await s.play();
  const [waited] = outputs(await s.events(), "wait_threads");
  expect(waited.threads[thread_id]).toEqual({ status: "suspended", error: "corrupt: event 2 is missing" });
  // At its own end it waits for a person to end the child.
  const [child] = await s.world.store.find({ threadId: thread_id });
  await s.ask({ kind: "cancel", thread_id, nonce: child?.nonce ?? "" } as never);
  await s.rehost();
  expect(await family(s)).toEqual([
    ["story", "completed"],
    ["slow", "cancelled"],
  ]);
});
