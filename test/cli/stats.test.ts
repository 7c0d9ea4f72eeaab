// What threads did, as a process tells it: the money is the ledger's, the rest the journal's.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./cli.ts";
import {
  answered,
  BILLED,
  ended,
  expectExact,
  FLAKY,
  held,
  limited,
  makeThread,
  nanos,
  openStore,
} from "./money.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...limited("billed", 'spend: "0.50"', BILLED),
    ...limited("flaky", 'spend: "0.50"', FLAKY),
    ".ai/config/resilience.yaml": "retry: { base_delay_ms: 20 }\n",
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const ways = ["tree", "model", "directive", "day"];

/** Each way adds up to the accounts of the ledger, and to what `cost` says. */
async function expectLedger(): Promise<void> {
  const store = openStore(place);
  const rows = await store.find({});
  const spent = rows.reduce((sum, row) => sum + row.spent, 0);
  const turns = rows.reduce((sum, row) => sum + row.turns, 0);
  const tokens = rows.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0);
  let booked = 0;
  for (const { chain_root_id } of rows) {
    const account = (await store.balance(chain_root_id))?.account;
    const below = rows.filter(({ parent_id }) => parent_id === chain_root_id);
    expect(below).toEqual([]);
    booked += account?.spent ?? 0;
  }
  await store.close();
  expect(booked).toBe(spent);
  const cost = (await place.json("cost")).data;
  for (const by of ways) {
    const { data } = await place.json("stats", "--by", by);
    const sum = data.rows.reduce((all: number, row: { cost: string }) => all + nanos(row.cost), 0);
    expect([by, sum, nanos(data.total.cost)]).toEqual([by, spent, spent]);
    expect([data.total.cost, data.total.requests]).toEqual([cost.total.own, cost.total.calls]);
    expect([data.total.turns, data.total.input_tokens + data.total.output_tokens]).toEqual([turns, tokens]);
  }
  await expectExact(place);
}

test("nothing done is said; what cannot be asked for is refused with what can", async () => {
  expect(await place.json("stats")).toMatchObject({
    kind: "stats",
    ok: true,
    data: {
      by: "tree",
      since: null,
      root: null,
      complete: true,
      rows: [],
      total: { cost: "0.0000", turns: 0 },
    },
  });
  expect((await place.run(["stats"])).stderr).toContain("Nothing was done yet.");
  const wrong = await place.json("stats", "--by", "modle");
  expect(wrong).toMatchObject({ exit: 2, error: { why: "Did you mean model?" } });
  expect((await place.json("stats", "--root", "nobody")).exit).toBe(5);
  expect((await place.json("stats", "--since", "soon")).exit).toBe(2);
});

test("real runs: the sums are the ledger's, whichever way they are told", async () => {
  expect((await place.json("run", "billed")).data.status).toBe("completed");
  expect((await place.json("run", "flaky")).data.status).toBe("completed");
  await expectLedger();
  const { data } = await place.json("stats", "--by", "directive");
  const flaky = data.rows.find(({ key }: { key: string }) => key === "flaky");
  expect(flaky).toMatchObject({ threads: 1, failures: { transient: 1 }, retries: 1 });
  expect(data.total.tools.bash).toMatchObject({ calls: 3, errors: 0, error_rate: 0 });
  const text = await place.ok("stats");
  expect(text).toContain("failures   transient 1");
  expect(text).toMatch(/^TOOL +CALLS +ERRORS/m);
  expect(text).toMatch(/^total {2}/m);
  const csv = (await place.ok("stats", "--by", "model", "--csv")).split("\n");
  expect(csv[0]).toMatch(/^model,cost,input_tokens,cache_read_tokens,/);
  expect(
    csv.filter((line) => line.startsWith("scripted/billed,0.012051,3007,0,0,202,0,3,3,0,0,2,0,")),
  ).toHaveLength(1);
});

test("--root takes the tree that a thread is in, --since what happened since then", async () => {
  const [ROOT, CHILD, OTHER] = ["crud-1767225600-aaa111", "plan-1767225601-bbb222", "else-1767225602-ccc333"];
  const store = openStore(place);
  await makeThread(store, {
    id: ROOT,
    limits: { spend: "3.00" },
    events: [held(ROOT, 1, 9), answered(ROOT, 1, 5)],
  });
  await makeThread(store, {
    ...{ id: CHILD, parent: ROOT, root: ROOT, limits: { spend: "0.80" } },
    events: [held(CHILD, 1, 8), answered(CHILD, 1, 7), ended],
  });
  await makeThread(store, { id: OTHER, events: [held(OTHER, 1, 4), answered(OTHER, 1, 3)] });
  await store.close();
  const of = async (...args: string[]) => (await place.json("stats", ...args)).data;
  expect(
    (await of()).rows.map((row: { key: string; cost: string; threads: number }) => [
      row.key,
      row.cost,
      row.threads,
    ]),
  ).toEqual([
    [ROOT, "0.000000012", 2],
    [OTHER, "0.000000003", 1],
  ]);
  expect(await of("--root", CHILD)).toMatchObject({ root: ROOT, total: { cost: "0.000000012", turns: 2 } });
  expect(await of("--since", "1h")).toMatchObject({ total: { cost: "0.000000015" } });
  const later = new Date(Date.now() - 1).toISOString();
  expect(await of("--since", later)).toMatchObject({ since: later, rows: [], total: { cost: "0.0000" } });
});
