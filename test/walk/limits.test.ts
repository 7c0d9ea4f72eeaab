// Rows of the recovery table: "max_turns hit", "max_tokens hit"; and what a time limit means.
import { expect, test } from "vitest";
import { defaultSettings } from "../../src/core/settings.ts";
import { call, ID, stage, types } from "./stage.ts";

const send = [{ name: "send", effect: "manual" as const }];
const work = (to: string) => ({ calls: [call("send", { to })] });

test("max_turns hit: suspended before the turn, asked, raised, and on where it stopped; costs are cumulative", async () => {
  const { play, row, world, ask, rehost, thread, events, universe } = stage(
    [work("a"), work("b"), { says: "done" }],
    send,
    {},
    { limits: { turns: 1 } },
  );
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit", owner: null, turns: 1 });
  const [question] = await world.store.approvals({ states: ["open"] });
  expect(question).toMatchObject({
    thread_id: ID,
    approval: {
      reason: "limit",
      limit_code: "turns_exceeded",
      current: 1,
      current_max: 1,
      proposed_max: 2,
      on_deny: "cancel",
    },
  });
  const found = await events();
  expect(types(found).slice(-3)).toEqual([
    "thread_suspended",
    "limit_escalation_requested",
    "approval_requested",
  ]);
  expect(found.at(-2)).toMatchObject({
    limit_code: "turns_exceeded",
    current_value: 1,
    current_max: 1,
    proposed_max: 2,
    approval_request_id: question?.approval.approval_id,
  });
  await ask({
    kind: "decide",
    approval_id: question?.approval.approval_id ?? "",
    approved: true,
    via: "test",
    resume: true,
    limits: { turns: 3 },
  });
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", turns: 3, run: 2, limits: { turns: 3 } });
  expect((await thread()).result).toBe("done");
  expect(universe.effects.map(({ tool }) => tool)).toEqual(["send", "send"]);
  expect((await world.store.approvals({})).map(({ state }) => state)).toEqual(["decided"]);
});

test("an approval without numbers takes the proposed limit", async () => {
  const { play, row, approve, rehost } = stage(
    [work("a"), { says: "done" }],
    send,
    {},
    { limits: { turns: 1 } },
  );
  await play();
  await approve();
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", limits: { turns: 2 } });
});

test("a raise that does not reach asks again, with a new question", async () => {
  const { play, row, world, ask, rehost } = stage(
    [work("a"), work("b"), { says: "x" }],
    send,
    {},
    { limits: { turns: 2 } },
  );
  await play();
  await ask({ kind: "resume", limits: { turns: 2 } });
  await rehost();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
  expect((await world.store.approvals({})).map(({ state }) => state)).toEqual(["void", "open"]);
});

test("denied: cancelled, with what was done kept", async () => {
  const { play, row, deny, rehost, thread, world } = stage(
    [{ says: "half", ...work("a") }, { says: "never" }],
    send,
    {},
    { limits: { turns: 1 } },
  );
  await play();
  await deny("not worth it");
  await rehost();
  expect(await row()).toMatchObject({ status: "cancelled" });
  const ended = await thread();
  expect(ended.turns).toBe(1);
  expect((await world.store.approvals({}))[0]).toMatchObject({
    state: "decided",
    decision: { approved: false },
  });
});

test("max_tokens hit: the conversation that would go out again counts before it is sent", async () => {
  const usage = { input: 400, cache_read: 0, cache_write: 0, output: 100 };
  const steps = [
    { ...work("a"), usage },
    { says: "never", usage },
  ];
  const { play, row, events } = stage(steps, send, {}, { limits: { tokens: 1_000 } });
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit", turns: 1 });
  expect((await events()).at(-1)).toMatchObject({
    limit_code: "tokens_exceeded",
    current: 500,
    current_max: 1_000,
  });
});

test("policy deny: nobody is asked", async () => {
  const settings = { limits: { ...defaultSettings.limits, escalation: "deny" as const } };
  const { play, row, world } = stage([work("a"), { says: "never" }], send, settings, {
    limits: { turns: 1 },
  });
  await play();
  expect(await row()).toMatchObject({ status: "cancelled" });
  expect(await world.store.approvals({})).toEqual([]);
});

test("a finished thread is not stopped by the limit it has just reached", async () => {
  const { play, row } = stage([{ says: "done" }], [], {}, { limits: { turns: 1 } });
  await play();
  expect(await row()).toMatchObject({ status: "completed" });
});

test("time waited for a retry is no time at work", async () => {
  const { play, row } = stage(
    [{ fails: { status: 429, retry_after_ms: 300_000 } }, work("a"), { says: "done" }],
    send,
    {},
    { limits: { duration: 60 } },
  );
  await play();
  expect(await row()).toMatchObject({ status: "completed" });
});

test("five times the same call with the same result: a person is asked, and may let it go on (D8)", async () => {
  const same = Array.from({ length: 6 }, () => work("a"));
  const { play, row, world, approve, rehost } = stage([...same, { says: "done" }], send);
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "approval", turns: 5 });
  expect((await world.store.approvals({}))[0]?.approval.prompt).toContain('send {"to":"a"}');
  await approve();
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", turns: 7 });
});
