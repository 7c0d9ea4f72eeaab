// Rows of the recovery table: "max_spend hit"; and what a provider may bill.
import { expect, test } from "vitest";
import type { Usage } from "../../src/core/message.ts";
import type { Model } from "../../src/core/model.ts";
import { call, ID, stage, unreplayed } from "./stage.ts";

const send = [{ name: "send", effect: "manual" as const }];
const usage = (input: number, output: number): Usage => ({ input, cache_read: 0, cache_write: 0, output });
/** Nano-dollars a token, as the stories have it. */
const IN = 3_000;
const OUT = 15_000;
const work = { calls: [call("send")], usage: usage(1_000, 100) };

test("max_spend hit: suspended before the request that would not fit; raised, it goes on, and costs are cumulative", async () => {
  const { play, row, world, ask, rehost, thread } = stage(
    [work, work, { says: "done", usage: usage(1, 1) }],
    send,
    {},
    { limits: { spend: "0.02" } },
  );
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit", turns: 1, held: 0 });
  const spent = 1_000 * IN + 100 * OUT;
  expect((await row()).spent).toBe(spent);
  const [question] = await world.store.approvals({});
  expect(question?.approval).toMatchObject({
    limit_code: "spend_exceeded",
    current_max: "0.0200",
    proposed_max: "0.0400",
  });
  await ask({
    kind: "decide",
    approval_id: question?.approval.approval_id ?? "",
    approved: true,
    via: "test",
    resume: true,
    limits: { spend: "1.00" },
  });
  await rehost();
  expect((await thread()).status).toBe("completed");
  expect(await world.store.balance(ID)).toMatchObject({
    account: { cap: 1e9, spent: 2 * spent + IN + OUT, held: 0, ended: true },
    open: [],
  });
});

test("the cap of an answer is lowered to what is affordable, and that much is held", async () => {
  const asked: number[] = [];
  const staged = stage([{ says: "done" }], [], {}, { limits: { spend: "0.04" } });
  const { model } = staged.world;
  Object.assign(staged.world, {
    model: (name: string): Model | undefined => {
      const found = model(name);
      return (
        found && {
          ...found,
          ask: (request, ...more) => {
            asked.push(request.maxOutputTokens);
            return found.ask(request, ...more);
          },
        }
      );
    },
  });
  await staged.play();
  const start = (await staged.events()).find((event) => event.type === "step_start");
  expect(asked[0]).toBe(start?.hold?.output_tokens);
  expect(asked[0]).toBeGreaterThanOrEqual(1_024);
  expect(asked[0]).toBeLessThan(8_192);
  expect(start?.hold?.amount).toBeLessThanOrEqual(40_000_000);
});

test.each<[string, Partial<Usage>, string]>([
  ["nothing", { input: 0, output: 0 }, "completed"],
  ["less than nothing", { input: -5_000, output: -1 }, "completed"],
  ["a fraction", { input: 10.5, output: 0 }, "completed"],
  ["no number", { input: Number.NaN, output: 1 }, "completed"],
])("a provider that bills %s breaks no sum", async (_, said, status) => {
  const { play, row, world } = stage(
    [
      { ...work, usage: { ...usage(0, 0), ...said } },
      { says: "done", usage: usage(1, 1) },
    ],
    send,
  );
  await play();
  const found = await row();
  expect(found.status).toBe(status);
  expect(Number.isSafeInteger(found.spent) && found.spent >= 0).toBe(true);
  expect(await world.store.balance(ID)).toMatchObject({ account: { spent: found.spent, held: 0 } });
});

test("a provider that reports more than can be counted stops its thread, and the store can still be read", async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const { play, row, world, events } = stage(
    [
      { ...work, usage: { input: most, cache_read: most, cache_write: 1e300, output: most } },
      { says: "never", usage: usage(1, 1) },
    ],
    send,
    {},
    { limits: { spend: "1.00", tokens: most } },
  );
  await play();
  const found = await row();
  expect(found).toMatchObject({ status: "suspended", suspend_reason: "budget" });
  const { spent, input_tokens, output_tokens } = found;
  expect([spent, input_tokens, output_tokens].every(Number.isSafeInteger)).toBe(true);
  expect((await world.store.balance(ID))?.account).toMatchObject({ spent, held: 0 });
  const [bill] = (await events()).flatMap((event) => (event.type === "cognition_out" ? [event.bill] : []));
  expect(bill?.amount).toBe(spent);
});

test("a bill above the hold is stored as it is, and a person is asked: reason budget", async () => {
  const { play, row, world, approve, rehost } = stage(
    [
      { ...work, usage: usage(200_000, 100) },
      { says: "done", usage: usage(1, 1) },
    ],
    send,
    {},
    { limits: { spend: "1.00", tokens: 1_000_000 } },
  );
  await play();
  const spent = 200_000 * IN + 100 * OUT;
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "budget", spent });
  expect((await world.store.balance(ID))?.balance).toMatchObject({ spent, free: 1e9 - spent });
  await approve();
  await rehost();
  // The conversation is known to be that long: another request does not fit into what is left.
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
});

