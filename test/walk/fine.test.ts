/** Small print that a whole story does not notice. */
import { expect, test } from "vitest";
import { host, postRequest } from "../../src/runtime/index.ts";
import { call, ID, rounds, stage, types } from "./stage.ts";

const HOSTED = { scope: ID, mayRecover: () => true, patienceMs: 1_000 };

test("commits of one thread never overlap, however slow the store is", async () => {
  const calls = Array.from({ length: 6 }, (_, n) => call(n % 2 ? "send" : "look", { n }));
  const { world, play, thread } = stage(
    [{ says: "a", calls, streams: { chunks: ["x"] } }, { says: "done" }],
    [
      { name: "send", effect: "manual", rounds: 3 },
      { name: "look", effect: "pure", rounds: 7 },
    ],
  );
  const { commit } = world.store;
  let under = 0;
  let most = 0;
  world.store.commit = async (lease, batch) => {
    under += 1;
    most = Math.max(most, under);
    await rounds(5);
    return commit(lease, batch).finally(() => {
      under -= 1;
    });
  };
  await play();
  expect((await thread()).status).toBe("completed");
  expect(most).toBe(1);
});

test("a quick result beside a slow tool is written with the answer, and runs once", async () => {
  const { play, events, universe, thread } = stage(
    [{ says: "a", calls: [call("quick"), call("slow")] }, { says: "done" }],
    [
      { name: "quick", effect: "manual", rounds: 12 },
      { name: "slow", effect: "manual", rounds: 400 },
    ],
  );
  await play();
  expect((await thread()).status).toBe("completed");
  expect(universe.effects.map((effect) => effect.tool).sort()).toEqual(["quick", "slow"]);
  const results = (await events()).filter((event) => event.type === "tool_call_result");
  expect(results.map((event) => [event.tool, event.source, event.status])).toEqual([
    ["quick", "run", "ok"],
    ["slow", "run", "ok"],
  ]);
});

test("a stream that breaks while an intent is being written keeps what was acted on", async () => {
  const { world, play, events, universe, oracle } = stage(
    [{ says: "a", calls: [call("send")], fails: { message: "reset" } }, { says: "done" }],
    [{ name: "send", effect: "manual" }],
  );
  const { commit } = world.store;
  world.store.commit = async (lease, batch) => {
    if ((batch.tail ?? []).some((event) => event.type === "tool_call_start")) await rounds(60);
    return commit(lease, batch);
  };
  await play();
  expect(universe.effects).toHaveLength(1);
  expect(types(await events()).filter((type) => type === "cognition_out")).toHaveLength(2);
  expect(oracle.broken).toEqual([]);
});

test("what the provider reported is what is counted", async () => {
  const usage = { input: 7, cache_read: 3, cache_write: 2, output: 11 };
  const { play, row, thread } = stage([{ says: "done", usage }]);
  await play();
  expect(await row()).toMatchObject({ input_tokens: 12, output_tokens: 11, turns: 1 });
  expect((await thread()).usage).toEqual(usage);
});

test("a recovery says for every call what it decided", async () => {
  const { play, seen, first, universe } = stage(
    [{ calls: [call("send"), call("look")] }, { says: "done" }],
    [
      { name: "send", effect: "manual", rounds: 1e9 },
      { name: "look", effect: "pure", rounds: 1e9 },
    ],
  );
  play().catch(() => {});
  await seen("tool_call_start", 2);
  await first.kill();
  const { world } = universe.open();
  Object.assign(world, { tool: () => undefined });
  await host(world, HOSTED);
  const { events } = await world.store.load(ID);
  expect(events.find((event) => event.type === "crash_recovered")?.decisions).toMatchObject([
    { tool: "send", effect: "manual", decision: "unknown" },
    { tool: "look", effect: "pure", decision: "rerun" },
  ]);
});

test("a clock set back before a new host sees the timer does not make it wait for years", async () => {
  const { play, seen, first, universe } = stage([{ fails: { status: 503 } }, { says: "done" }]);
  play().catch(() => {});
  await seen("auto_retry_start");
  await first.kill();
  universe.clock.jump(-10 * 365 * 86_400_000);
  const opened = universe.open();
  const before = universe.clock.monotonic();
  await play(opened);
  expect(universe.clock.monotonic() - before).toBeLessThanOrEqual(600_000);
  expect((await opened.world.store.find({ threadId: ID }))[0]?.status).toBe("completed");
});

test("what is posted between the last look and the leaving is not left behind", async () => {
  const dead = { fails: { status: 503 } };
  const { world, play, row } = stage([dead, dead, dead, dead]);
  const { leave } = world.store;
  let asked = false;
  world.store.leave = async (hostId, isIdle) => {
    if (!asked) {
      asked = true;
      const { nonce } = await row();
      await postRequest(world, {
        kind: "cancel",
        request_id: "c",
        thread_id: ID,
        by: "me",
        nonce,
        reason: "x",
      });
    }
    return leave(hostId, isIdle);
  };
  await play();
  expect((await row()).status).toBe("cancelled");
});

test("a host does not leave while another live process owns a thread of its scope", async () => {
  const { world, universe, make, row } = stage([{ says: "done" }]);
  await make();
  const other = universe.open();
  const claimed = await other.world.store.claim({
    threadId: ID,
    owner: other.world.machine.owner,
    seenEpoch: 0,
  });
  if ("refused" in claimed) throw new Error("refused");
  const hosted = host(world, HOSTED);
  await rounds(200);
  expect(await world.store.hosts()).toHaveLength(1);
  await other.world.store.commit(claimed.lease, { events: [], release: true });
  await hosted;
  expect((await row()).status).toBe("completed");
});

test("a host gives signs of life", async () => {
  const { world, play, seen, ask } = stage([{ hangs: true }]);
  const played = play();
  await seen("step_start");
  while (world.clock.monotonic() < 35_000) await rounds();
  expect((await world.store.hosts())[0]?.beats).toBeGreaterThanOrEqual(3);
  await ask({ kind: "cancel" });
  await played;
});

test("a cancel file is gone only when its request is stored", async () => {
  const { world, universe, play, seen, row } = stage([{ hangs: true }]);
  const played = play();
  await seen("step_start");
  const { nonce } = await row();
  const order: string[] = [];
  const { post } = world.store;
  world.store.post = (requests) => {
    order.push(`post with ${universe.cancelFiles.length} file`);
    return post(requests);
  };
  universe.cancelFiles.push({ threadId: ID, nonce, reason: "by file" });
  await played;
  expect(order).toEqual(["post with 1 file"]);
  expect(universe.cancelFiles).toEqual([]);
});
