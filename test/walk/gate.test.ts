import { expect, test } from "vitest";
import type { ThreadId } from "../../src/core/id.ts";
import type { Model } from "../../src/core/model.ts";
import { createThread, host } from "../../src/runtime/index.ts";
import { Universe } from "../../src/testing/index.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";

/** A provider that takes so many requests at once, and sends the others away for a while. */
function provider(universe: () => Universe, takes: number, resetMs: number) {
  const count = { asked: 0, answered: 0, refused: 0, most: 0 };
  let underWay = 0;
  const model: Model = {
    streams: false,
    gate: () => "the one key",
    async ask(_, on) {
      count.asked += 1;
      underWay += 1;
      count.most = Math.max(count.most, underWay);
      const isTooMany = underWay > takes;
      await universe().clock.sleep(isTooMany ? 5 : 200);
      underWay -= 1;
      if (isTooMany) {
        count.refused += 1;
        const failure = { kind: "http" as const, status: 429, message: "too many", retryAfterMs: resetMs };
        return { type: "failure", failure };
      }
      count.answered += 1;
      on({ type: "block", block: { type: "text", text: "done" } });
      return { type: "end", stop: "end", usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 } };
    },
  };
  return { model, count };
}

async function crowd(threads: number, takes: number, resetMs: number) {
  const served = provider(() => universe, takes, resetMs);
  const universe: Universe = new Universe({ model: () => served.model, tools: () => [] });
  const { world } = universe.open();
  const ids = Array.from(
    { length: threads },
    (_, n) => `story-1767225600-${String(n).padStart(6, "0")}` as ThreadId,
  );
  const ask = { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" };
  for (const id of ids) await createThread(world, id, ask);
  await host(world, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const rows = await world.store.find({});
  return { ...served, universe, statuses: new Set(rows.map((row) => row.status)) };
}

test("200 threads on one key through a burst of refusals: hardly a request more than an answer needs", async () => {
  const { count, statuses } = await crowd(200, 20, 1_500);
  expect([...statuses]).toEqual(["completed"]);
  expect(count.answered).toBe(200);
  // Everybody asks once before the first refusal is there; what counts is what comes after.
  const firstBurst = 200;
  const answeredLater = 200 - 20;
  expect((count.asked - firstBurst) / answeredLater).toBeLessThanOrEqual(1.1);
});

test("a provider that is never refused is never held", async () => {
  const { count, universe } = await crowd(50, 1_000, 1_500);
  expect(count).toMatchObject({ asked: 50, answered: 50, refused: 0, most: 50 });
  expect(universe.notices.some(({ type }) => type === "held")).toBe(false);
});

test("who waits at the gate is told so, and a cancel ends the wait at once", async () => {
  const served = provider(() => universe, 0, 60_000);
  const universe: Universe = new Universe({ model: () => served.model, tools: () => [] });
  const { world } = universe.open();
  const [first, second] = ["story-1767225600-000001", "story-1767225600-000002"] as [ThreadId, ThreadId];
  const ask = { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" };
  await createThread(world, first, ask);
  const hosted = host(world, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const told = async (type: string) => {
    for (let rounds = 0; rounds < 20_000; rounds += 1) {
      if (universe.notices.some((notice) => notice.type === type)) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`no ${type}`);
  };
  for (; served.count.refused === 0; ) await new Promise((resolve) => setImmediate(resolve));
  await createThread(world, second, ask);
  await told("held");
  const before = universe.clock.monotonic();
  const [row] = await world.store.find({ threadId: second });
  await world.store.post([
    { kind: "cancel", request_id: "c", thread_id: second, by: "me", reason: "r", nonce: row?.nonce ?? "" },
  ]);
  world.machine.ring(world.machine.owner);
  for (;;) {
    const [now] = await world.store.find({ threadId: second });
    if (now?.status === "cancelled") break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(universe.clock.monotonic() - before).toBeLessThan(1_000);
  await world.store.post([
    {
      kind: "cancel",
      request_id: "d",
      thread_id: first,
      by: "me",
      reason: "r",
      nonce: (await world.store.find({ threadId: first }))[0]?.nonce ?? "",
    },
  ]);
  world.machine.ring(world.machine.owner);
  await hosted;
});

test("a key that is shut for longer than anybody waits suspends the others too, without asking", async () => {
  const served = provider(() => universe, 0, 3_600_000);
  const universe: Universe = new Universe({ model: () => served.model, tools: () => [] });
  const { world } = universe.open();
  const ids = ["story-1767225600-000001", "story-1767225600-000002"] as ThreadId[];
  const ask = { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" };
  for (const id of ids) {
    await createThread(world, id, ask);
    await host(world, { scope: id, mayRecover: () => true, patienceMs: 1_000 });
  }
  expect(served.count.asked).toBe(1);
  const rows = await world.store.find({});
  expect(rows.map(({ status, suspend_reason }) => [status, suspend_reason])).toEqual([
    ["suspended", "quota"],
    ["suspended", "quota"],
  ]);
});
