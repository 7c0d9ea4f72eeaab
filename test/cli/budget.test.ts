// Limits against use, changed ahead of time by a person; and what a request really cost.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./cli.ts";
import {
  answered,
  BILLED,
  expectExact,
  HANGS,
  held,
  killedWhileAsking,
  limited,
  makeThread,
  openStore,
} from "./money.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...limited("work", 'turns: 1, spend: "0.50"', BILLED),
    ...limited("tight", 'spend: "0.02"', BILLED),
    ...limited("hangs", 'spend: "0.50"', HANGS),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const started = async (name: string): Promise<string> => (await place.json("run", name)).data.thread_id;
const events = async (id: string) => {
  const store = openStore(place);
  const loaded = await store.load(id);
  await store.close();
  return loaded.events;
};

test("all limits against use; raised while it is suspended, it says what lets it go on, and it does", async () => {
  const id = await started("work");
  expect((await place.json("budget", id)).data).toMatchObject({
    thread_id: id,
    status: "suspended",
    limits: { turns: 1, tokens: 200_000, spend: "0.50", spawns: 10, duration: 1_800, depth: 3 },
    used: { turns: 1, tokens: 1_100, spend: "0.0045", spawns: 0, depth: 0 },
    ...{ reserved: "0.0000", free: "0.4955", parent: null, parent_free: null, history: [], corrections: [] },
  });
  const shown = await place.run(["budget", id]);
  expect(shown.stdout).toMatch(/^ {2}turns +1 +1 +0 left$/m);
  expect(shown.stdout).toMatch(/^ {2}spend +\$0\.0045 +\$0\.50 +\$0\.50 free$/m);
  expect(shown.stderr).toContain(`selvage budget ${id} --add turns=…`);
  const raised = await place.run(["budget", id, "--set", "spend=1.20", "--add", "turns=4"]);
  expect(raised).toMatchObject({ code: 0, stdout: `${id} spend $0.50 → $1.20, turns 1 → 5 ($1.20 free)\n` });
  expect(raised.stderr).toContain(`selvage resume ${id}   lets it go on with the limits it has`);
  const store = openStore(place);
  expect((await store.find({ threadId: id }))[0]).toMatchObject({
    limits: { turns: 5, spend: "1.20" },
    owner: null,
  });
  expect((await store.balance(id))?.account.cap).toBe(1_200_000_000);
  await store.close();
  expect((await place.json("budget", id, "--history")).data.history).toEqual([
    {
      ...{ at: expect.stringMatching(/Z$/), by: expect.stringContaining("@"), refused: null },
      ...{ from: { turns: 1, spend: "0.50" }, to: { turns: 5, spend: "1.20" } },
    },
  ]);
  expect(await place.ok("budget", id, "--history")).toMatch(
    /^\S+Z {2}spend \$0\.50 → \$1\.20, turns 1 → 5 {2}by \S+@\S+$/m,
  );
  expect((await place.run(["logs", id])).stdout).toMatch(/limits +spend \$0\.50 → \$1\.20, turns 1 → 5/);
  expect((await place.json("resume", id)).data).toMatchObject({ status: "completed", cost: { turns: 3 } });
  const late = await place.json("budget", id, "--add", "turns=1");
  expect(late).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
  expect((await place.json("verify")).data.findings).toEqual([]);
});

test("to the same value: it says so and writes nothing", async () => {
  const id = await started("work");
  const before = await events(id);
  const same = await place.run(["budget", id, "--set", "spend=0.5000", "--set", "turns=1"]);
  expect(same).toMatchObject({
    code: 0,
    stdout: `${id} has spend $0.50, turns 1 already. Nothing was written.\n`,
  });
  expect(await events(id)).toEqual(before);
});

test.each([
  [["--set", "turms=5"], 2, "did you mean turns?"],
  [["--set", "turns=0"], 2, "whole number above 0"],
  [["--set", "turns=-3"], 2, "whole number above 0"],
  [["--add", "spend=NaN"], 2, "an amount"],
  [["--set", "spend=99999999"], 2, "an amount"],
  [["--add", "spend=9007199"], 2, "an amount"],
  [["--set", "turns"], 2, "name=value"],
  [["--set", "turns=2", "--add", "turns=2"], 2, "at once"],
  [["--set", "turns=2", "--settle", "1/1=1"], 2, "or a charge is corrected"],
  [["--settle", "1/1"], 2, "such as 3/1=0.0123"],
  [["--settle", "1/1=-1"], 2, "such as 3/1=0.0123"],
  [["--settle", "1/1=0.01"], 5, "The provider billed $0.0045 for it"],
  [["--settle", "7/1=0.01"], 5, "No request of this name"],
  [["--set", "spend=0.004499999"], 10, "$0.0045 are spent and $0.0000 are held"],
])("%j is refused with exit %i, and nothing is written", async (args, exit, why) => {
  const id = await started("work");
  const before = await events(id);
  const refused = await place.json("budget", id, ...args);
  expect(refused).toMatchObject({ exit, error: { why: expect.stringContaining(why) } });
  expect(await events(id)).toEqual(before);
});

test("an agent cannot raise its own budget; nor is there one of a thread that is not there", async () => {
  const id = await started("work");
  const agent = { SELVAGE_THREAD: id };
  for (const args of [
    ["--add", "turns=1"],
    ["--settle", "1/1=0"],
  ]) {
    expect(await place.run(["budget", id, ...args], agent)).toMatchObject({ code: 9 });
  }
  expect((await place.run(["budget", id], agent)).code).toBe(0);
  expect((await place.json("budget", "nobody", "--add", "turns=1")).exit).toBe(5);
});

