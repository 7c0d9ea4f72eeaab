// doctor: what is wrong is named with what to do about it, and looking changes nothing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, type Envelope, Place, scripted, until } from "./cli.ts";

const SLOW = `- says: one\n  calls: [{ tool: bash, input: { command: "echo > began; sleep 60" } }]\n`;
const KEY = "sk-ant-doctor-0123456789abcdef0123456789";

let place: Place;
beforeEach(async () => {
  place = new Place({ ...scripted("hello", "- says: hello\n"), ...scripted("slow", SLOW) });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const look = (...args: string[]) => place.json("doctor", "--offline", ...args);
const found = ({ data }: Envelope, id: string) =>
  data.checks.find((check: { id: string }) => check.id === id) ?? null;

test("a sound project is well, in every format", async () => {
  await place.ok("run", "hello");
  const report = await look();
  expect(report).toMatchObject({ exit: 0, kind: "doctor", data: { schemaVersion: 1, overall: "ok" } });
  for (const check of report.data.checks) {
    expect(Object.keys(check).sort()).toEqual(["category", "detail", "fix", "id", "status", "summary"]);
    expect(check.id.startsWith(`${check.category}.`)).toBe(true);
  }
  expect(found(report, "state.integrity")).toMatchObject({
    status: "ok",
    summary: expect.stringMatching(/^1 thread, \d+ events/),
  });
  expect(found(report, "state.folder")).toMatchObject({
    summary: expect.stringContaining("journal mode wal"),
  });
  expect(await place.ok("doctor", "--offline")).toMatch(/^ledger +✓ sums agree for 1 thread$/m);
  expect((await place.ok("doctor", "--offline", "--plain")).split("\n")[0]).toMatch(/^runtime\.node\tok\t/);
  expect((await place.ok("doctor", "--offline", "-q")).trim()).toBe("ok");
});

test("a directive that does not validate, settings that do not, and files that nothing reads", async () => {
  place.write({
    ".ai/directives/broken.md": "---\nlimits: { turns: many }\n---\nx\n",
    ".ai/config/resilience.yaml": "retry: { max_retires: 1 }\n",
    ".ai/config/resilence.yaml": "{}\n",
  });
  const report = await look();
  expect(report).toMatchObject({ exit: 1, data: { overall: "fail" } });
  expect(found(report, "project.directives")).toMatchObject({
    status: "fail",
    fix: { cmd: "selvage directive lint broken", safe: false },
  });
  expect(found(report, "config.files")).toMatchObject({
    status: "fail",
    fix: { cmd: "selvage config check" },
  });
  expect(found(report, "config.strays")).toMatchObject({ status: "warn" });
});

test("a tool that no run would get is named with its place, and no code of the project is run for it", async () => {
  place.write({
    ".ai/tools/fine.yaml": "description: d\ncommand: x\n",
    ".ai/tools/code.ts":
      'import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\nexport default 1;\n',
  });
  expect(found(await look(), "project.tools")).toMatchObject({
    status: "ok",
    summary: "1 tool valid, 1 module not looked into, for that runs code",
  });
  place.write({
    ".ai/tools/bad.yaml": "description: d\ncommand: [x\n",
    ".ai/tools/shape.yaml": "description: d\ncommand: x\ntimeout_seconds: soon\n",
    ".ai/tools/schema.yaml":
      'description: d\ncommand: x\ninput:\n  type: object\n  properties: { a: { pattern: "(?=x)" } }\n',
    ".ai/tools/grep.yaml": "description: d\ncommand: x\n",
    ".ai/tools/other.yml": "description: d\ncommand: x\n",
  });
  const report = await look();
  expect(report).toMatchObject({ exit: 1, data: { overall: "fail" } });
  const tools = found(report, "project.tools");
  expect(tools).toMatchObject({
    status: "fail",
    summary: "5 tool files not valid: .ai/tools/bad.yaml, .ai/tools/grep.yaml, .ai/tools/other.yml",
    fix: { cmd: "selvage explain E_TOOL_INVALID", safe: false },
  });
  const places = tools.detail.map((line: string) => line.split(" ")[0]);
  expect(places).toEqual([
    expect.stringMatching(/^\.ai\/tools\/bad\.yaml:\d+$/),
    ".ai/tools/grep.yaml:1",
    ".ai/tools/other.yml:1",
    ".ai/tools/schema.yaml:5",
    ".ai/tools/shape.yaml:3",
  ]);
  expect(existsSync(join(place.root, "ran"))).toBe(false);
});

test("orphans are a warning, and a failure when that is asked for", async () => {
  const { child } = place.start(["run", "slow"]);
  await until(() => existsSync(join(place.root, "began")));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const report = await look();
  expect(found(report, "state.orphans")).toMatchObject({ status: "warn", fix: { cmd: "selvage recover" } });
  expect(report).toMatchObject({ exit: 0, data: { overall: "warn" } });
  expect((await look("--strict")).exit).toBe(1);
  await place.run(["cancel", "@last"]);
});

test("--fix removes what a crash left behind and nothing that somebody may be writing", async () => {
  const folder = join(place.root, ".ai/threads/x");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(place.root, ".git"));
  const old = join(folder, ".selvage-0123.tmp");
  const fresh = join(folder, ".selvage-4567.tmp");
  for (const path of [old, fresh]) writeFileSync(path, "x");
  const past = new Date(Date.now() - 3_600_000);
  utimesSync(old, past, past);
  const before = await look();
  expect(found(before, "state.leftovers")).toMatchObject({ status: "warn", fix: { safe: true } });
  expect(found(before, "project.ignored")).toMatchObject({ status: "warn", fix: { safe: true } });
  expect(existsSync(old)).toBe(true);
  const after = await look("--fix");
  expect(after.data).toMatchObject({
    overall: "ok",
    fixed: ["removed .ai/threads/x/.selvage-0123.tmp", "wrote .ai/threads/ into .gitignore"],
  });
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  expect(readFileSync(join(place.root, ".gitignore"), "utf8")).toContain(".ai/threads/");
});

test("a store that does not open is a finding among others", async () => {
  writeFileSync(
    join(place.root, ".ai/threads/registry.db"),
    "this is no database, and it is long enough".repeat(40),
  );
  const report = await look();
  expect(report.exit).toBe(1);
  expect(found(report, "state.integrity")).toMatchObject({ status: "fail" });
  expect(found(report, "runtime.node")).toMatchObject({ status: "ok" });
});

test("no secret is in the report or in the archive, which is not written over a file", async () => {
  place.write(scripted("leaky", `- says: "the key is ${KEY}"\n`));
  await place.run(["run", "leaky"], { ANTHROPIC_API_KEY: KEY });
  const args = ["doctor", "--offline", "--bundle", "support.tar.gz"];
  const ended = await place.run([...args, "--json"], { ANTHROPIC_API_KEY: KEY });
  const { data } = checked(ended);
  expect(data.bundle).toMatchObject({ path: join(place.root, "support.tar.gz") });
  expect(found(checked(ended), "keys.anthropic").summary).toBe("ANTHROPIC_API_KEY is set (not printed)");
  const tar = spawnSync("tar", ["-xzOf", "support.tar.gz"], { cwd: place.root, encoding: "utf8" });
  expect(tar.status).toBe(0);
  expect(tar.stdout).toContain('"schemaVersion": 1');
  expect(tar.stdout).toContain('"directive": "leaky"');
  expect(`${ended.stdout}${tar.stdout}`).not.toContain(KEY);
  expect(await place.json(...args)).toMatchObject({ exit: 6, error: { code: "E_EXISTS" } });
});

test("outside a project, and in one that came from elsewhere", async () => {
  const elsewhere = await place.run(["doctor", "--offline", "--json", "-C", place.root], {
    XDG_STATE_HOME: join(place.folder, "other"),
  });
  const report = checked(elsewhere);
  expect(found(report, "project.trust")).toMatchObject({
    status: "warn",
    fix: { cmd: "selvage trust --show" },
  });
  const fix = await place.run(["doctor", "--offline", "--json", "--fix"], {
    XDG_STATE_HOME: join(place.folder, "other"),
  });
  expect(checked(fix)).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
  const empty = new Place();
  expect(await empty.json("doctor", "--offline")).toMatchObject({ exit: 0, data: { project: null } });
  empty.remove();
});
