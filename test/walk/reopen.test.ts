// A person has more to say to a thread that has ended: its chain goes on in a new one (X4).
import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import { continueThread, host } from "../../src/runtime/index.ts";
import { play, readThread, type Story, storyUniverse } from "../../src/testing/index.ts";
import type { OpenedWorld } from "../../src/testing/universe.ts";
import { send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

const ask = { message: "and now?", by: "maya", limits: {}, system: "rules" };

async function goOn(s: ReturnType<typeof stage>, threadId: string = ID, more: Partial<typeof ask> = {}) {
  const { thread } = await readThread(s.world, threadId);
  return continueThread(s.world, thread, { ...ask, ...more });
}

const DONE = [{ calls: [call("send", { at: 1 })] }, { says: "done" }, { says: "what you asked" }];

test("the conversation goes on where it ended, with every word; run, turns and money go on counting", async () => {
  const s = stage(DONE, [send], {}, { limits: { spend: "5.00" } });
  await s.play();
  const before = await readThread(s.world, ID);
  const made = await goOn(s);
  if (!("threadId" in made)) throw new Error("refused");
  await s.rehost();
  const after = await readThread(s.world, made.threadId);
  const words = toArray(before.thread.messages);
  const now = toArray(after.thread.messages);
  expect(now.slice(0, words.length)).toEqual(words);
  expect(now.slice(words.length)).toMatchObject([
    { role: "user", text: "and now?" },
    { role: "assistant", blocks: [{ type: "text", text: "what you asked" }] },
  ]);
  expect(after.thread).toMatchObject({ status: "completed", result: "what you asked", run: 2, turns: 3 });
  const [old] = await s.world.store.find({ threadId: ID });
  expect(old).toMatchObject({ status: "continued", continuation_thread_id: made.threadId });
  const account = (await s.world.store.balance(ID))?.account;
  expect(account).toMatchObject({ spent: after.thread.spent, held: 0, ended: true });
  expect(after.thread.spent).toBeGreaterThan(before.thread.spent);
});

test("it is gone on with once: who comes second is refused, and nothing is written", async () => {
  const s = stage(DONE, [send]);
  await s.play();
  const { thread } = await readThread(s.world, ID);
  const both = await Promise.all(
    [1, 2].map(() => continueThread(s.world, thread, ask).catch((error) => error)),
  );
  expect(both.filter((each) => "threadId" in each)).toHaveLength(1);
  expect(await s.world.store.find({})).toHaveLength(2);
  expect(await goOn(s)).toEqual({ refused: "changed" });
});

test.each([
  ["failed", [{ calls: [call("send")] }, { fails: { status: 401 } }, { says: "better" }], "error"],
  ["was cancelled", [{ calls: [call("send")] }, { says: "better" }], "cancelled"],
])("one that %s goes on too", async (_, steps, status) => {
  const s = stage(steps, [{ ...send, rounds: 60 }]);
  const played = s.play();
  if (status === "cancelled") {
    await s.seen("tool_call_start");
    await s.ask({ kind: "cancel" });
  }
  await played;
  expect((await s.row()).status).toBe(status);
  const made = await goOn(s);
  if (!("threadId" in made)) throw new Error("refused");
  await s.rehost();
  const { thread } = await readThread(s.world, made.threadId);
  expect(thread).toMatchObject({ status: "completed", result: "better" });
});

const asking = { steps: [{ calls: [call("send")] }, { says: "late" }], limits: { turns: 1, spend: "0.30" } };
const quick = { steps: [{ says: "first" }, { says: "again" }], limits: { spend: "0.30" } };

test("a child's cap is held on its parent again, and its second end is told; its parent does not end before", async () => {
  const s = stage(
    [{ calls: [spawn("quick", { wait: true }), spawn("asking", { wait: true })] }, { says: "parent" }],
    [send],
    {},
    { children: { quick, asking }, limits: { spend: "3.00" } },
  );
  await s.play();
  const [child] = (await s.world.store.find({})).filter(({ directive }) => directive === "quick");
  const free = async () => (await s.world.store.balance(ID))?.balance.free ?? 0;
  const before = await free();
  const made = await goOn(s, child?.thread_id);
  if (!("threadId" in made)) throw new Error("refused");
  expect(await free()).toBe(before - (300_000_000 - (child?.spent ?? 0)));
  await s.rehost();
  expect(await free()).toBeGreaterThan(before - 300_000_000);
  await s.approve();
  await s.rehost();
  const { thread, events } = await readThread(s.world, ID);
  expect(thread.status).toBe("completed");
  const told = events.flatMap((event) =>
    "child_id" in event && event.child_id === child?.thread_id ? [event.type] : [],
  );
  expect(told).toEqual([
    ...["child_thread_started", "child_thread_completed"],
    ...["child_thread_resumed", "child_thread_completed"],
  ]);
  const statement = await s.world.store.balance(ID);
  expect(statement?.account).toMatchObject({ held: 0, ended: true });
  const below = Object.values(thread.children).reduce((sum, { cost }) => sum + (cost?.spent ?? 0), 0);
  expect(statement?.account.spent).toBe(thread.spent + below);
});

test("a cap that its parent cannot hold any more is refused, and nothing is written", async () => {
  const s = stage(
    [{ calls: [spawn("quick", { wait: true }), spawn("asking", { wait: true })] }, { says: "parent" }],
    [send],
    {},
    {
      children: { quick, asking: { ...asking, limits: { turns: 1, spend: "0.45" } } },
      limits: { spend: "0.70" },
    },
  );
  await s.play();
  const [child] = (await s.world.store.find({})).filter(({ directive }) => directive === "quick");
  expect(await goOn(s, child?.thread_id)).toMatchObject({ unpaid: { why: "budget" } });
  expect((await s.world.store.find({ threadId: child?.thread_id ?? "" }))[0]?.status).toBe("completed");
});

test("a child whose parent has ended begins a tree of its own, with what was left of its cap", async () => {
  const s = stage(
    [{ calls: [spawn("quick", { wait: true })] }, { says: "parent" }],
    [send],
    {},
    {
      ...{ children: { quick }, limits: { spend: "3.00" } },
    },
  );
  await s.play();
  const [child] = (await s.world.store.find({})).filter(({ directive }) => directive === "quick");
  const made = await goOn(s, child?.thread_id);
  if (!("threadId" in made)) throw new Error("refused");
  expect(made.rootId).toBe(made.threadId);
  await host(s.world, { scope: made.rootId, mayRecover: () => true, patienceMs: 1_000 });
  const [row] = await s.world.store.find({ threadId: made.threadId });
  expect(row).toMatchObject({ status: "completed", parent_id: null, chain_root_id: made.threadId });
  const { account } = (await s.world.store.balance(made.threadId)) ?? {};
  expect(account).toMatchObject({ cap: 300_000_000 - (child?.spent ?? 0), spent: row?.spent, ended: true });
});

test("a parent goes on with a child that did its work, by a message; not with one that was cancelled", async () => {
  const child = "{thread_id:1}";
  const s = stage(
    [
      { calls: [spawn("quick")] },
      { calls: [call("wait_threads", { thread_ids: [child] })] },
      { calls: [call("resume_thread", { thread_id: child })] },
      { calls: [call("resume_thread", { thread_id: child, message: "once more" })] },
      { calls: [call("wait_threads", { thread_ids: [child] })] },
      { calls: [call("cancel_thread", { thread_id: child })] },
      { says: "parent" },
    ],
    [send],
    {},
    { children: { quick }, limits: { spend: "3.00" } },
  );
  await s.play();
  const { events, thread } = await readThread(s.world, ID);
  const outputs = events.flatMap((event) => (event.type === "tool_call_result" ? [event.output] : []));
  expect(outputs[2]).toContain("it needs a message");
  expect(outputs[3]).toContain('"status":"resumed"');
  expect(outputs[4]).toContain('"result":"again"');
  expect(outputs[5]).toContain("it is completed");
  expect(thread.status).toBe("completed");
  const account = (await s.world.store.balance(ID))?.account;
  const below = Object.values(thread.children).reduce((sum, { cost }) => sum + (cost?.spent ?? 0), 0);
  expect(account).toMatchObject({ spent: thread.spent + below, held: 0, ended: true });
});

const story: Story = { name: "gone on with", steps: DONE, tools: [send], limits: { spend: "5.00" } };

/** As a person would: says it, or, where it had been taken already, lets it be hosted. */
async function sayAndHost({ world }: OpenedWorld): Promise<void> {
  const { thread } = await readThread(world, ID);
  if (thread.status === "completed") await continueThread(world, thread, ask);
  await host(world, { scope: ID, mayRecover: () => true, patienceMs: 1_000 });
}

test("death at every write of it: one head, links whole, nothing said twice, spend carried", async () => {
  const calm = storyUniverse(story, { broken: [] });
  const played = calm.open();
  await play(played.world, story);
  await played.kill();
  const counted = calm.open();
  await sayAndHost(counted);
  const { writes } = counted.mortal;
  for (let at = 1; at <= writes; at += 1) {
    for (const fate of ["landed", "lost", "torn"] as const) {
      const universe = storyUniverse(story, { broken: [] });
      const first = universe.open();
      await play(first.world, story);
      await first.kill();
      const mortal = universe.open({ at, fate });
      const said = sayAndHost(mortal);
      said.catch(() => {});
      await Promise.race([said, mortal.mortal.died]);
      await mortal.kill();
      const last = universe.open();
      await sayAndHost(last);
      const rows = await last.world.store.find({});
      const when = `death ${at} ${fate}`;
      expect(
        rows.map(({ status }) => status),
        when,
      ).toEqual(["completed", "continued"]);
      const { thread } = await readThread(last.world, rows[0]?.thread_id ?? "");
      const heard = toArray(thread.messages).filter(
        (each) => each.role === "user" && each.text === "and now?",
      );
      expect(heard, when).toHaveLength(1);
      const account = (await last.world.store.balance(ID))?.account;
      expect(account, when).toMatchObject({ spent: thread.spent, held: 0, ended: true });
      await last.kill();
    }
  }
  expect(writes).toBeGreaterThan(5);
});
