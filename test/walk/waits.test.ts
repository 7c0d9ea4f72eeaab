import { expect, test } from "vitest";
import type { ThreadId } from "../../src/core/id.ts";
import type { Model } from "../../src/core/model.ts";
import { gateFor } from "../../src/runtime/gate.ts";
import { createThread, host } from "../../src/runtime/index.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { Universe } from "../../src/testing/index.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";
import { rounds, stage, types } from "./stage.ts";

test("approve 'ask again now' passes the gate of a process that lives on", async () => {
  const _asked = 0;
  const gated = { gate: () => "k" };
  const s = stage(
    [{ fails: { status: 429, retry_after_ms: 3_600_000 } }, { says: "x" }],
    [],
    {},
    { model: gated },
  );
  await s.make();
  await s.rehost();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "quota" });
  await s.approve();
  await s.rehost();
  // attempt starts over: script answers attempt 1 with the failure again, so look at what happened
  const classified = (await s.events()).flatMap((e) => (e.type === "error_classified" ? [e.error] : []));
  expect(classified).toHaveLength(2);
  expect(classified.join()).not.toContain("is not asked");
});

test("retry --now goes at once, also at the gate", async () => {
  const s = stage(
    [{ fails: { status: 429, retry_after_ms: 300_000 } }, { says: "x" }],
    [],
    {},
    { model: { gate: () => "k" } },
  );
  const before = s.universe.clock.monotonic();
  const over = s.play();
  await s.seen("auto_retry_start");
  await s.ask({ kind: "retry", action: "now" });
  await over;
  expect((await s.row()).status).toBe("completed");
  expect(s.universe.clock.monotonic() - before).toBeLessThan(10_000);
});

test("a model that throws leaves the gate", async () => {
  const universe: Universe = new Universe({ model: () => model, tools: () => [] });
  let n = 0;
  const model: Model = {
    streams: false,
    gate: () => "k",
    async ask(_, on) {
      n += 1;
      if (n === 1)
        return { type: "failure", failure: { kind: "http", status: 429, message: "x", retryAfterMs: 10 } };
      if (n === 2) throw new Error("a bug");
      on({ type: "block", block: { type: "text", text: "done" } });
      return { type: "end", stop: "end", usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 } };
    },
  };
  const { world } = universe.open();
  const [a, b] = ["story-1767225600-000001", "story-1767225600-000002"] as [ThreadId, ThreadId];
  const ask = { directive: STORY_DIRECTIVE, inputs: {}, tools: [], by: "test" };
  await createThread(world, a, ask);
  await expect(host(world, { scope: a, mayRecover: () => true, patienceMs: 1000 })).rejects.toThrow("a bug");
  await createThread(world, b, ask);
  await Promise.race([host(world, { scope: b, mayRecover: () => true, patienceMs: 1000 }), rounds(5000)]);
  expect((await world.store.find({ threadId: b }))[0]?.status).toBe("completed");
});

test("nobody at the gate, no timer left", async () => {
  const clock = fakeClock();
  const gate = gateFor(clock, "k");
  const one = await gate.pass(new AbortController().signal, 600_000, () => {});
  if ("leave" in one) one.leave({ refusedForMs: 600_000 });
  const stop = new AbortController();
  const waiting = gate.pass(stop.signal, 600_000, () => {});
  stop.abort();
  await waiting;
  await rounds(200);
  expect(clock.monotonic()).toBeLessThan(600_000); // the fake clock moves only for a sleeper
});

test("crash loop with a decision that has a message: verify agrees", async () => {
  const { noteBlind } = await import("../../src/runtime/requests.ts");
  const _s = stage([{ fails: { status: 401 } }], [], {}, {});
  const row = { status: "suspended", run: 1 } as never;
  const { events } = noteBlind(row, [
    {
      kind: "decide",
      request_id: "r",
      thread_id: "t",
      by: "me",
      approval_id: "ap",
      approved: true,
      via: "cli",
      message: "go",
      resume: true,
    },
  ]);
  expect(events[0]).toMatchObject({ message: "go" });
});

test("a resume with a message that a crash loop takes note of keeps the message", async () => {
  const { noteBlind } = await import("../../src/runtime/requests.ts");
  const { events } = noteBlind({ status: "suspended", run: 1 } as never, [
    { kind: "resume", request_id: "r", thread_id: "t", by: "me", nonce: "n", message: "go" },
  ]);
  expect(types(events as never)).toContain("message_received");
});
