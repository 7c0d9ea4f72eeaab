import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import { stage, types } from "./stage.ts";

test("a rate limit waits exactly as long as the provider asked", async () => {
  const { play, universe, thread } = stage([
    { fails: { status: 429, retry_after_ms: 1_500 } },
    { says: "done" },
  ]);
  const before = universe.clock.monotonic();
  await play();
  expect((await thread()).status).toBe("completed");
  expect(universe.clock.monotonic() - before).toBe(1_500);
});

test("the events of a chain of retries, in order, and its numbers", async () => {
  const { play, events } = stage([{ fails: { status: 503 } }, { fails: { status: 529 } }, { says: "done" }]);
  await play();
  const found = await events();
  expect(types(found)).toEqual([
    "thread_created",
    "cognition_in",
    "thread_started",
    "step_start",
    "error_classified",
    "auto_retry_start",
    "step_start",
    "error_classified",
    "auto_retry_start",
    "step_start",
    "retry_succeeded",
    "auto_retry_end",
    "cognition_out",
    "step_finish",
    "thread_completed",
  ]);
  expect(found.filter((event) => event.type === "auto_retry_start").map((event) => event.delayMs)).toEqual([
    2_000, 4_000,
  ]);
  expect(found.find((event) => event.type === "retry_succeeded")).toMatchObject({ attempt: 3 });
  expect(found.find((event) => event.type === "auto_retry_end")).toMatchObject({ success: true, attempt: 2 });
});

test("a failed answer leaves no trace in the conversation", async () => {
  const { play, thread } = stage([{ says: "half", fails: { message: "cut" } }, { says: "whole" }]);
  await play();
  expect(toArray((await thread()).messages).slice(1)).toEqual([
    { role: "assistant", blocks: [{ type: "text", text: "whole" }], turn: 1 },
  ]);
});

test("retries used up: suspended with a reason, and a person lets it go on where it stopped", async () => {
  const dead = { fails: { status: 503 } };
  const { play, row, ask, rehost, thread, events } = stage([dead, dead, dead, dead, { says: "done" }]);
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "error", owner: null });
  const { run, nonce } = await row();
  await ask({ kind: "resume" });
  await rehost();
  // The script fails four requests of one turn: the next run starts again at its first.
  expect(await row()).toMatchObject({ status: "suspended", run: run + 1 });
  expect((await row()).nonce).not.toBe(nonce);
  expect((await events()).filter((event) => event.type === "error_classified")).toHaveLength(8);
  expect((await thread()).turns).toBe(0);
});

test("with retries turned off the first failure suspends", async () => {
  const retry = { ...defaultSettings.retry, enabled: false };
  const { play, row, universe } = stage([{ fails: { status: 503 } }, { says: "x" }], [], { retry });
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  expect(
    universe.notices.some((notice) => notice.type === "event" && notice.event.type === "auto_retry_start"),
  ).toBe(false);
});

test("a permanent failure ends the thread and is asked once", async () => {
  const { play, row, events } = stage([{ fails: { status: 401, message: "bad key" } }, { says: "never" }]);
  await play();
  expect(await row()).toMatchObject({ status: "error", error: "The provider refused the key: bad key" });
  expect((await events()).filter((event) => event.type === "error_classified")).toHaveLength(1);
});

test.each([10, -10])(
  "a clock that jumps %i years in a backoff neither fires early nor loses the wake-up",
  async (years) => {
    const { play, universe, seen, thread } = stage([{ fails: { status: 503 } }, { says: "done" }]);
    const played = play();
    await seen("auto_retry_start");
    universe.clock.jump(years * 365 * 86_400_000);
    const before = universe.clock.monotonic();
    await played;
    expect((await thread()).status).toBe("completed");
    const waited = universe.clock.monotonic() - before;
    expect(waited).toBeGreaterThan(1_900);
    expect(waited).toBeLessThanOrEqual(2_000);
  },
);
