// A process dies: what is seen of it, and how its threads come back.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createThread, newThreadId, realWorld } from "../../src/inside.ts";
import { Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const CRASHING = `- says: first
  calls: [{ tool: bash, input: { command: "echo one >> effects; echo one" } }]
- says: second
  calls: [{ tool: bash, input: { command: "echo two >> effects; for i in $(seq 200); do [ -e stop ] && exit; sleep 0.1; done" } }]
- says: third
  calls: [{ tool: bash, input: { command: "echo three >> effects; for i in $(seq 200); do [ -e hold ] || exit 0; sleep 0.1; done" } }]
- says: all done
`;

let place: Place;
beforeEach(async () => {
  place = new Place({ ...QUICK_RETRIES, ...scripted("crashing", CRASHING) });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  place.remove();
});

/** By a file: in a sandbox its pid is a number of its own. */
function endTool(): void {
  writeFileSync(join(place.root, "stop"), "");
}

const effects = () => readFileSync(join(place.root, "effects"), "utf8").trim().split("\n");

async function startAndWait() {
  const run = place.start(["run", "crashing"]);
  await until(() => existsSync(join(place.root, "effects")) && effects().includes("two"));
  return run;
}

async function crash(): Promise<string> {
  const run = await startAndWait();
  run.child.kill("SIGKILL");
  await new Promise((resolve) => run.child.once("exit", resolve));
  return (await place.json("ps")).data.threads[0].thread_id;
}

test("kill -9, look, recover: nothing is redone, and asking again does nothing", async () => {
  const id = await crash();
  expect((await place.json("show", id)).data).toMatchObject({
    status: "running",
    view: "orphaned",
    host: { alive: false },
    in_flight: [{ tool: "bash", effect: "manual" }],
  });
  // Off a terminal, without --all, the plan is only shown.
  const plan = await place.json("recover");
  expect(plan).toMatchObject({ exit: 3, kind: "recovery", data: { scanned: 1, recovered: [] } });
  expect(plan.data.orphans).toMatchObject([
    {
      thread_id: id,
      recoverable: true,
      reason: "owner_gone",
      in_flight: [{ repeatable: false, decision: "unknown" }],
      estimated_to_finish: {
        ...{ at_most_turns: expect.any(Number), seconds: expect.any(Number), limited_by: expect.any(String) },
        average_of_turns: plan.data.orphans[0].turns,
      },
    },
  ]);
  expect((await place.json("recover", "--scan", "--all")).exit).toBe(3);
  const human = await place.run(["recover"]);
  expect(human.stdout).toContain("was in flight · manual: never run again by the machine");
  expect(human.stdout).toMatch(
    /estimated to finish: at most \d+ more turns?, .* limit leaves, at its average of/,
  );
  expect((await place.json("show", id)).data.last_event_seq).toBe(
    (await place.json("show", id)).data.last_event_seq,
  );
  // A new run says so, and leaves it to a person.
  place.write(scripted("other", "- says: other\n"));
  const other = await place.run(["run", "other"]);
  expect(other).toMatchObject({ code: 0, stdout: "other\n" });
  expect(other.stderr).toContain("1 thread was left by a process that is gone: selvage recover");
  const applied = await place.json("recover", "--all");
  expect(applied).toMatchObject({
    exit: 0,
    data: { recovered: [id], threads: [{ status: "completed", recoveries: 1 }] },
  });
  expect(effects()).toEqual(["one", "two", "three"]);
  for (const args of [
    ["recover", "--all"],
    ["recover", id],
  ]) {
    expect(await place.json(...args)).toMatchObject({ exit: 0, data: { recovered: [] } });
  }
  expect(await place.json("recover", id, "--mark-error")).toMatchObject({
    exit: 6,
    error: { code: "E_WRONG_STATE" },
  });
  expect((await place.json("verify")).exit).toBe(0);
});

test("a thread of a live process is refused, and taken only when asked for", async () => {
  const run = await startAndWait();
  const locked = await place.json("recover", "crashing");
  expect(locked).toMatchObject({
    exit: 6,
    error: { code: "E_LOCKED", why: expect.stringContaining(`pid ${run.child.pid}`) },
  });
  expect((await place.json("recover", "--all")).data.orphans).toEqual([]);
  writeFileSync(join(place.root, "hold"), "");
  const taking = place.json("recover", "--take", "crashing");
  await until(() => effects().includes("three"));
  endTool();
  const { code, stderr } = await run.ended;
  expect(code).toBe(8); // it goes on elsewhere
  expect(stderr).toContain("taken over by another process");
  rmSync(join(place.root, "hold"));
  expect(await taking).toMatchObject({
    exit: 0,
    data: { orphans: [{ reason: "taken" }], threads: [{ status: "completed" }] },
  });
  expect(effects()).toEqual(["one", "two", "three"]);
});

test("two recoverers: one wins, nothing is done twice", async () => {
  const id = await crash();
  const [left, right] = await Promise.all([place.run(["recover", "--all"]), place.run(["recover", "--all"])]);
  expect([left.code, right.code]).toEqual([0, 0]);
  expect(effects()).toEqual(["one", "two", "three"]);
  expect((await place.json("show", id)).data).toMatchObject({ status: "completed", recoveries: 1 });
});

test.each([
  ["--mark-error", "error"],
  ["--mark-cancelled", "cancelled"],
])("%s ends it instead, and that is what was asked for", async (flag, status) => {
  const id = await crash();
  const marked = await place.json("recover", id, flag);
  expect(marked).toMatchObject({ exit: 0, data: { threads: [{ thread_id: id, status }] } });
  expect(effects()).toEqual(["one", "two"]);
});

test("recover: auto takes up what was left at the next run", async () => {
  const id = await crash();
  // In the user's own settings: to resume spends money, so a project cannot ask for it.
  place.write({
    ...scripted("other", "- says: other\n"),
    "../.config/selvage/resilience.yaml": "recover: auto\n",
  });
  const other = await place.run(["run", "other"]);
  expect(other).toMatchObject({ code: 0, stdout: "other\n" });
  expect((await place.json("show", id)).data).toMatchObject({ status: "completed" });
  expect(effects()).toEqual(["one", "two", "three"]);
});

test("a suspended thread goes on when it is named, and only then", async () => {
  place.write(scripted("down", "- fails: { status: 503, message: overloaded }\n"));
  expect((await place.json("run", "down")).exit).toBe(3);
  expect(await place.json("recover", "--all")).toMatchObject({ exit: 0, data: { orphans: [] } });
  expect((await place.json("recover", "down")).exit).toBe(3);
  place.write({ ".ai/scripts/down.yaml": "- says: back\n" });
  expect(await place.json("recover", "down")).toMatchObject({
    exit: 0,
    data: {
      orphans: [{ reason: "suspended" }],
      threads: [{ status: "completed", result: { text: "back" } }],
    },
  });
});

test("a thread that was asked for and never begun is taken up too", async () => {
  place.write(scripted("asked", "- says: begun\n"));
  const world = realWorld({ root: place.root, notify: () => {} });
  const id = newThreadId(world, "asked");
  const directive = {
    name: "asked",
    description: "",
    model: "scripted/asked",
    limits: {},
    inputs: {},
    permissions: [],
    ask: [],
    delegates: [],
    body: "Go.",
  };
  await createThread(world, id, { directive, inputs: {}, tools: [], by: "test" });
  await world.store.close();
  expect((await place.json("ps")).data.threads).toMatchObject([
    { thread_id: id, status: "created", view: "orphaned" },
  ]);
  expect(await place.json("recover", "--yes")).toMatchObject({
    exit: 0,
    data: { recovered: [id], orphans: [{ reason: "not_running" }], threads: [{ result: { text: "begun" } }] },
  });
});

test("an unknown id is 5, whatever else is asked", async () => {
  expect(await place.json("recover", "nobody", "--all")).toMatchObject({
    exit: 5,
    error: { code: "E_THREAD_NOT_FOUND" },
  });
  expect(await place.json("recover", "--take", "nobody")).toMatchObject({ exit: 5 });
});
