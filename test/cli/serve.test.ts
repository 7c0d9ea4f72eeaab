// A host that stays, and the commands beside it: they are its clients.
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted, until } from "./cli.ts";
import { atWork, effects, endTools, idOf, kill } from "./family.ts";
import { endServe, SERVED_PROJECT, type Served, serving } from "./served.ts";

let place: Place;
let served: Served | undefined;

beforeEach(async () => {
  place = new Place(SERVED_PROJECT);
  await place.ok("trust", "--yes");
});
afterEach(async () => {
  endTools(place);
  if (served) await endServe(served);
  served = undefined;
  place.remove();
});

async function stopped(served: Served): Promise<void> {
  await until(async () => (await place.json("status")).data.host === null);
  expect(existsSync(join(place.root, ".ai/threads/.host/serve.sock"))).toBe(false);
  expect((await served.serve.ended).code).toBe(0);
}

test("run beside it: the tree is told as if it was hosted here, and the exit code is the thread's", async () => {
  served = await serving(place);
  expect(statSync(join(place.root, ".ai/threads/.host/serve.sock")).mode & 0o777).toBe(0o600);
  const run = await place.run(["run", "tree"]);
  expect(run).toMatchObject({ code: 0, stdout: "done\n" });
  expect(run.stderr).toMatch(/created {4}tree-/);
  expect(run.stderr).toMatch(/good-\w{6} .*model {6}good work/);
  expect(run.stderr).toMatch(/completed/);
  const id = await idOf(place, "tree");
  expect(served.said()).toMatch(new RegExp(`● ${id} running\n`));
  expect(served.said()).toMatch(new RegExp(`✓ ${id} completed: done\n`));
  const status = await place.json("status");
  expect(status.data.host).toMatchObject({ pid: served.pid, kind: "serve" });
  expect((await place.run(["status"])).stdout).toMatch(
    new RegExp(`hosted by pid ${served.pid} \\(selvage serve, up \\d+s\\)`),
  );
  expect((await place.run(["ps"])).stderr).toContain(`hosted by pid ${served.pid} (selvage serve`);
  const stream = await place.run(["run", "hello", "--jsonl"]);
  const records = stream.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ type: "thread_created", seq: 1 });
  expect(records.at(-1)).toMatchObject({ kind: "thread.result", ok: true });
  expect(records.slice(0, -1).map(({ seq }) => seq)).toEqual(
    records.slice(0, -1).map((_, index) => index + 1),
  );
});

test("a second one is refused with who it is, and --stop ends the first", async () => {
  const first = await serving(place);
  const second = await place.json("serve");
  expect(second).toMatchObject({
    exit: 6,
    error: { code: "E_HOSTED", why: expect.stringContaining(`pid ${first.pid} (selvage serve`) },
  });
  expect(await place.json("serve", "--stop")).toMatchObject({
    exit: 0,
    data: { stopped: `pid ${first.pid}` },
  });
  await stopped(first);
  expect(await place.json("serve", "--stop")).toMatchObject({ exit: 0, data: { stopped: null } });
});

test("a yes reaches the host at once", async () => {
  served = await serving(place);
  const asked = await place.json("run", "asks");
  expect(asked).toMatchObject({ exit: 3, data: { status: "suspended" } });
  const { thread_id: id, approval } = asked.data;
  const yes = await place.json("approve", approval);
  expect(yes).toMatchObject({ exit: 0, kind: "approval" });
  const { events } = (await place.json("logs", id)).data;
  const resumed = events.find(({ type }: { type: string }) => type === "thread_resumed");
  const ms = Date.parse(resumed.ts) - Date.parse(yes.data.decided.at);
  console.log(`from the answer to the next commit of its thread: ${ms} ms`);
  expect(ms).toBeLessThanOrEqual(1_000);
  await until(async () => (await place.json("show", id)).data.status === "completed");
  expect(effects(place)).toEqual(["asks"]);
});

test("what a dead process left waits for a person, who asks the host for it", async () => {
  const run = place.start(["run", "slow"]);
  await atWork(place);
  await kill(run);
  served = await serving(place);
  expect((await place.json("ps")).data.threads[0]).toMatchObject({ view: "orphaned" });
  endTools(place);
  const recovered = await place.json("recover", "--all");
  expect(recovered).toMatchObject({ exit: 0, data: { threads: [{ status: "completed", recoveries: 1 }] } });
  expect(effects(place)).toEqual(["slow"]);
});

test("--recover auto tells the plan and takes it up; off says how many wait", async () => {
  const run = place.start(["run", "slow"]);
  await atWork(place);
  await kill(run);
  endTools(place);
  const off = await serving(place, ["--recover", "off"]);
  await endServe(off);
  const { code, stderr } = await off.serve.ended;
  expect(code).toBe(143);
  expect(stderr).toContain("1 thread was left behind and waits for you: selvage recover");
  served = await serving(place, ["--recover", "auto"]);
  expect(served.said()).toMatch(/1 thread to take up\n! slow-\S+ .* is gone\n.*bash .* was in flight/);
  await until(async () => (await place.json("show", "slow-")).data.status === "completed");
  expect(served.said()).toMatch(/● slow-\S+ recovered\n/);
});

test("a project that is deleted under it ends it: it says so once, and makes nothing anew", async () => {
  const command = "echo x >> effects; sleep 1";
  place.write(
    scripted("brief", `- calls: [{ tool: bash, input: { command: "${command}" } }]\n- says: done\n`),
  );
  const { serve } = await serving(place);
  await place.ok("run", "-d", "brief");
  await atWork(place);
  renameSync(place.root, `${place.root}.away`);
  const { code, stderr, stdout } = await serve.ended;
  expect(existsSync(place.root)).toBe(false);
  mkdirSync(place.root);
  expect(code).toBe(5);
  expect(stderr.match(/registry\.db is gone\./g)).toHaveLength(1);
  expect(stderr).toContain("E_STORE_GONE · selvage explain E_STORE_GONE");
  expect(stdout).not.toContain("completed");
});
