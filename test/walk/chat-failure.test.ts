// A message of a lasting thread fails: what waits behind it goes on, whatever is asked of the thread meanwhile.
import { expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { applyRequests, host } from "../../src/runtime/index.ts";
import { types, unreplayed } from "./stage.ts";
import { talk } from "./talk.ts";

const refused = { fails: { status: 401 } };
const AT_REST = { status: "running", owner: null, suspend_reason: null, waits_for: { kind: "message" } };

/** A talk of which something else is asked in the moment in which its first message fails. */
function interrupted(ask: (t: ReturnType<typeof talk>) => Promise<unknown>) {
  const t = talk([refused, { says: "2" }]);
  const { store } = t.world;
  const { commit } = store;
  let isAsked = false;
  store.commit = async (lease, batch, handOver) => {
    if (!isAsked && batch.events.some(({ type }) => type === "thread_suspended")) {
      isAsked = true;
      await ask(t);
    }
    return commit(lease, batch, handOver);
  };
  return t;
}

test("it stops and goes on in one write", async () => {
  const t = talk([refused, { says: "2" }]);
  const { commit } = t.world.store;
  const writes: string[][] = [];
  t.world.store.commit = async (lease, batch, handOver) => {
    writes.push(types([...batch.events, ...(batch.tail ?? [])] as never));
    return commit(lease, batch, handOver);
  };
  await t.say("a");
  await t.say("b");
  await t.run();
  expect(writes).toContainEqual([
    ...["error_classified", "thread_suspended", "approval_requested"],
    ...["thread_resumed", "step_finish", "cognition_in", "step_start"],
  ]);
  expect(await t.head()).toMatchObject(AT_REST);
  expect(await t.world.store.approvals({ states: ["open"] })).toEqual([]);
  expect((await t.world.store.balance((await t.head()).chain_root_id))?.account.held).toBe(0);
});

test("a note that is taken down first changes nothing", async () => {
  const t = interrupted((talked) => talked.note("posted", "d1"));
  await t.say("a");
  await t.say("b");
  await t.run();
  expect(await t.answers()).toMatchObject([{ for: "m2", text: "2" }]);
  expect(types((await t.fold()).events).filter((type) => type === "error_classified")).toHaveLength(1);
});

test("a cancel that comes first ends it, and the request that failed is paid for and not made again", async () => {
  const t = interrupted(async ({ head, world }) => {
    const { thread_id, nonce } = await head();
    await world.store.post([{ kind: "cancel", request_id: "c", thread_id, by: "ops", reason: "r", nonce }]);
  });
  await t.say("a");
  await t.say("b");
  await t.run();
  const { events } = await t.fold();
  expect(await t.head()).toMatchObject({ status: "cancelled" });
  expect(types(events)).not.toContain("thread_resumed");
  expect(types(events).filter((type) => type === "error_classified")).toHaveLength(1);
});

test("who only hands a message over lets it go on, and whoever hosts it next asks the model", async () => {
  const t = talk([refused, { says: "2" }]);
  const { threadId } = await t.say("a");
  await t.run();
  expect(await t.head()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  await t.say("b");
  expect(await applyRequests(t.world, threadId, 1_000)).toBe(true);
  expect(await t.head()).toMatchObject({ status: "running", owner: null, waits_for: null });
  expect(await t.answers()).toEqual([]);
  await t.run();
  expect(await t.answers()).toMatchObject([{ for: "m2", text: "2" }]);
  expect(types((await t.fold()).events).filter((type) => type === "thread_resumed")).toHaveLength(1);
});

test("hooks that cannot be read: each message fails for itself, and all are read when they can be", async () => {
  const t = talk([{ says: "Here." }]);
  const hooks = async () => {
    throw new Problem("E_CONFIG_INVALID", { what: "hooks.yaml is broken." });
  };
  const blocked = () =>
    host({ ...t.world, hooks }, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const failed = async () => {
    let read: string | undefined;
    return (await t.fold()).events.flatMap((event) => {
      if (event.type === "cognition_in") read = event.request_id ?? read;
      return event.type === "thread_suspended" ? [read] : [];
    });
  };
  await t.say("a");
  await t.say("b");
  await blocked();
  expect(await failed()).toEqual(["m1", "m2"]);
  await t.say("c");
  await blocked();
  expect(await failed()).toEqual(["m1", "m2", "m3"]);
  expect(await t.head()).toMatchObject({ status: "suspended", suspend_reason: "error", owner: null });
  expect(await t.world.store.approvals({ states: ["open"] })).toHaveLength(1);
  await t.say("d");
  await t.run();
  expect(await t.answers()).toMatchObject([{ for: "m4", text: "Here." }]);
  unreplayed(t.universe);
});
