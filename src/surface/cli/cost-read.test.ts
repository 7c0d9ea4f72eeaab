import { expect, test } from "vitest";
import type { Event } from "../../core/event.ts";
import { newRow, type ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { costLines, costTotal } from "./cost-lines.ts";
import { readCosts } from "./cost-read.ts";

const AT = "2026-01-02T00:00:00.000Z";
const rowOf = (id: string, more: Partial<ThreadRow>): ThreadRow => ({
  ...newRow(id),
  ...{ epoch: 1, owner: null, strikes: [], corrupt: null, hash: "", updated_at: AT },
  ...more,
});
const answer = (seq: number, amount: number, ts = AT): Event => ({
  ...{
    v: 1,
    seq,
    ts,
    thread_id: "t",
    type: "cognition_out",
    turn: seq,
    attempt: 1,
    content: [],
    stop: "end",
  },
  ...{ truncated: false, model: "m", usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 } },
  bill: { hold: `t/${seq}/1`, amount },
});

function counting(journals: (id: string) => readonly Event[]) {
  const asked = { load: 0, balance: 0, find: 0 };
  const store = {
    load: async (id: string) => {
      asked.load += 1;
      return { events: journals(id) };
    },
    balance: async () => {
      asked.balance += 1;
      return { account: { held: 5 } };
    },
    find: async () => {
      asked.find += 1;
      return [];
    },
  };
  return { asked, world: { store } as unknown as World };
}

test("ten thousand threads: one look at each journal that has money in it, one at each account that is open", async () => {
  const count = 10_000;
  const { asked, world } = counting(() => [answer(1, 3), answer(2, 4)]);
  const rows = Array.from({ length: count }, (_, at) =>
    rowOf(`t${at}`, {
      status: at % 4 === 0 ? "running" : "completed",
      ...(at % 2 === 0 ? { spent: 7, turns: 2, seq: 2 } : {}),
    }),
  );
  const costs = await readCosts(world, rows, undefined);
  expect(asked).toEqual({ load: count / 2, balance: count / 4, find: 0 });
  for (const by of ["thread", "model", "day", "directive"] as const) {
    expect(costTotal(costLines(costs, by)).sum.amount).toBe((count / 2) * 7);
  }
  expect(costTotal(costLines(costs, "thread")).reserved).toBe((count / 4) * 5);
});

test("a journal is read up to its row: what came later is not in the numbers", async () => {
  const { world } = counting(() => [answer(1, 3), answer(2, 4), answer(3, 100)]);
  const [cost] = await readCosts(
    world,
    [rowOf("t", { spent: 7, turns: 2, seq: 2, status: "running" })],
    undefined,
  );
  expect(cost).toMatchObject({ sum: { amount: 7, calls: 2 }, unreadable: 0 });
});

test("since a time: only what was charged then, and no journal that has been quiet since", async () => {
  const { asked, world } = counting(() => [answer(1, 3, "2026-01-01T00:00:00.000Z"), answer(2, 4)]);
  const row = { spent: 7, turns: 2, seq: 2, status: "completed" as const };
  const rows = [rowOf("t1", row), rowOf("t2", { ...row, updated_at: "2026-01-01T12:00:00.000Z" })];
  const costs = await readCosts(world, rows, "2026-01-01T23:00:00.000Z");
  expect(costs.map(({ sum }) => sum.amount)).toEqual([4, 0]);
  expect(asked.load).toBe(1);
});

test("what a damaged journal does not tell is told as that", async () => {
  const { world } = counting(() => [answer(1, 3)]);
  const costs = await readCosts(
    world,
    [rowOf("t", { spent: 7, turns: 2, seq: 2, status: "completed" })],
    undefined,
  );
  expect(costs).toMatchObject([{ sum: { amount: 7 }, unreadable: 4 }]);
  expect(costLines(costs, "model").map(({ key, sum }) => [key, sum.amount])).toEqual([
    ["(unreadable)", 4],
    ["m", 3],
  ]);
});
