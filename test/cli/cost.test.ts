// What threads cost, as a process tells it: every figure is the ledger's.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./cli.ts";
import {
  answered,
  BILLED,
  ended,
  expectExact,
  FLAKY,
  HANGS,
  held,
  killedWhileAsking,
  limited,
  makeThread,
  nanos,
  openStore,
} from "./money.ts";

const ROOT = "crud-1767225600-aaa111";
const DONE = "plan-1767225601-bbb222";
const LIVE = "ui-1767225602-ccc333";
const GRAND = "test-1767225603-ddd444";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...limited("billed", 'spend: "0.50"', BILLED),
    ...limited("flaky", 'spend: "0.50"', FLAKY),
    ...limited("hangs", 'spend: "0.50"', HANGS),
    ".ai/config/resilience.yaml": "retry: { base_delay_ms: 20 }\n",
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

test("nothing spent is said, and takes no thread to say", async () => {
  expect(await place.json("cost")).toMatchObject({
    kind: "cost",
    data: {
      by: "thread",
      rows: [],
      total: { own: "0.0000", tokens: 0 },
      models: [],
      correctable: [],
      forecast: null,
    },
  });
  expect((await place.run(["cost"])).stderr).toContain("Nothing was spent yet.");
  expect((await place.json("cost", "nobody")).exit).toBe(5);
});

test("bills, failed attempts, requests cut off by a kill and ends over an open hold: all to the last unit", async () => {
  const billed = (await place.json("run", "billed")).data;
  expect(billed).toMatchObject({ status: "completed", cost: { spend: "0.012051" } });
  expect(billed.budget).toEqual({
    ...{ max: "0.5000", spent: "0.012051", reserved: "0.0000", children: "0.0000" },
    ...{ free: "0.487949", over: "0.0000" },
  });
  expect((await place.json("run", "flaky")).data.status).toBe("completed");
  // One is killed and then ended: what was held is charged. One is killed, and its limits are changed.
  const gone = await killedWhileAsking(place, "hangs");
  const before = (await place.json("cost", gone)).data;
  expect(before.rows).toMatchObject([{ key: gone, own: "0.0000", calls: 0, cut_off: 0, limit: "0.5000" }]);
  const hold = before.rows[0].reserved;
  expect(nanos(hold)).toBeGreaterThan(100_000_000);
  await expectExact(place);
  await place.run(["cancel", gone]);
  expect((await place.json("cost", gone)).data).toMatchObject({
    rows: [{ own: hold, reserved: "0.0000", calls: 1, cut_off: 1, status: "cancelled" }],
    correctable: [],
  });
  const lost = await killedWhileAsking(place, "hangs");
  expect((await place.run(["budget", lost, "--add", "turns=1"])).code).toBe(0);
  const { data } = await place.json("cost", lost);
  expect(data).toMatchObject({
    rows: [{ own: hold, cut_off: 1 }],
    models: [{ key: "scripted/hangs", own: hold }],
    correctable: [{ thread_id: lost, hold: `${lost}/1/1`, amount: hold, kind: "cut_off", corrected: false }],
  });
  await expectExact(place);
  const text = await place.ok("cost", lost);
  expect(text).toContain("! 1 call cut off");
  expect(text).toContain("1 call cut off, the provider may have billed it: charged as held");
  expect(text).toContain(`selvage budget ${lost} --settle 1/1=AMOUNT   $${hold}, charged as held`);
  expect(await place.ok("show", lost)).toContain(`selvage budget ${lost} --settle 1/1=AMOUNT`);
  await place.ok("budget", lost, "--settle", "1/1=0.000000001");
  expect((await place.json("cost", lost)).data).toMatchObject({
    rows: [{ own: "0.000000001", cut_off: 0 }],
    correctable: [{ amount: "0.000000001", corrected: true }],
  });
  expect(await place.ok("cost", lost)).not.toContain("--settle");
  await expectExact(place);
  expect((await place.json("verify")).data.findings).toEqual([]);
});

/** A root with one child that ended and one that lives, which has a child of its own. */
async function tree(): Promise<void> {
  const store = openStore(place);
  const of = (id: string, parent: string) => ({ id, parent, root: ROOT });
  await makeThread(store, {
    ...{ id: ROOT, limits: { spend: "3.00" }, directive: "crud", model: "a/large" },
    events: [held(ROOT, 1, 200_000_000), answered(ROOT, 1, 170_000_001), held(ROOT, 2, 50_000_000)],
  });
  await makeThread(store, {
    ...{ ...of(DONE, ROOT), limits: { spend: "0.80" }, directive: "plan", model: "a/small" },
    events: [held(DONE, 1, 700_000_000), answered(DONE, 1, 450_000_002), ended],
  });
  await makeThread(store, {
    ...{ ...of(LIVE, ROOT), limits: { spend: "0.80" }, directive: "plan", model: "a/small" },
    events: [held(LIVE, 1, 400_000_000), answered(LIVE, 1, 300_000_003)],
  });
  await makeThread(store, {
    ...{ ...of(GRAND, LIVE), limits: { spend: "0.20" }, directive: "test", model: "a/large" },
    events: [held(GRAND, 1, 40_000_000), answered(GRAND, 1, 30_000_004)],
  });
  await store.close();
}

