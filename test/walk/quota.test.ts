// Rows of the recovery table: "429 rate limit", "503 / connection reset", "API quota exhausted", "Permanent error".
import { expect, test } from "vitest";
import { defaultSettings } from "../../src/core/settings.ts";
import { stage, types } from "./stage.ts";

const DAY = 86_400_000;
const quota = {
  fails: { status: 429, type: "insufficient_quota", message: "You exceeded your current quota" },
};
const waits = (ms: number) => ({ fails: { status: 429, retry_after_ms: ms } });

test("API quota exhausted: once more after 60 s, then suspended, and a person lets it go on", async () => {
  const { play, row, approve, rehost, universe } = stage([quota, quota, { says: "done" }]);
  const before = universe.clock.monotonic();
  await play();
  expect(universe.clock.monotonic() - before).toBe(60_000);
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "quota" });
  await approve();
  await rehost();
  expect((await row()).run).toBe(2);
});

test("a wait of 30 days neither fires early nor is lost, and is nobody's to wait for", async () => {
  const { make, rehost, row, universe, events, world } = stage([waits(30 * DAY), { says: "done" }]);
  await make();
  const started = universe.clock.now();
  await rehost();
  // The host has left: no process waits that long.
  expect(universe.clock.now()).toBe(started);
  expect(await world.store.hosts()).toEqual([]);
  const until = new Date(started + 30 * DAY).toISOString();
  expect(await row()).toMatchObject({
    status: "suspended",
    suspend_reason: "quota",
    waits_for: { until, follows: "resume" },
  });
  await universe.clock.sleep(30 * DAY - 1_000_000);
  await rehost();
  expect(await row()).toMatchObject({ status: "suspended" });
  await universe.clock.sleep(1_000_000);
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", run: 1 });
  expect((await events()).find((event) => event.type === "thread_resumed")).toMatchObject({
    by: "timer",
    run: 1,
  });
  expect((await world.store.approvals({}))[0]).toMatchObject({ state: "void" });
});

test("a person may name the time, and change his mind", async () => {
  const dead = { fails: { status: 503 } };
  const { make, row, ask, rehost, universe } = stage([dead, dead, dead, dead, { says: "done" }]);
  await make();
  await rehost();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  const at = new Date(universe.clock.now() + DAY).toISOString();
  await ask({ kind: "resume", at });
  await rehost();
  expect(await row()).toMatchObject({
    status: "suspended",
    suspend_reason: "error",
    waits_for: { until: at },
  });
  await ask({ kind: "resume" });
  await rehost();
  expect((await row()).run).toBe(2);
});

test("a wait that a person cuts short, with the count kept", async () => {
  const { play, seen, ask, thread, events } = stage([
    waits(500_000),
    { fails: { status: 503 } },
    { says: "done" },
  ]);
  const played = play();
  await seen("auto_retry_start");
  expect(await ask({ kind: "retry", action: "now" })).toMatchObject({ accepted: true });
  await seen("error_classified", 2);
  await played;
  expect((await thread()).status).toBe("completed");
  const starts = (await events()).filter((event) => event.type === "auto_retry_start");
  expect(starts).toMatchObject([
    { attempt: 1, delayMs: 500_000 },
    { attempt: 1, delayMs: 0, by: "me" },
    { attempt: 2, delayMs: 4_000 },
  ]);
  expect((await events()).find((event) => event.type === "auto_retry_end")).toMatchObject({
    success: true,
    attempt: 2,
  });
});

test("a wait that a person stops: Retry cancelled, suspended, resumable", async () => {
  const { play, seen, ask, row, events } = stage([waits(500_000), { says: "done" }]);
  const played = play();
  await seen("auto_retry_start");
  await ask({ kind: "retry", action: "stop" });
  await played;
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  expect((await events()).find((event) => event.type === "auto_retry_end")).toMatchObject({
    success: false,
    attempt: 1,
    finalError: "Retry cancelled",
  });
  expect(await ask({ kind: "retry", action: "now" })).toMatchObject({ accepted: false });
});

test("a cancel in a backoff ends the retry first", async () => {
  const { play, seen, ask, events } = stage([waits(500_000), { says: "done" }]);
  const played = play();
  await seen("auto_retry_start");
  await ask({ kind: "cancel" });
  await played;
  expect(types(await events()).slice(-3)).toEqual(["cancel_requested", "auto_retry_end", "thread_cancelled"]);
});

test("a used-up key gives way to the next one, then to another model; each request says where it went", async () => {
  const asked: string[] = [];
  const settings = { model: { ...defaultSettings.model, fallback: ["scripted/other"] } };
  const staged = stage([quota, quota, { says: "done" }], [], settings, { model: { keys: 2 } });
  const { world } = staged;
  const { model } = world;
  Object.assign(world, {
    model: (name: string) => {
      const found = model(name);
      return (
        found && {
          ...found,
          keys: name === "scripted/other" ? 1 : 2,
          ask: (...given: Parameters<typeof found.ask>) => {
            asked.push(`${given[0].model} ${given[0].key}`);
            return found.ask(...given);
          },
        }
      );
    },
  });
  await staged.play();
  expect(await staged.row()).toMatchObject({ status: "completed" });
  expect(asked).toEqual(["scripted/story 0", "scripted/story 1", "scripted/other 0"]);
  const starts = (await staged.events()).filter((event) => event.type === "auto_retry_start");
  expect(starts).toMatchObject([
    { delayMs: 0, target: { model: "scripted/story", key: 1 } },
    { delayMs: 0, target: { model: "scripted/other", key: 0 } },
  ]);
  expect((await staged.thread()).target).toEqual({ model: "scripted/other", key: 0 });
});
