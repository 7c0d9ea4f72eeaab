// Trees of threads as they are shown: waves, children that fail, ask, wait or are killed.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, QUICK_RETRIES } from "./cli.ts";
import { asks, atWork, boss, endTools, idOf, slow, start, worker } from "./family.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...worker("good", "- says: good work\n"),
    ...worker("shaky", "- fails: { status: 503, message: overloaded }\n- says: back\n"),
    ...worker("bad", "- fails: { status: 401, message: no key }\n"),
    ...asks("asks"),
    ...slow("slow"),
    ...boss(
      "mid",
      `- says: mid\n  calls:\n${start("good", ', limits: { spend: "0.10" }, wait: true')}- says: middle\n`,
    ),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  place.remove();
});

const WAVES = boss(
  "waves",
  `- says: alone\n  calls:\n${start("good", ", wait: true")}- says: two\n  calls:\n${start("shaky")}${start("bad")}- says: three\n  calls:\n${start("mid", ', limits: { spend: "0.60" }')}- says: done\n`,
);

test("waves by the turn that started them, with what each survived and spent", async () => {
  place.write(WAVES);
  expect((await place.run(["run", "waves"])).code).toBe(0);
  const text = await place.ok("tree");
  const lines = text.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^waves-\d+-\w{6} +✓ completed .*own · \$.* tree/);
  expect(lines[1]).toMatch(/^├─ turn 1 {2}good-\w{6} +✓ completed/);
  expect(lines[2]).toMatch(/^├─ wave 1 {2}\(turn 2/);
  expect(lines[3]).toMatch(/^│ {2}├─ shaky-\w{6} +✓ completed .* ↻1 /);
  expect(lines[4]).toMatch(/^│ {2}└─ bad-\w{6} +✗ error .*no key/);
  expect(lines[5]).toMatch(/^└─ wave 2 {2}\(turn 3/);
  expect(lines[6]).toMatch(/^ {3}└─ mid-\w{6} +✓/);
  expect(lines[7]).toMatch(/^ {6}└─ turn 1 {2}good-\w{6} +✓/);
  expect(lines).toHaveLength(8);
  const { kind, data } = await place.json("tree", "waves");
  expect(kind).toBe("thread.tree");
  expect(data.waves).toMatchObject([
    { turn: 1, joined_turn: 1, members: [expect.stringMatching(/^good-/)] },
    { turn: 2, members: [expect.stringMatching(/^shaky-/), expect.stringMatching(/^bad-/)] },
    { turn: 3, members: [expect.stringMatching(/^mid-/)] },
  ]);
  expect(data).toMatchObject({ below: 5, cost: { spawns: 4 }, processes: [] });
  expect(data.children).toMatchObject([
    { directive: "good", wave: null, children: [] },
    { directive: "shaky", wave: 1, retries: 1, status: "completed" },
    { directive: "bad", wave: 1, status: "error" },
    { directive: "mid", wave: 2, children: [{ directive: "good", parent_id: await idOf(place, "mid") }] },
  ]);
  const sum = (thread: { cost: { spend: string }; children: never[] }): number =>
    thread.children.reduce((total, child) => total + sum(child), Number(thread.cost.spend));
  expect(Number(data.tree_spend)).toBeCloseTo(sum(data), 9);
});

test("a part of a tree, so many generations, and plain lines", async () => {
  place.write(WAVES);
  await place.run(["run", "waves"]);
  const part = await place.run(["tree", "mid"]);
  expect(part.stdout.split("\n")).toHaveLength(3);
  expect(part.stderr).toMatch(/Part of a tree; all of it: selvage tree waves-/);
  const cut = await place.ok("tree", "waves", "--depth", "1");
  expect(cut).toContain("└─ … 1 more thread below");
  expect((await place.json("tree", "waves", "--depth", "1")).data.children[3]).toMatchObject({
    children: [],
    below: 1,
  });
  const plain = (await place.ok("tree", "waves", "--plain")).trimEnd().split("\n");
  expect(plain.map((line) => line.split("\t")[0])).toEqual(["0", "1", "1", "1", "1", "2"]);
  expect(await place.json("tree", "nobody")).toMatchObject({ exit: 5 });
});

test("without an id: every live tree; ended ones only when there is no other, or when asked for", async () => {
  expect((await place.json("tree")).data).toEqual({ trees: [] });
  place.write({
    ...boss("asking", `- says: one\n  calls:\n${start("asks", ", wait: true")}- says: done\n`),
    ...boss("brief", "- says: brief\n"),
  });
  await place.run(["run", "brief"]);
  expect((await place.json("tree")).data.trees).toMatchObject([{ directive: "brief" }]);
  await place.run(["run", "asking"]);
  const { kind, data } = await place.json("tree");
  expect(kind).toBe("thread.trees");
  expect(data.trees).toMatchObject([{ directive: "asking", view: "waiting" }]);
  const [{ children }] = data.trees;
  expect(await place.ok("tree")).toMatch(
    new RegExp(`asks-\\w{6} +‖ suspended \\(approval\\).*${children[0].approval} waiting \\d+s`),
  );
  expect((await place.json("tree", "--closed")).data.trees).toHaveLength(2);
});

test("ps --tree lists each below who started it", async () => {
  place.write(boss("patient", `- says: one\n  calls:\n${start("slow")}- says: done\n`));
  const run = place.start(["run", "patient"]);
  await atWork(place);
  const text = await place.ok("ps", "--tree");
  expect(text).toMatch(/\n◌ {2}patient-\S+ .*\n● {4}slow-/);
  expect((await place.json("ps", "--tree")).data.threads).toMatchObject([
    { directive: "patient", view: "waiting", children: [{ directive: "slow", children: [] }] },
  ]);
  endTools(place);
  expect((await run.ended).code).toBe(0);
});