test("a tree: own, children, what is reserved for them and how much of that is used", async () => {
  await tree();
  const { data } = await place.json("cost", ROOT);
  const row = (key: string) => data.rows.find((each: { key: string }) => each.key === key);
  expect(data.rows.map((each: { key: string; depth: number }) => [each.key, each.depth])).toEqual([
    [ROOT, 0],
    [DONE, 1],
    [LIVE, 1],
    [GRAND, 2],
  ]);
  expect(row(ROOT)).toMatchObject({
    ...{ own: "0.170000001", children: "0.780000009", reserved: "0.8500", reserved_used: "0.330000007" },
    ...{ limit: "3.0000", tokens: 110, parent_id: null },
  });
  expect(row(DONE)).toMatchObject({
    own: "0.450000002",
    children: "0.0000",
    reserved: "0.0000",
    status: "completed",
  });
  expect(row(LIVE)).toMatchObject({
    own: "0.300000003",
    children: "0.030000004",
    reserved: "0.2000",
    parent_id: ROOT,
  });
  expect(data.total).toMatchObject({ own: "0.95000001", reserved: "0.8500", tokens: 440, calls: 4 });
  expect(data.models).toMatchObject([
    { key: "a/small", own: "0.750000005" },
    { key: "a/large", own: "0.200000005" },
  ]);
  // What the account of the root says: its own, and the child that ended; the one that lives is reserved for.
  const store = openStore(place);
  expect((await store.balance(ROOT))?.account).toMatchObject({ spent: 620_000_003, held: 850_000_000 });
  await store.close();
  await expectExact(place);
  expect((await place.ok("cost", ROOT)).split("\n").map((line) => line.trimEnd())).toEqual([
    "THREAD                      OWN    CHILDREN  RESERVED            LIMIT  TOKENS",
    `${ROOT}      $0.17  $0.78     $0.85 ($0.33 used)  $3.00  110`,
    `  ${DONE}    $0.45                                $0.80  110`,
    `  ${LIVE}      $0.30  $0.03     $0.20 ($0.03 used)  $0.80  110`,
    `    ${GRAND}  $0.03                                $0.20  110`,
    "total                       $0.95            $0.85                      440",
    "  per model   a/small $0.75 · a/large $0.20",
    "",
  ]);
  const part = await place.run(["cost", LIVE]);
  expect(part.stdout).not.toContain(DONE);
  expect(part.stderr).toContain(`selvage cost ${ROOT}`);
  expect((await place.json("cost", "--by", "directive")).data.rows).toMatchObject([
    { key: "plan", own: "0.750000005", children: null, limit: null },
    { key: "crud", own: "0.170000001", reserved: "0.0500" },
    { key: "test", own: "0.030000004" },
  ]);
});

test("what nobody priced is unknown, with its tokens, and never nothing", async () => {
  const store = openStore(place);
  await makeThread(store, {
    id: "free-1767225600-aaa111",
    events: [held("free-1767225600-aaa111", 1, 0), answered("free-1767225600-aaa111", 1, 0)],
  });
  await makeThread(store, {
    id: "dark-1767225601-aaa111",
    events: [answered("", 1, null), answered("", 2, null)],
  });
  await store.close();
  const { data } = await place.json("cost");
  expect(data.rows).toMatchObject([
    { key: "dark-1767225601-aaa111", own: null, tokens: 220, unpriced_tokens: 220, limit: null },
    { key: "free-1767225600-aaa111", own: "0.0000", tokens: 110, unpriced_tokens: 0 },
  ]);
  expect(data.total).toMatchObject({ own: "0.0000", unpriced_tokens: 220 });
  const text = await place.ok("cost");
  expect(text).toMatch(/^dark-\S+ +— +220$/m);
  expect(text).toMatch(/^free-\S+ +\$0\.00 +110$/m);
  expect(text).toContain("— 220 tokens of models that have no price here");
  expect(await place.ok("show", "dark-1767225601-aaa111")).toMatch(/spend +— · 220 tokens/);
});

