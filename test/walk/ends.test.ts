/** However a thread ends, it ends once, says what became of everything, and loses nothing it accepted. */
import { describe, expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import type { Request } from "../../src/core/request.ts";
import { host, postRequest } from "../../src/runtime/index.ts";
import { readThread } from "../../src/testing/index.ts";
import { call, ID, stage, types } from "./stage.ts";

const ENDS = ["thread_cancelled", "thread_failed", "thread_completed"];
const dead = { fails: { status: 503 } };
const HOSTED = { scope: ID, mayRecover: () => true, patienceMs: 1_000 };

test("several ends asked for at once give one end, and nothing after it", async () => {
  const { play, ask, rehost, events, world } = stage([dead, dead, dead, dead]);
  await play();
  await ask({ kind: "message", text: "hi" } as never);
  await ask({ kind: "mark_error" });
  await ask({ kind: "cancel" });
  await ask({ kind: "cancel" });
  await rehost();
  const found = types(await events());
  expect(found.slice(-2)).toEqual(["cancel_requested", "thread_cancelled"]);
  expect(found.filter((type) => ENDS.includes(type))).toHaveLength(1);
  expect(found).not.toContain("message_received");
  expect(await world.store.openRequests(ID)).toEqual([]);
});

test("the report of a cancelled orphan says which outcome nobody knows", async () => {
  const { play, seen, first, universe, row } = stage(
    [{ calls: [call("send"), call("note")] }, { says: "x" }],
    [
      { name: "send", effect: "manual", rounds: 1e9 },
      { name: "note", effect: "keyed" },
    ],
  );
  play().catch(() => {});
  await seen("tool_call_result");
  const { nonce } = await row();
  await first.kill();
  const { world } = universe.open();
  await postRequest(world, { kind: "cancel", request_id: "c", thread_id: ID, by: "me", nonce, reason: "x" });
  await host(world, HOSTED);
  const { events } = await world.store.load(ID);
  expect(
    events.find((event) => event.type === "thread_cancelled")?.report.map((line) => line.outcome),
  ).toEqual(["outcome unknown", "finished"]);
});

test("a hanging thread can be marked as failed", async () => {
  const { play, seen, ask, row } = stage([{ hangs: true }]);
  const played = play();
  await seen("step_start");
  await ask({ kind: "mark_error", reason: "no use" });
  await played;
  expect(await row()).toMatchObject({ status: "error", error: "no use" });
});

describe("a damaged thread", () => {
  const damaged = async () => {
    const staged = stage([dead, dead, dead, dead]);
    await staged.play();
    const { store, machine } = staged.world;
    const { epoch } = await staged.row();
    const claimed = await store.claim({ threadId: ID, owner: machine.owner, seenEpoch: epoch });
    if ("refused" in claimed) throw new Error("refused");
    await store.markCorrupt(claimed.lease, { last_good: 3, why: "flipped" });
    return staged;
  };

  test("is not ended by a cancel that was meant for another run", async () => {
    const { ask, rehost, row, world } = await damaged();
    await ask({ kind: "cancel", nonce: "of another run" } as never);
    await rehost();
    expect((await row()).status).toBe("suspended");
    expect(await world.store.openRequests(ID)).toEqual([]);
  });

  test("is ended by the right one", async () => {
    const { ask, rehost, row } = await damaged();
    await ask({ kind: "cancel" });
    await rehost();
    expect(await row()).toMatchObject({ status: "cancelled", owner: null });
  });
});

test("a message taken up after a crash stands after the answer it came after", async () => {
  const { play, seen, first, universe } = stage(
    [{ calls: [call("look")] }, { says: "first" }, { says: "second" }],
    [{ name: "look", effect: "pure", rounds: 400 }],
  );
  play().catch(() => {});
  await seen("cognition_out");
  await first.kill();
  const opened = universe.open();
  const text = "LATER";
  await postRequest(opened.world, { kind: "message", request_id: "m", thread_id: ID, by: "me", text });
  await play(opened);
  const { thread } = await readThread(opened.world, ID);
  const told = toArray(thread.messages).map((each) => (each.role === "user" ? each.text : each.role));
  expect(told.slice(0, 4)).toEqual(["Do it.", "assistant", "tool", "LATER"]);
});

describe("whatever is asked at whichever commit", () => {
  const steps = [
    { calls: [call("send")] },
    dead,
    { says: "b", calls: [call("look"), call("send", { n: 2 })] },
    { says: "x" },
    { says: "y" },
    { says: "z" },
  ];
  const tools = [
    { name: "send", effect: "manual" as const, rounds: 2 },
    { name: "look", effect: "pure" as const, rounds: 9 },
  ];
  const HEARD = {
    message: "message_received",
    cancel: "cancel_requested",
    mark_error: "thread_failed",
  } as const;

  test.each(["message", "cancel", "mark_error"] as const)("%s: accepted is answered, once", async (kind) => {
    for (let at = 1; at <= 14; at += 1) {
      const { world, play, events, oracle } = stage(steps, tools);
      const { commit } = world.store;
      let commits = 0;
      let accepted = 0;
      world.store.commit = async (lease, batch) => {
        commits += 1;
        if (commits === at) {
          const [row] = await world.store.find({ threadId: ID });
          const body = { nonce: row?.nonce ?? "", reason: "r", text: "HELLO" };
          const request = { kind, request_id: "q", thread_id: ID, by: "me", ...body } as Request;
          const [posted] = await world.store.post([request]);
          if (posted?.accepted) accepted += 1;
        }
        return commit(lease, batch);
      };
      await play();
      const found = types(await events());
      expect([at, found.filter((type) => type === HEARD[kind]).length]).toEqual([at, accepted]);
      expect(found.filter((type) => ENDS.includes(type))).toHaveLength(1);
      expect(await world.store.openRequests(ID)).toEqual([]);
      expect(oracle.broken).toEqual([]);
    }
  });
});
