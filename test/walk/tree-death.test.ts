/** What a thread asks of its children, with a death at every write: told to the model as it is. */
import { expect, test } from "vitest";
import { type Fate, faultyStore, readThread } from "../../src/testing/index.ts";
import { family, outputs, send, spawn } from "./family.ts";
import { call, ID, rounds, stage } from "./stage.ts";

const children = { good: { steps: [{ calls: [call("send")] }, { says: "good" }] } };

/** The id of the first child is the same in every run of a script that begins with the same call. */
async function registeredId(): Promise<string> {
  const probe = stage(
    [{ calls: [spawn("good", { start: false })] }, { says: "x" }],
    [send],
    {},
    { children },
  );
  await probe.play();
  const [started] = (await probe.events()).filter((event) => event.type === "child_thread_started");
  return started && "child_id" in started ? started.child_id : "";
}

async function livesThrough(thread_id: string, at: number, fate: Fate) {
  const s = stage(
    [
      { calls: [spawn("good", { start: false })] },
      { calls: [call("resume_thread", { thread_id })] },
      { calls: [call("wait_threads", { thread_ids: [thread_id], timeout: 0 })] },
      { says: "done" },
    ],
    [send],
    {},
    { children },
  );
  const mortal = s.universe.open({ at, fate });
  const died = await Promise.race([s.play(mortal).then(() => false), mortal.mortal.died.then(() => true)]);
  if (!died) return { died };
  await mortal.kill();
  await rounds(2);
  const next = s.universe.open();
  await s.play(next);
  const { events, thread } = await readThread(next.world, ID);
  const [child] = (await next.world.store.find({})).filter(({ directive }) => directive === "good");
  return {
    died,
    told: outputs(events, "resume_thread").map((result) => result.status ?? result),
    waited: outputs(events, "wait_threads").map(({ threads }) => threads[thread_id]?.status),
    ended: [thread.status, child?.status],
  };
}

test("a child that its parent starts is started once, whenever the parent dies, and nobody takes it for one that never was", async () => {
  const thread_id = await registeredId();
  let deaths = 0;
  for (const fate of ["landed", "lost"] as const) {
    for (let at = 1; ; at += 1) {
      const life = await livesThrough(thread_id, at, fate);
      if (!life.died) break;
      deaths += 1;
      expect({ at, fate, ...life }).toEqual({
        ...{ at, fate, died: true, waited: ["completed"] },
        // Told again, it may be over by then.
        told: [expect.stringMatching(/^(running|completed)$/)],
        ended: ["completed", "completed"],
      });
    }
  }
  expect(deaths).toBeGreaterThan(40);
});

test.each(["failed", "landed"] as const)(
  "one failure (%s) of the disk at any commit of a tree: nothing lost, nothing twice, and nobody is kept waiting",
  async (kind) => {
    let faults = 0;
    for (let at = 1; ; at += 1) {
      const s = stage(
        [{ calls: [spawn("good"), spawn("good", { wait: true, inputs: { n: 2 } })] }, { says: "done" }],
        [send],
        {},
        { children },
      );
      let failed = false;
      const { commit } = faultyStore({ ...s.world.store }, (verb, times) => {
        const isNow = verb === "commit" && times === at;
        failed ||= isNow;
        return isNow ? kind : "fine";
      });
      s.world.store.commit = commit;
      const since = s.universe.clock.monotonic();
      await s.play();
      if (!failed) break;
      faults += 1;
      expect((await family(s)).map(([, status]) => status)).toEqual(["completed", "completed", "completed"]);
      expect(s.universe.effects).toHaveLength(2);
      expect(s.oracle.broken).toEqual([]);
      // The disk was tried again after a tenth of a second; whoever was born or told then was looked at at once.
      expect({ at, ms: s.universe.clock.monotonic() - since }).toMatchObject({
        ms: expect.toSatisfy((ms) => ms < 900),
      });
    }
    expect(faults).toBeGreaterThan(15);
  },
);
