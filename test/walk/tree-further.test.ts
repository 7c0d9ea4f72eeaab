import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { activate } from "../../src/runtime/activation.ts";
import type { Claimed } from "../../src/runtime/opening.ts";
import { readThread } from "../../src/testing/index.ts";
import type { StoryChild } from "../../src/testing/story.ts";
import { family, idOf, outputs, says, send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

/** Five minutes of waiting for the provider, then an answer. */
const later = { fails: { status: 429, retry_after_ms: 300_000 } };
const MID = idOf(ID, "mid");
const LEAF = idOf(MID, "leaf", { wait: true });
const wait = (thread_ids: readonly string[], more: Record<string, unknown> = {}) =>
  call("wait_threads", { thread_ids, ...more });
const mid = {
  steps: [{ calls: [spawn("leaf", { wait: true })] }, { says: "mid" }],
  limits: { spend: "1.00" },
};
const told = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "descendant_reported" ? [event.status] : []));
/** Starts a child that starts another; a minute later the top does what is asked of it here. */
function top(then: Parameters<typeof stage>[0], leaf: StoryChild, more: Record<string, StoryChild> = {}) {
  const steps = [{ calls: [spawn("mid")] }, { calls: [wait([MID], { timeout: 60 })] }, ...then];
  return stage(steps, [send], {}, { limits: { spend: "9.00" }, children: { mid, leaf, ...more } });
}

describe("a wait for a thread further down (O2)", () => {
  test("parks, and is over when it ends; its parent is told as ever", async () => {
    const s = top([{ calls: [wait([LEAF], { timeout: 0 })] }, { says: "done" }], {
      steps: [later, { says: "leaf says" }],
    });
    await s.play();
    const [first, second] = outputs(await s.events(), "wait_threads");
    expect(first.threads[MID]).toMatchObject({ status: "timeout" });
    expect(second).toMatchObject({
      success: true,
      threads: { [LEAF]: { status: "completed", result: "leaf says", cost: { turns: 1 } } },
    });
    expect(second.elapsed_seconds).toBeCloseTo(240, 0);
    expect(Number(second.total_cost)).toBeGreaterThan(0);
    expect(told(await s.events())).toEqual(["running", "completed"]);
    const { events } = await readThread(s.world, MID);
    expect(events.filter(({ type }) => type === "child_thread_completed")).toHaveLength(1);
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["mid", "completed"],
      ["leaf", "completed"],
    ]);
    // What it asks for once more it knows.
    expect((await s.thread()).further[LEAF]).toMatchObject({ above: [MID], status: "completed" });
  });

  test("one that ended before, with its parent over too, is told as what it was; asked again, it is known", async () => {
    const s = top(
      [{ calls: [wait([MID])] }, { calls: [wait([LEAF, MID])] }, { calls: [wait([LEAF])] }, { says: "x" }],
      {
        steps: [{ fails: { status: 401 } }],
      },
    );
    await s.play();
    const [, , both, again] = outputs(await s.events(), "wait_threads");
    expect(both.threads[LEAF]).toMatchObject({ status: "error", error: expect.stringContaining("401") });
    expect(both.threads[MID]).toMatchObject({ status: "completed" });
    // What the leaf cost is in what the one above it cost.
    expect(both.total_cost).toBe(both.threads[MID].cost.spend);
    expect(again.threads[LEAF]).toEqual(both.threads[LEAF]);
    expect(told(await s.events())).toEqual(["error"]);
  });

  test("suspended for a person it does not end the wait, unless that is asked for", async () => {
    const asks = {
      steps: [{ calls: [call("send")] }, { says: "allowed" }],
      rights: { ask: ["selvage.execute.tool.send"] },
    };
    const s = top([{ calls: [wait([LEAF], { timeout: 0 })] }, { says: "done" }], asks);
    await s.play();
    expect(await s.row()).toMatchObject({ status: "running", waits_for: { ids: [LEAF] } });
    expect(told(await s.events())).toEqual(["suspended"]);
    await s.approve();
    await s.rehost();
    expect(outputs(await s.events(), "wait_threads")[1].threads[LEAF]).toMatchObject({ status: "completed" });
    expect(told(await s.events())).toEqual(["suspended", "running", "completed"]);
    const counted = top([{ calls: [wait([LEAF], { include_suspended: true })] }, { says: "done" }], asks);
    await counted.play();
    expect(outputs(await counted.events(), "wait_threads")[1].threads[LEAF]).toMatchObject({
      status: "suspended",
    });
  });

  test("fail_fast stops the others, further down too; a stranger is no failure of a thread", async () => {
    const bad = { steps: [{ fails: { status: 401 } }] };
    const flags = { fail_fast: true, cancel_siblings_on_failure: true };
    const BAD = idOf(ID, "bad", {}, 3);
    const leaf = { steps: [later, { says: "late" }] };
    const stranger = top([{ calls: [wait([LEAF, "x-1-aaaaaa"], flags)] }, { says: "done" }], leaf);
    await stranger.play();
    const [, waited] = outputs(await stranger.events(), "wait_threads");
    expect(waited.threads[LEAF]).toMatchObject({ status: "completed" });
    const s = top(
      [{ calls: [spawn("bad")] }, { calls: [wait([LEAF, BAD], flags)] }, { says: "done" }],
      leaf,
      { bad },
    );
    await s.play();
    const [, stopped] = outputs(await s.events(), "wait_threads");
    expect(stopped.threads[LEAF]).toEqual({ status: "cancel_requested" });
    expect(await family(s)).toContainEqual(["leaf", "cancelled"]);
  });

  test("its own parent, itself, those beside it and those above are no threads below it", async () => {
    const OTHER = idOf(ID, "other", {}, 3);
    const ids = [ID, MID, OTHER, LEAF];
    const nosy = { steps: [later, { calls: [wait(ids)] }, { says: "nosy" }] };
    const s = top([{ calls: [spawn("other")] }, { calls: [wait([MID])] }, { says: "done" }], nosy, {
      other: says("x"),
    });
    await s.play();
    const [waited] = outputs((await readThread(s.world, LEAF)).events, "wait_threads");
    expect(Object.values(waited.threads)).toEqual(
      ids.map((id) => ({ status: "error", error: `${id} is no thread below this one` })),
    );
  });

  test("what happened while the waiting thread stood still is known when it goes on, even when its time was up", async () => {
    const s = top([{ calls: [wait([LEAF], { timeout: 250 })] }, { says: "done" }], {
      steps: [later, { says: "leaf says" }],
    });
    const played = s.play();
    played.catch(() => {});
    await s.seen("wait_started", 3);
    // Everybody is gone until long after both are due.
    await s.first.kill();
    s.universe.clock.jump(3_600_000);
    const second = s.universe.open();
    const { store, machine } = second.world;
    const [leaf] = await store.find({ threadId: LEAF });
    const ask = { threadId: LEAF, owner: machine.owner, seenEpoch: leaf?.epoch ?? 0 };
    const claimed = (await store.claim(ask)) as Claimed;
    // The leaf goes on before anybody looks at the one that waits.
    await activate(second.world, claimed, { timerFired: true, patienceMs: 1_000 });
    await s.rehost(second);
    const { events } = await readThread(second.world, ID);
    expect(outputs(events, "wait_threads")[1].threads[LEAF]).toMatchObject({ status: "completed" });
  });
});
