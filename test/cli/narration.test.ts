// What is told of a tree while it runs, and how commands end that wait for one of its members.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";
import { asks, atWork, boss, effects, endTools, idOf, slow, start, worker } from "./family.ts";

const good = worker("good", "- says: good work\n");
const bad = worker("bad", "- fails: { status: 401, message: no key }\n");

let place: Place;
beforeEach(async () => {
  place = new Place({ ...good, ...bad, ...asks("asks"), ...slow("slow") });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  place.remove();
});

const waves = boss(
  "waves",
  `- says: one\n  calls:\n${start("good")}${start("bad")}- says: two\n  calls:\n${start("good", ", wait: true")}- says: done\n`,
);

test("every line names its thread once there are several, and what becomes of children is told", async () => {
  place.write(waves);
  const { code, stdout, stderr } = await place.run(["run", "waves"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  const lines = stderr.split("\n");
  expect(lines.find((line) => line.includes("child") && line.includes("started"))).toMatch(
    /^\S+ waves-\w{6}\s+child\s+good-\w{6} started$/,
  );
  expect(stderr).toMatch(/ {2}good-\w{6}\s+turn 1\s+model\s+good work/);
  expect(stderr).toMatch(/child\s+bad-\w{6} ✗ error: .*no key/);
  expect(stderr).toMatch(/waits\s+for good-\w{6}/);
  expect(stderr).toMatch(/child\s+good-\w{6} ✓ 1 turn, \$0\.\d+/);
});

test("a thread without children is told as before", async () => {
  place.write(scripted("alone", "- says: alone\n"));
  const { stderr } = await place.run(["run", "alone"]);
  expect(stderr).toMatch(/^\S+ turn 1 {3}model {6}alone/m);
});

test("a root that only waits for a child that asks exits 3, and shows the child's question", async () => {
  place.write(boss("asking", `- says: one\n  calls:\n${start("asks", ", wait: true")}- says: done\n`));
  const run = await place.run(["run", "asking"]);
  expect(run).toMatchObject({ code: 3, stdout: "" });
  expect(run.stderr).toMatch(/◌ asking-\S+ waits for asks-\w{6}/);
  expect(run.stderr).toMatch(/‖ asks-\S+ needs you \(approval\)/);
  expect(run.stderr).toMatch(/selvage approve ap_\w+/);
  const parent = await place.json("show", "asking");
  const child = await idOf(place, "asks");
  expect(parent.data).toMatchObject({
    status: "running",
    view: "waiting",
    cost: { spawns: 1 },
    waits_for: { thread_ids: [child], open: [child], require: 1 },
    children: [{ thread_id: child, status: "suspended", suspend_reason: "approval" }],
    now: { doing: expect.stringMatching(/^waits for asks-/) },
  });
  const human = await place.ok("show", "asking");
  expect(human).toMatch(/children\s+‖ asks-\w{6} suspended \(approval\)/);
  expect(await place.ok("show", child)).toContain(`parent    ${parent.data.thread_id}`);
  // A yes to the child lets the whole tree go on, and says what the root came to.
  const yes = await place.run(["approve", "asks"]);
  expect(yes.code).toBe(0);
  expect(yes.stdout).toMatch(/✓ asks-\S+ completed: allowed\n✓ asking-\S+ completed: done/);
  expect(effects(place)).toEqual(["asks"]);
});

test("--json names who needs somebody", async () => {
  place.write(boss("asking", `- says: one\n  calls:\n${start("asks", ", wait: true")}- says: done\n`));
  const run = await place.json("run", "asking");
  expect(run).toMatchObject({
    exit: 3,
    kind: "thread.result",
    data: {
      view: "waiting",
      needs_you: [
        {
          thread_id: expect.stringMatching(/^asks-/),
          suspend_reason: "approval",
          approval: expect.any(String),
        },
      ],
    },
  });
});

test("while a child works its parent is shown as waiting", async () => {
  place.write(boss("patient", `- says: one\n  calls:\n${start("slow", ", wait: true")}- says: done\n`));
  const run = place.start(["run", "patient"]);
  await atWork(place);
  const { threads } = (await place.json("ps")).data;
  expect(threads.map(({ directive, view }: Record<string, string>) => [directive, view])).toEqual([
    ["slow", "running"],
    ["patient", "waiting"],
  ]);
  expect((await place.json("ps", "-s", "waiting")).data.threads).toHaveLength(1);
  endTools(place);
  expect(await run.ended).toMatchObject({ code: 0, stdout: "done\n" });
});