test("money is what it lacks: it says so until there is more", async () => {
  const id = await started("tight");
  expect((await place.run(["budget", id])).stderr).toContain(`selvage budget ${id} --add spend=…`);
  expect((await place.run(["budget", id, "--add", "spend=0.48"])).stderr).toContain(`selvage resume ${id}`);
  expect((await place.json("resume", id)).data.status).toBe("completed");
  await expectExact(place);
});

test("a resume and a yes with a cap below what is used are refused too, before anything is written", async () => {
  const id = await started("work");
  const before = await events(id);
  const resume = await place.json("resume", id, "--set", "turns=9", "--set", "spend=0.001");
  expect(resume).toMatchObject({ exit: 10, error: { code: "E_BUDGET_REFUSED" } });
  const { data } = await place.json("approvals");
  const yes = await place.json(
    "approve",
    data.approvals[0].approval_id,
    "--set",
    "turns=9",
    "--set",
    "spend=0.001",
  );
  expect(yes).toMatchObject({ exit: 10 });
  expect(await events(id)).toEqual(before);
});

test("a live owner has it: asked while the model thinks, it is told and not lost; told once the owner is gone", async () => {
  const { child, ended } = place.start(["run", "hangs"]);
  const id = await until(async () => {
    const { data } = await place.json("ps");
    return data.threads[0]?.status === "running" && data.threads[0].budget.reserved !== "0.0000"
      ? data.threads[0].thread_id
      : undefined;
  });
  const asked = await place.run(["budget", id, "--add", "spend=0.10"]);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stdout).toContain("is asked to change its limits; its owner takes it between two steps");
  child.kill("SIGKILL");
  await ended;
  // Whoever comes next takes both.
  const second = await place.run(["budget", id, "--add", "turns=1"]);
  expect(second.stdout).toContain("turns 25 → 26");
  expect((await place.json("budget", id)).data).toMatchObject({
    limits: { spend: "0.60", turns: 26 },
    history: [{ to: { spend: "0.60" } }, { to: { turns: 26 } }],
    correctable: [
      { hold: `${id}/1/1`, kind: "cut_off", command: `selvage budget ${id} --settle 1/1=AMOUNT` },
    ],
  });
  await expectExact(place);
});

test("a request that a kill cut off is charged as held, and corrected as often as somebody knows better", async () => {
  const id = await killedWhileAsking(place, "hangs");
  await place.ok("budget", id, "--add", "turns=1");
  const { correctable } = (await place.json("budget", id)).data;
  const { hold, amount } = correctable[0];
  expect(await place.ok("budget", id)).toContain(`--settle 1/1=AMOUNT   $${amount}, charged as held`);
  const line = await place.ok("budget", id, "--settle", "1/1=0.0123");
  expect(line).toBe(`${id} charge ${hold} $${amount} → $0.0123 ($0.0123 spent, $0.49 free)\n`);
  await expectExact(place);
  expect(await place.ok("budget", id, "--settle", "1/1=0.01230")).toContain("Nothing was written");
  await place.ok("budget", id, "--settle", `${hold}=0.700000001`);
  // The truth may be above the limit: it is stored as it is.
  expect((await place.json("budget", id)).data).toMatchObject({
    used: { spend: "0.700000001" },
    free: "-0.200000001",
    corrections: [
      { hold, from: amount, to: "0.0123" },
      { hold, from: "0.0123", to: "0.700000001" },
    ],
  });
  expect(await place.ok("budget", id)).toMatch(/spend +\$0\.70 +\$0\.50 +\$0\.20 over/);
  expect(await place.ok("budget", id, "--history")).toContain(`charge ${hold} $0.0123 → $0.700000001`);
  expect((await place.run(["logs", id])).stdout).toContain(`charge     ${hold} $0.0123 → $0.700000001`);
  await expectExact(place);
  expect((await place.json("verify")).data.findings).toEqual([]);
});

test("a child is raised out of what its parent has free, and both are told", async () => {
  const parent = "crud-1767225600-aaa111";
  const child = "ui-1767225601-bbb222";
  const store = openStore(place);
  await makeThread(store, {
    ...{ id: parent, limits: { spend: "3.00" } },
    events: [held(parent, 1, 700_000_000), answered(parent, 1, 620_000_000)],
  });
  await makeThread(store, { id: child, parent, root: parent, limits: { spend: "0.80" } });
  await store.close();
  const raised = await place.run(["budget", child, "--add", "spend=1.00"]);
  expect(raised.stdout).toBe(`${child} spend $0.80 → $1.80 ($1.80 free; ${parent} keeps $0.58 free)\n`);
  expect((await place.json("budget", child)).data).toMatchObject({ parent, parent_free: "0.5800" });
  expect((await place.json("budget", parent)).data).toMatchObject({
    used: { spawns: 1, depth: 1 },
    reserved: "1.8000",
  });
  const more = await place.json("budget", child, "--add", "spend=0.580000001");
  expect(more).toMatchObject({
    exit: 10,
    error: {
      code: "E_BUDGET_REFUSED",
      what: `Cannot reserve $0.580000001 more for ${child}: ${parent} has $0.5800 free.`,
      next: [{ cmd: `selvage budget ${parent} --add spend=0.000000001` }, {}],
    },
  });
});
