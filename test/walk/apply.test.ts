// What is asked of a tree that nobody hosts is applied by whoever asks: without model, tool or hook, and whole.
import { expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { applyRequests, applyToTree, host } from "../../src/runtime/index.ts";
import { call, ID, stage } from "./stage.ts";

const send = { name: "send", effect: "manual" as const };
const spawn = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
const asks = {
  steps: [{ calls: [call("send")] }, { says: "allowed" }],
  rights: { ask: ["selvage.execute.tool.send"] },
  limits: { spend: "0.10" },
};
const mid = {
  steps: [{ calls: [spawn("asks"), spawn("asks", { wait: true })] }, { says: "mid" }],
  limits: { spend: "0.40" },
};

/** A tree that stands still: three generations, and those at the bottom wait for a person. */
async function standing() {
  const s = stage(
    [{ calls: [spawn("mid", { wait: true })] }, { says: "done" }],
    [send],
    {},
    { children: { asks, mid } },
  );
  await s.play();
  const rows = async () => (await s.world.store.find({})).toReversed();
  const ids = (await rows()).map(({ thread_id }) => thread_id);
  const told = s.universe.notices.length;
  const statuses = async () => (await rows()).map(({ directive, status }) => `${directive} ${status}`);
  const since = () =>
    s.universe.notices.slice(told).flatMap((each) => (each.type === "event" ? [each.event] : []));
  return { s, ids, rows, statuses, since };
}

test("a cancel ends everyone below first, and asks no model and no tool", async () => {
  const { s, statuses, since } = await standing();
  expect(await statuses()).toEqual(["story running", "mid running", "asks suspended", "asks suspended"]);
  await s.ask({ kind: "cancel", reason: "wrong plan" });
  await applyToTree(s.world, ID, 1_000);
  expect(await statuses()).toEqual(["story cancelled", "mid cancelled", "asks cancelled", "asks cancelled"]);
  expect(s.universe.effects).toEqual([]);
  const ends = since().filter(({ type }) => type === "thread_cancelled");
  expect(ends.map(({ thread_id }) => thread_id.split("-")[0])).toEqual(["asks", "asks", "mid", "story"]);
  expect(ends).toMatchObject(ends.map(() => ({ reason: "wrong plan" })));
  expect(since().some(({ type }) => type === "step_start" || type === "tool_call_start")).toBe(false);
  expect(await s.world.store.hosts()).toEqual([]);
  // Asked again there is nothing left to do.
  const before = s.universe.notices.length;
  await applyToTree(s.world, ID, 1_000);
  expect(s.universe.notices.length).toBe(before);
});

test("one in the middle takes its own along; its parent is told, and goes on when somebody hosts it", async () => {
  const { s, ids, statuses } = await standing();
  const [, middle = ""] = ids;
  const [{ nonce = "" } = {}] = await s.world.store.find({ threadId: middle });
  await s.ask({ kind: "cancel", thread_id: middle, nonce } as never);
  await applyToTree(s.world, middle, 1_000);
  expect(await statuses()).toEqual(["story running", "mid cancelled", "asks cancelled", "asks cancelled"]);
  await s.rehost();
  expect((await s.row()).status).toBe("completed");
});

test("killed after any number of threads and asked again, it ends the rest", async () => {
  for (let done = 0; done < 6; done += 1) {
    const { s, ids, statuses } = await standing();
    await s.ask({ kind: "cancel" });
    const order = [ids[3], ids[2], ids[1], ids[0], ids[1], ids[0]];
    for (const id of order.slice(0, done)) if (id) await applyRequests(s.world, id, 1_000);
    const next = s.universe.open();
    await applyToTree(next.world, ID, 1_000);
    expect(await statuses(), `after ${done}`).toEqual([
      "story cancelled",
      "mid cancelled",
      "asks cancelled",
      "asks cancelled",
    ]);
  }
});

test("a parent that is told of its child's end by somebody who only asks something else still goes on", async () => {
  const { s, ids } = await standing();
  const [, middle = ""] = ids;
  const [{ nonce = "" } = {}] = await s.world.store.find({ threadId: middle });
  await s.ask({ kind: "cancel", thread_id: middle, nonce } as never);
  await applyToTree(s.world, middle, 1_000);
  await s.ask({ kind: "budget", set: { turns: 40 } } as never);
  await applyRequests(s.world, ID, 1_000);
  // The outcome was taken with it: the wait is over, and nothing else would wake the thread.
  expect((await s.row()).waits_for).toBeNull();
  await s.rehost();
  expect((await s.row()).status).toBe("completed");
});

test("a cancel ends a tree whose hooks cannot be read", async () => {
  const { s, statuses } = await standing();
  await s.ask({ kind: "cancel" });
  const { world } = s.universe.open();
  const hooks = async () => {
    throw new Problem("E_CONFIG_INVALID", { what: "hooks.yaml does not validate." });
  };
  await host({ ...world, hooks }, { scope: ID, mayRecover: () => true, patienceMs: 1_000 });
  expect(await statuses()).toEqual(["story cancelled", "mid cancelled", "asks cancelled", "asks cancelled"]);
});
