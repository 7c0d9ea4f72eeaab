// kill -9 of a run with a tree, and the whole of it coming back.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, QUICK_RETRIES, until } from "./cli.ts";
import { asks, atWork, boss, effects, endTools, idOf, kill, slow, start, threads, worker } from "./family.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...worker("good", "- says: good work\n"),
    ...asks("asks"),
    ...slow("slow"),
    ...boss(
      "tree",
      `- says: one\n  calls:\n${start("good")}${start("asks")}- says: two\n  calls:\n${start("slow", ", wait: true")}- says: done\n`,
    ),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  endTools(place);
  place.remove();
});

const statuses = async () =>
  Object.fromEntries((await threads(place)).map(({ directive, status }) => [directive, status]));

/** A run that dies while a tool works, one child has ended and one asks. */
async function crash(): Promise<void> {
  const run = place.start(["run", "tree"]);
  await atWork(place);
  await until(async () => {
    const now = await statuses();
    return now["good"] === "completed" && now["asks"] === "suspended";
  });
  await kill(run);
}

test("the plan shows who waits for whom, what was in flight and which questions stay open", async () => {
  await crash();
  const [tree, child, asker] = [
    await idOf(place, "tree"),
    await idOf(place, "slow"),
    await idOf(place, "asks"),
  ];
  const plan = await place.json("recover", "--scan");
  expect(plan).toMatchObject({ exit: 3, data: { scanned: 3 } });
  expect(plan.data.orphans).toMatchObject([
    { thread_id: tree, reason: "waits_for_children", waits_for: [child], in_flight: [] },
    {
      thread_id: child,
      reason: "owner_gone",
      in_flight: [{ tool: "bash", effect: "manual", decision: "unknown" }],
    },
  ]);
  expect(plan.data.approvals).toMatchObject([
    { thread_id: asker, approval_id: expect.stringMatching(/^ap_/) },
  ]);
  const { stdout } = await place.run(["recover", "--scan"]);
  expect(stdout).toMatch(/! tree-\S+ .* waits for children\n {5}waits for slow-\w{6} again/);
  expect(stdout).toMatch(/! slow-\S+ .* owner pid \d+ is gone/);
  expect(stdout).toMatch(/‖ asks-\S+ {3}waits for an answer, which stays yours: selvage approve ap_/);
  expect(await place.ok("tree")).toMatch(/tree-\S+ +◌ waiting[\s\S]*slow-\w{6} +! orphaned/);
});

test.each([["--all"], ["tree"], ["slow"]])(
  "recover %s brings the whole tree back, and redoes nothing",
  async (which) => {
    await crash();
    const recovered = await place.json("recover", which);
    // The question stays: the tree goes as far as it can, and says who is needed.
    expect(recovered).toMatchObject({ exit: 3, kind: "recovery" });
    expect(await statuses()).toEqual({
      tree: "running",
      good: "completed",
      slow: "completed",
      asks: "suspended",
    });
    expect(effects(place)).toEqual(["slow"]);
    expect((await place.json("show", "slow-")).data).toMatchObject({
      recoveries: 1,
      result: { text: "late" },
    });
    expect((await place.run(["approve", "asks"])).code).toBe(0);
    expect(await statuses()).toEqual({
      tree: "completed",
      good: "completed",
      slow: "completed",
      asks: "completed",
    });
    expect(await place.ok("tree")).toMatch(/slow-\w{6} +✓ completed .* !1 /);
    expect((await place.json("verify")).exit).toBe(0);
  },
);

test("to end one of them lets nobody else go on", async () => {
  await crash();
  const before = (await place.json("show", "tree")).data.cost.turns;
  const marked = await place.json("recover", "slow", "--mark-error");
  expect(marked).toMatchObject({ exit: 0, data: { threads: [{ directive: "slow", status: "error" }] } });
  const parent = (await place.json("show", "tree")).data;
  expect(parent).toMatchObject({ status: "running", view: "orphaned", cost: { turns: before } });
  const went = await place.json("recover", "tree");
  expect(went.exit).toBe(3);
  expect((await place.json("show", "tree")).data.cost.turns).toBeGreaterThan(before);
});