test("days, times, and a pace that is told only where it is known", async () => {
  const id = "pace-1767225600-aaa111";
  const store = openStore(place);
  const turns = [1, 2, 3, 4, 5].flatMap((turn) => [
    held(id, turn, 20_000_000),
    answered(id, turn, turn * 1_000_000),
  ]);
  await makeThread(store, { id, limits: { spend: "0.10" }, events: turns });
  const four = "slow-1767225601-aaa111";
  const fewer = [1, 2, 3, 4].flatMap((turn) => [
    held(four, turn, 20_000_000),
    answered(four, turn, 1_000_000),
  ]);
  await makeThread(store, { id: four, limits: { spend: "0.10" }, events: fewer });
  await store.close();
  // 0.085 are left; the middle of five turns cost 0.003.
  expect((await place.json("cost", id)).data.forecast).toEqual({ turns: 28, per_turn: "0.0030" });
  expect(await place.ok("cost", id)).toContain("the spend limit is reached in about 28 turns");
  expect((await place.json("cost", four)).data.forecast).toBeNull();
  expect((await place.json("cost", "--by", "day")).data.rows).toEqual([
    expect.objectContaining({
      key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      own: "0.0190",
      reserved: null,
      calls: 9,
    }),
  ]);
  expect((await place.json("cost", "--since", "1h")).data).toMatchObject({ total: { own: "0.0190" } });
  const since = new Date(Date.now() + 1).toISOString();
  await until(() => Date.now() > Date.parse(since));
  expect((await place.json("cost", "--since", since)).data.total).toMatchObject({ own: "0.0000", tokens: 0 });
  for (const wrong of ["soon", "2026-13-45", "2999-01-01"]) {
    expect(await place.json("cost", "--since", wrong)).toMatchObject({ exit: 2 });
  }
  expect(await place.json("cost", "--by", "modle")).toMatchObject({
    exit: 2,
    error: { why: "Did you mean model?" },
  });
});

test("for a spreadsheet: quoted, and nothing that it would run", async () => {
  const store = openStore(place);
  const id = "evil-1767225600-aaa111";
  await makeThread(store, {
    ...{ id, limits: { spend: "1.00" }, directive: 'a,"b"', model: "=cmd|' /C calc'!A0" },
    events: [held(id, 1, 20_000_000), answered(id, 1, 10_000_000)],
  });
  const plus = "plus-1767225601-aaa111";
  await makeThread(store, {
    ...{ id: plus, limits: { spend: "1.00" }, directive: "@SUM(A1)", model: "+1" },
    events: [held(plus, 1, 1_000), answered(plus, 1, 1)],
  });
  await store.close();
  expect((await place.ok("cost", "--csv")).split("\n")).toEqual([
    "thread,own,children,reserved,limit,tokens,input_tokens,output_tokens,unpriced_tokens,calls,cut_off,estimated,parent,directive,model,status",
    `${plus},0.000000001,0.0000,0.0000,1.0000,110,100,10,0,1,0,0,,"'@SUM(A1)","'+1",running`,
    `${id},0.0100,0.0000,0.0000,1.0000,110,100,10,0,1,0,0,,"a,""b""","'=cmd|' /C calc'!A0",running`,
    "",
  ]);
  const [, first] = (await place.ok("cost", "--by", "model", "--csv")).split("\n");
  expect(first).toBe(`"'=cmd|' /C calc'!A0",0.0100,,0.0000,,110,100,10,0,1,0,0`);
  expect((await place.ok("cost", "-q")).trim()).toBe("0.010000001");
  expect(await place.ok("cost", plus, "--plain")).toBe(
    `${plus}\t0.000000001\t0.0000\t0.0000\t1.0000\t110\t0\t1\t0\t0\n`,
  );
});

test("a damaged journal: what cannot be told apart is told as that, and the sum stays the ledger's", async () => {
  const id = (await place.json("run", "billed")).data.thread_id;
  const store = openStore(place);
  const { events } = await store.load(id);
  await store.close();
  const seq = events.find((event) => event.type === "cognition_out" && event.turn === 2)?.seq ?? 0;
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const db = new DatabaseSync(`${place.root}/.ai/threads/registry.db`);
  db.exec(`UPDATE events SET body = '{}' WHERE seq = ${seq}`);
  db.close();
  const { data, warnings } = await place.json("cost", "--by", "model");
  expect(data.total.own).toBe("0.012051");
  expect(data.rows).toMatchObject([
    { key: "(unreadable)", own: "0.007551" },
    { key: "scripted/billed", own: "0.0045" },
  ]);
  expect(warnings[0]).toContain("damaged");
});
