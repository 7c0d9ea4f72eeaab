// Limits that are changed ahead of time, and charges that are corrected: by whom, when, and what the ledger makes of it.
import { expect, test } from "vitest";
import type { Event, EventType } from "../../src/core/event.ts";
import type { Usage } from "../../src/core/message.ts";
import { showDollars } from "../../src/core/money.ts";
import { applyRequests } from "../../src/runtime/index.ts";
import { noteBlind } from "../../src/runtime/requests.ts";
import { call, ID, stage, types } from "./stage.ts";

const send = [{ name: "send", effect: "manual" as const }];
const usage = (input: number, output: number): Usage => ({ input, cache_read: 0, cache_write: 0, output });
/** Nano-dollars a token, as the stories have it. */
const IN = 3_000;
const OUT = 15_000;
const work = { calls: [call("send")], usage: usage(1_000, 100) };
const COST = 1_000 * IN + 100 * OUT;
const done = { says: "done", usage: usage(1, 1) };
const of = <T extends EventType>(events: readonly Event[], type: T) =>
  events.filter((event) => event.type === type) as unknown as Event<T>[];

test("a thread that runs takes new limits between two turns, and its ledger with them", async () => {
  const { play, seen, ask, events, row, world } = stage(
    [work, work, done],
    send,
    {},
    { limits: { turns: 9 } },
  );
  const played = play();
  await seen("step_start");
  await ask({ kind: "budget", request_id: "b1", set: { turns: 5 }, add: { spend: "0.50" } });
  await played;
  expect(of(await events(), "budget_changed")).toMatchObject([
    { by: "me", request_id: "b1", limits: { turns: 5, spend: "1.50" } },
  ]);
  expect(await row()).toMatchObject({ status: "completed", limits: { turns: 5, spend: "1.50" } });
  expect((await world.store.balance(ID))?.account).toMatchObject({ cap: 1_500_000_000, ended: true });
});

test("accepted, and overtaken: a cap below what is spent and held by then is refused with both numbers", async () => {
  const heavy = { ...work, usage: usage(20_000, 100) };
  const { play, seen, ask, events, row, world, thread } = stage([heavy, done], send);
  const played = play();
  await seen("step_start");
  const held = (await row()).held;
  expect(held).toBeLessThan(200_000_000);
  // Nothing is spent yet, and less than this is held: it is fine when it is asked.
  const asked = { kind: "budget" as const, request_id: "b1", set: { spend: "0.20", turns: 3 } };
  expect(await ask(asked)).toMatchObject({ accepted: true });
  await played;
  const found = await events();
  const [, next] = of(found, "step_start");
  const used = 20_000 * IN + 100 * OUT + (next?.hold?.amount ?? 0);
  expect(of(found, "budget_changed")).toMatchObject([
    {
      request_id: "b1",
      limits: {},
      refused: `a spend limit of $0.2000 is below the $${showDollars(used)} that are spent and held`,
    },
  ]);
  // All of it or nothing: the turns stay as well. The thread is none the worse for it.
  expect(await row()).toMatchObject({ status: "completed", limits: { spend: "1.00", turns: 25 } });
  expect((await thread()).limits).toMatchObject({ spend: "1.00", turns: 25 });
  expect((await world.store.balance(ID))?.account.cap).toBe(1e9);
});

test("two who add at the same time add both", async () => {
  const { make, ask, world, row } = stage([done]);
  await make();
  await ask({ kind: "budget", add: { spend: "0.25" } });
  await ask({ kind: "budget", add: { spend: "0.25" } });
  expect(await applyRequests(world, ID, 1_000)).toBe(true);
  expect((await row()).limits["spend"]).toBe("1.50");
});

test("no host lives: a suspended thread gets its limits, keeps its question, and goes on when it is resumed", async () => {
  const { play, ask, row, world, rehost, events } = stage([work, done], send, {}, { limits: { turns: 1 } });
  await play();
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
  const before = (await events()).length;
  await ask({ kind: "budget", set: { turns: 1 } });
  expect(await applyRequests(world, ID, 1_000)).toBe(true);
  expect((await events()).length).toBe(before);
  await ask({ kind: "budget", add: { turns: 4 } });
  expect(await applyRequests(world, ID, 1_000)).toBe(true);
  expect(await row()).toMatchObject({ status: "suspended", limits: { turns: 5 }, owner: null });
  expect(await world.store.approvals({ states: ["open"] })).toHaveLength(1);
  await ask({ kind: "resume" });
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", turns: 2 });
});

test("a raise that is refused lets no turn through that it was asked for", async () => {
  const { play, ask, row, rehost, events } = stage([work, done], send, {}, { limits: { turns: 1 } });
  await play();
  await ask({ kind: "resume", limits: { turns: 9, spend: "0.000000001" } });
  await rehost();
  const found = await events();
  expect(of(found, "budget_changed")).toMatchObject([
    { limits: {}, refused: expect.stringContaining("below") },
  ]);
  expect(of(found, "step_start")).toHaveLength(1);
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit", limits: { turns: 1 } });
});

test("its owner died asking the model: who only changes limits writes the death down, and the request is charged once", async () => {
  const { play, first, seen, universe, ask } = stage([{ hangs: true }, done] as never);
  play().catch(() => {});
  await seen("step_start");
  await ask({ kind: "budget", add: { spend: "0.25" } });
  await first.kill();
  const { world } = universe.open();
  const [{ held = 0 } = {}] = await world.store.find({ threadId: ID });
  expect(await applyRequests(world, ID, 1_000)).toBe(true);
  const { events } = await world.store.load(ID);
  expect(types(events).slice(-3)).toEqual(["crash_detected", "crash_recovered", "budget_changed"]);
  const [row] = await world.store.find({ threadId: ID });
  expect(row).toMatchObject({ status: "running", owner: null, spent: held, held: 0, recoveries: 1 });
  // Claimed once more, it asks with a hold of its own.
  expect(await applyRequests(world, ID, 1_000)).toBe(true);
  expect((await world.store.load(ID)).events).toHaveLength(events.length);
});

