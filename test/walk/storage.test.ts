/** The disk fails at every write of the store, once or for good (F8, P17). */
import { expect, test } from "vitest";
import { StorageFailure } from "../../src/core/failure.ts";
import type { Store } from "../../src/core/store.ts";
import { createThread, host } from "../../src/runtime/index.ts";
import { findOrphans } from "../../src/runtime/recovery.ts";
import { type Fault, faultyStore, type WriteVerb } from "../../src/testing/index.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";
import { call, ID, stage } from "./stage.ts";

const steps = [
  { says: "a", calls: [call("send", { n: 1 }), call("note")] },
  { calls: [call("send", { n: 2 })] },
  { says: "done" },
];
const tools = [
  { name: "send", effect: "manual" as const },
  { name: "note", effect: "keyed" as const },
];

/** Makes the store's commits fail as told. */
function faulty(store: Store, fault: (commit: number) => Fault): void {
  const { commit } = faultyStore({ ...store }, (verb, times) => (verb === "commit" ? fault(times) : "fine"));
  store.commit = commit;
}

test.each(["failed", "landed"] as const)(
  "one failure (%s) at any commit: nothing lost, nothing twice",
  async (kind) => {
    for (let at = 1; at <= 8; at += 1) {
      const { play, world, universe, thread, oracle } = stage(steps, tools);
      faulty(world.store, (commit) => (commit === at ? kind : "fine"));
      await play();
      expect((await thread()).status).toBe("completed");
      expect(universe.effects.map((effect) => effect.tool).sort()).toEqual(["note", "send", "send"]);
      expect(oracle.broken).toEqual([]);
    }
  },
);

test("a disk that stays full: no further effect starts, and the host says so", async () => {
  for (let from = 1; from <= 6; from += 1) {
    const { play, world, universe } = stage(steps, tools);
    faulty(world.store, (commit) => (commit >= from ? "failed" : "fine"));
    await expect(play()).rejects.toThrow("test disk");
    const started = universe.notices.filter(
      (notice) => notice.type === "event" && notice.event.type === "tool_call_start",
    );
    expect(universe.effects.length).toBeLessThanOrEqual(started.length);
    expect(universe.notices.some((notice) => notice.type === "storage")).toBe(true);
  }
});

test("after the disk is back another process takes up where the first had to stop", async () => {
  const { play, world, universe, first } = stage(steps, tools);
  faulty(world.store, (commit) => (commit >= 3 ? "failed" : "fine"));
  await expect(play()).rejects.toThrow("test disk");
  await first.kill();
  const second = universe.open();
  await play(second);
  const [row] = await second.world.store.find({});
  expect(row?.status).toBe("completed");
  const sends = universe.effects.filter((effect) => effect.tool === "send").map((effect) => effect.key);
  expect(new Set(sends).size).toBe(sends.length);
});

test("a batch too large for the disk: a small note still fits, and the thread waits for a person", async () => {
  const { play, world, row, ask, rehost, universe } = stage(steps, tools);
  let full = true;
  const { commit } = world.store;
  world.store.commit = (lease, batch) => {
    const large = batch.events.some((event) => event.type === "tool_call_result");
    if (full && large) return Promise.reject(new StorageFailure("ENOSPC", "disk full"));
    return commit(lease, batch);
  };
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "storage", owner: null });
  full = false;
  await ask({ kind: "resume" });
  await rehost();
  expect((await row()).status).toBe("completed");
  const sends = universe.effects.filter((effect) => effect.tool === "send").map((effect) => effect.key);
  expect(new Set(sends).size).toBe(sends.length);
});

test("a host whose own writes fail waits with its walks, and loses no result they hold", async () => {
  const { world, universe, thread, play } = stage(steps, tools);
  const { beat, claim } = world.store;
  let failing = 0;
  const sometimes = <A extends unknown[], R>(verb: (...given: A) => Promise<R>) => {
    return (...given: A): Promise<R> => {
      failing += 1;
      return failing % 2 ? Promise.reject(new StorageFailure("ENOSPC", "disk full")) : verb(...given);
    };
  };
  Object.assign(world.store, { beat: sometimes(beat), claim: sometimes(claim) });
  await play();
  expect(failing).toBeGreaterThan(0);
  expect((await thread()).status).toBe("completed");
  expect(universe.effects).toHaveLength(3);
});

test("a thread made while its host is prepared is never seen without one", async () => {
  const { world, thread } = stage([{ says: "done" }]);
  const seen: number[] = [];
  await host(world, {
    scope: ID,
    mayRecover: () => true,
    patienceMs: 1,
    prepare: async () => {
      await createThread(world, ID, { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" });
      seen.push((await findOrphans(world)).length);
    },
  });
  expect(seen).toEqual([0]);
  expect((await thread()).status).toBe("completed");
});

test("a preparation that fails leaves no host behind", async () => {
  const { world } = stage([]);
  const prepare = () => Promise.reject(new Error("no"));
  await expect(host(world, { scope: ID, mayRecover: () => true, patienceMs: 1, prepare })).rejects.toThrow(
    "no",
  );
  expect(await world.store.hosts()).toEqual([]);
});

test.each(["failed", "landed"] as const)(
  "every write verb (%s) once, at its first and second use",
  async (kind) => {
    const verbs: WriteVerb[] = ["create", "commit", "claim", "leave", "beat"];
    for (const verb of verbs) {
      for (const at of [1, 2]) {
        const { world, universe, play, thread, first } = stage(steps, tools);
        const fault = (used: WriteVerb, times: number): Fault =>
          used === verb && times === at ? kind : "fine";
        Object.assign(world.store, faultyStore({ ...world.store }, fault));
        await play().catch(() => play());
        expect([verb, at, (await thread()).status]).toEqual([verb, at, "completed"]);
        const sends = universe.effects.filter((effect) => effect.tool === "send").map((effect) => effect.key);
        expect(new Set(sends).size).toBe(2);
        expect(sends).toHaveLength(2);
        await first.kill();
      }
    }
  },
);
