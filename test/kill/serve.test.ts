/** A host that is killed in the middle of trees, told to stop in the middle of a tool, and started by many at once. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "../cli/cli.ts";
import { atWork, boss, effects, endTools, kill, start, threads, worker } from "../cli/family.ts";
import { endServe, type Served, serving } from "../cli/served.ts";

/** Leaves a line for each effect, before it waits for the test. */
const busy = (name: string, turns: number) =>
  worker(
    name,
    `${Array.from({ length: turns }, (_, turn) => {
      const command = `echo ${name}-${turn} >> effects; for i in $(seq 600); do [ -e stop ] && exit; sleep 0.1; done`;
      return `- says: turn\n  calls: [{ tool: bash, input: { command: "${command}" } }]\n`;
    }).join("")}- says: ${name} done\n`,
  );

let place: Place;
let served: Served | undefined;
beforeEach(async () => {
  place = new Place({
    ...busy("left", 2),
    ...busy("right", 2),
    ...worker(
      "deaf",
      `- says: deaf\n  calls: [{ tool: bash, input: { command: "trap '' TERM; echo deaf >> effects; while sleep 0.1; do :; done" } }]\n- says: late\n`,
    ),
    ...boss("mid", `- says: one\n  calls:\n${start("left")}${start("right")}- says: middle\n`),
    ...boss(
      "top",
      `- says: one\n  calls:\n${start("mid", ', limits: { spend: "1.50" }, wait: true')}- says: all done\n`,
    ),
  });
  await place.ok("trust", "--yes");
});
afterEach(async () => {
  endTools(place);
  if (served) await endServe(served);
  served = undefined;
  place.remove();
});

const AUTO = ["--recover", "auto"];
const statuses = async () =>
  Object.fromEntries((await threads(place)).map(({ directive, status }) => [directive, status]));
const allEnded = async () => Object.values(await statuses()).every((status) => status === "completed");

test("kill -9 in the middle of a tree, twice, and started again: every effect once, every wait resolves", async () => {
  served = await serving(place, AUTO);
  const run = place.start(["run", "top"]);
  await atWork(place, 2);
  await kill(served.serve);
  // The one who follows waits for the next host, and goes on with it.
  served = await serving(place, AUTO);
  await until(() => effects(place).length >= 4);
  await kill(served.serve);
  endTools(place);
  served = await serving(place, AUTO);
  await until(allEnded);
  expect(await statuses()).toEqual({
    top: "completed",
    mid: "completed",
    left: "completed",
    right: "completed",
  });
  expect(effects(place).sort()).toEqual(["left-0", "left-1", "right-0", "right-1"]);
  const ended = await run.ended;
  expect(ended).toMatchObject({ code: 0, stdout: "all done\n" });
  expect((await place.json("verify")).exit).toBe(0);
});

/** Told to stop while a tool runs. */
async function terminated(served: Served, what: string): Promise<string> {
  const at = performance.now();
  served.serve.child.kill("SIGTERM");
  const { code, stdout } = await served.serve.ended;
  const ms = performance.now() - at;
  console.log(`${what}: gone ${Math.round(ms)} ms after SIGTERM`);
  expect(code).toBe(143);
  expect(ms).toBeLessThan(5_000);
  return stdout;
}

test("SIGTERM with a tool that does not listen: gone within 5 s all the same", async () => {
  served = await serving(place);
  await place.ok("run", "-d", "deaf");
  await atWork(place);
  await terminated(served, "a tool that does not listen");
  served = await serving(place, AUTO);
  await until(allEnded);
  expect(effects(place)).toEqual(["deaf"]);
});

test("SIGTERM with a running tool: parked within 5 s, and the next host goes on", async () => {
  served = await serving(place);
  await place.ok("run", "-d", "left");
  await atWork(place);
  const stdout = await terminated(served, "a tool");
  expect(stdout).toMatch(/Stopped\. 1 thread not yet ended: the next host goes on\.\n$/);
  endTools(place);
  // It was let go in order: nobody died, so nobody has to be asked.
  served = await serving(place, ["--recover", "off"]);
  await until(allEnded);
  expect(effects(place)).toEqual(["left-0", "left-1"]);
  expect((await place.json("verify")).exit).toBe(0);
});

test("run -d, five at once: one host, five threads", async () => {
  endTools(place);
  const started = await Promise.all(Array.from({ length: 5 }, () => place.run(["run", "-d", "left"])));
  expect(started.map(({ code, stderr }) => ({ code, stderr: code === 0 ? "" : stderr }))).toEqual(
    Array.from({ length: 5 }, () => ({ code: 0, stderr: "" })),
  );
  const ids = started.map(({ stdout }) => stdout.trim());
  expect(new Set(ids).size).toBe(5);
  for (const [index, { stderr }] of started.entries())
    expect(stderr).toContain(`selvage logs -f ${ids[index]}`);
  await until(async () => (await allEnded()) && (await threads(place)).length === 5);
  const log = readFileSync(join(place.root, ".ai/threads/serve.log"), "utf8");
  expect(log.match(/^Hosting /gm)).toHaveLength(1);
  expect(await place.json("resume", "-d", ids[0] ?? "", "-m", "more")).toMatchObject({ exit: 0 });
  expect((await place.json("serve", "--stop")).exit).toBe(0);
  expect(existsSync(join(place.root, ".ai/threads/serve.json"))).toBe(false);
});

test("run -d: a tool starts no host, and who leaves has nothing to time", async () => {
  const { code, stderr } = await place.run(["run", "-d", "left"], { SELVAGE_THREAD: "x" });
  expect(code).toBe(9);
  expect(stderr).toContain("not by a person");
  const both = await place.json("run", "-d", "left", "--timeout", "5");
  expect(both).toMatchObject({ exit: 2, error: { code: "E_USAGE" } });
  expect(await threads(place)).toEqual([]);
});