test("its owner died while a tool ran: the call is left to who hosts it", async () => {
  const slow = [{ name: "send", effect: "manual" as const, rounds: 1e9 }];
  const { play, first, seen, universe, ask } = stage([work, done], slow);
  play().catch(() => {});
  await seen("tool_call_start");
  await ask({ kind: "budget", set: { turns: 7 } });
  await first.kill();
  const opened = universe.open();
  expect(await applyRequests(opened.world, ID, 1_000)).toBe(true);
  const { events } = await opened.world.store.load(ID);
  expect(types(events).slice(-2)).toEqual(["crash_detected", "budget_changed"]);
  await play(opened);
  const after = (await opened.world.store.load(ID)).events;
  expect(of(after, "crash_recovered")).toMatchObject([
    { decisions: [{ tool: "send", decision: "unknown" }] },
  ]);
  expect(of(after, "tool_call_result")).toMatchObject([{ status: "unknown" }]);
});

test("a thread that takes its owners down is not read for it: limits change, a charge has to be said again", async () => {
  const { make, row } = stage([done]);
  await make();
  const asked = { thread_id: ID, by: "me" };
  const { events, consumes } = noteBlind(await row(), [
    { ...asked, kind: "budget", request_id: "b1", add: { turns: 5 } },
    { ...asked, kind: "settle", request_id: "s1", hold: `${ID}/1/1`, amount: 1 },
  ]);
  expect(consumes).toEqual(["b1", "s1"]);
  expect(events.slice(1)).toEqual([
    { type: "budget_changed", by: "me", request_id: "b1", limits: { turns: 30 } },
    expect.objectContaining({ type: "charge_corrected", request_id: "s1", refused: expect.any(String) }),
  ]);
});

/** A stream that broke after a tool had started: nobody said what it cost, so it is estimated. */
const broken = { ...work, usage: undefined, fails: { message: "reset" } } as never;

test("a charge for want of a bill is corrected, again and again, and every sum is exact", async () => {
  const { play, ask, row, world, rehost, events, thread } = stage(
    [broken, work, done],
    send,
    {},
    { limits: { turns: 2 } },
  );
  await play();
  const [{ hold = "", amount = 0 } = {}] = (await thread()).unbilled;
  expect(hold).toBe(`${ID}/1/1`);
  expect(await row()).toMatchObject({ status: "suspended", spent: amount + COST });
  const settle = async (to: number) => {
    await ask({ kind: "settle", hold, amount: to });
    await applyRequests(world, ID, 1_000);
    const statement = await world.store.balance(ID);
    expect((await row()).spent).toBe(to + COST);
    expect((await thread()).spent).toBe(to + COST);
    expect(statement?.account).toMatchObject({ spent: to + COST, held: 0 });
  };
  await settle(1);
  await settle(999_999_999);
  await settle(0);
  await settle(123_456_789);
  const before = (await events()).length;
  await settle(123_456_789);
  expect((await events()).length).toBe(before);
  expect(of(await events(), "charge_corrected").map(({ was, amount: to }) => [was, to])).toEqual([
    [amount, 1],
    [1, 999_999_999],
    [999_999_999, 0],
    [0, 123_456_789],
  ]);
  await ask({ kind: "resume", limits: { turns: 9 } });
  await rehost();
  expect(await row()).toMatchObject({ status: "completed", spent: 123_456_789 + COST + IN + OUT });
  expect(await ask({ kind: "settle", hold, amount: 7 })).toEqual({ accepted: false, why: "it is completed" });
});

test("what a provider billed is not corrected, nor what nobody asked for; both are written down as refused", async () => {
  const { play, ask, row, world, events } = stage([work, done], send, {}, { limits: { turns: 1 } });
  await play();
  for (const hold of [`${ID}/1/1`, `${ID}/9/9`, "__proto__"]) await ask({ kind: "settle", hold, amount: 0 });
  await applyRequests(world, ID, 1_000);
  const said = of(await events(), "charge_corrected");
  expect(said.map(({ refused }) => refused)).toEqual(
    Array(3).fill(expect.stringContaining("want of a bill")),
  );
  expect((await row()).spent).toBe(COST);
});

test("money that a correction gives back can be spent", async () => {
  const { play, first, seen, universe } = stage(
    [{ hangs: true }] as never,
    [],
    {},
    { limits: { spend: "0.13" } },
  );
  play().catch(() => {});
  await seen("step_start");
  await first.kill();
  const opened = universe.open();
  const { store } = opened.world;
  const row = async () => (await store.find({ threadId: ID }))[0];
  const held = (await row())?.held ?? 0;
  await play(opened);
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "limit", spent: held, held: 0 });
  const asked = { thread_id: ID, by: "me" };
  const nonce = (await row())?.nonce ?? "";
  await store.post([
    { ...asked, kind: "settle", request_id: "s1", hold: `${ID}/1/1`, amount: 1_000_000 },
    { ...asked, kind: "resume", request_id: "r1", nonce },
  ]);
  play(opened).catch(() => {});
  await seen("step_start", 2);
  expect(await row()).toMatchObject({ status: "running", spent: 1_000_000 });
  expect(await store.balance(ID)).toMatchObject({ account: { spent: 1_000_000, held: (await row())?.held } });
  await opened.kill();
});