test("a model without a price is not asked while there is a cap: the line to add is named", async () => {
  const { play, row, world, universe } = stage([{ says: "x" }], [], {}, { model: { price: undefined } });
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "budget", spent: 0, turns: 0 });
  expect((await world.store.approvals({}))[0]?.approval.prompt).toContain("models.yaml");
  expect(
    universe.notices.some((notice) => notice.type === "event" && notice.event.type === "step_start"),
  ).toBe(false);
});

test("failed requests cost nothing unless something of the answer was heard; each request has one hold", async () => {
  const dead = { fails: { status: 503 } };
  const { play, events, row } = stage([dead, dead, { says: "done", usage: usage(10, 10) }]);
  await play();
  const found = await events();
  const holds = found.flatMap((event) => (event.type === "step_start" && event.hold ? [event.hold.id] : []));
  expect(new Set(holds).size).toBe(3);
  expect(found.flatMap((event) => (event.type === "error_classified" ? [event.bill?.amount] : []))).toEqual([
    0, 0,
  ]);
  expect(await row()).toMatchObject({ spent: 10 * IN + 10 * OUT, held: 0 });
});

test("what is guessed of an answer that nobody billed is never more than was held for it", async () => {
  const staged = stage([{ says: "done", usage: usage(10, 10) }]);
  const { model } = staged.world;
  let asked = 0;
  const page = { kind: "stream_cut", message: "a page of a proxy", receivedBytes: 5_000_000 } as const;
  Object.assign(staged.world, {
    model: (name: string): Model | undefined => {
      const found = model(name);
      const fails: Model["ask"] = async () => ({ type: "failure", failure: page });
      return found && { ...found, ask: (...args) => (asked++ === 0 ? fails : found.ask)(...args) };
    },
  });
  await staged.play();
  const found = await staged.events();
  const [hold] = found.flatMap((event) => (event.type === "step_start" && event.hold ? [event.hold] : []));
  const [bill] = found.flatMap((event) =>
    event.type === "error_classified" && event.bill ? [event.bill] : [],
  );
  expect(bill?.amount).toBeGreaterThan((hold?.output_tokens ?? 0) * OUT);
  expect(bill?.amount).toBeLessThanOrEqual(hold?.amount ?? 0);
  expect((await staged.thread()).status).toBe("completed");
});

test("nothing is held while a retry waits", async () => {
  const { play, seen, row } = stage([{ fails: { status: 429, retry_after_ms: 60_000 } }, { says: "done" }]);
  const played = play();
  await seen("auto_retry_start");
  expect((await row()).held).toBe(0);
  await played;
});

test("a request that a crash cut off is charged as it was held, and held anew for the next one", async () => {
  const { play, first, seen, universe } = stage([{ hangs: true }, { says: "done" }] as never);
  play().catch(() => {});
  await seen("step_start");
  await first.kill();
  const opened = universe.open();
  const [before] = await opened.world.store.find({ threadId: ID });
  const hold = before?.held ?? 0;
  expect(hold).toBeGreaterThan(0);
  const next = play(opened);
  for (;;) {
    const { events } = await opened.world.store.load(ID);
    const recovered = events.find((event) => event.type === "crash_recovered");
    if (recovered) {
      expect(recovered).toMatchObject({ bill: { amount: hold, estimated: true } });
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await opened.kill();
  next.catch(() => {});
});

test("a cancelled request is paid for by what was heard of it, and leaves nothing held", async () => {
  const { play, seen, ask, row, world } = stage([{ hangs: true }] as never);
  const played = play();
  await seen("step_start");
  await ask({ kind: "cancel" });
  await played;
  expect(await row()).toMatchObject({ status: "cancelled", held: 0 });
  expect(await world.store.balance(ID)).toMatchObject({ account: { held: 0, ended: true }, open: [] });
});

test("an account that has less than the thread counted on stops it with a question, not with another try", async () => {
  const staged = stage([{ says: "never" }]);
  unreplayed(staged.universe);
  const { store } = staged.world;
  let refusals = 0;
  Object.assign(staged.world, {
    store: {
      ...store,
      commit: async (...[lease, { tail = [], ...batch }]: Parameters<typeof store.commit>) => {
        if (!tail.some((event) => event.type === "step_start"))
          return store.commit(lease, { ...batch, tail });
        refusals += 1;
        const answer = await store.commit(lease, batch);
        const shortage = { at: "the parent", asked: 5_000_000, free: 1_000_000 };
        return "refused" in answer ? answer : { ...answer, tailLanded: false, shortage };
      },
    },
  });
  await staged.play();
  expect(refusals).toBe(1);
  expect(await staged.row()).toMatchObject({
    status: "suspended",
    suspend_reason: "budget",
    error: "Its next request needs $0.0050, and the parent has $0.0010 free.",
  });
});
