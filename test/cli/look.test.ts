// ps, show, logs: what a person and a program see of the same threads.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const NASTY =
  "red \\u001b[31mtext\\u001b[0m \\u001b]0;title\\u0007 bell\\u0007 over\\rwritten \\u202egnp.exe";
const SCRIPTS = {
  ...scripted(
    "hello",
    "- says: first\n  calls: [{ tool: write, input: { path: a.txt, content: x } }]\n- says: hello\n",
  ),
  ...scripted(
    "nasty",
    `- says: "${NASTY}"\n  calls: [{ tool: bash, input: { command: "printf '\\\\033[2Jgone\\\\007'" } }]\n- says: "${NASTY}"\n`,
  ),
  ...scripted("down", `- fails: { status: 503, message: "${NASTY}" }\n`),
  ...scripted(
    "steps",
    `- says: one
  calls: [{ tool: bash, input: { command: "echo > began; until [ -e go ]; do sleep 0.02; done" } }]
- says: two
  calls: [{ tool: bash, input: { command: "sleep 0.2" } }]
- says: three
`,
  ),
};

let place: Place;
beforeAll(async () => {
  place = new Place({ ...QUICK_RETRIES, ...SCRIPTS });
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

test("ps lists what needs somebody first, in every format", async () => {
  await place.ok("run", "hello");
  await place.run(["run", "down"]);
  const { data } = await place.json("ps", "-a");
  expect(data.threads.map(({ directive }: { directive: string }) => directive)).toEqual(["down", "hello"]);
  expect(data).toMatchObject({ truncated: false, counts: { suspended: 1, completed: 1, running: 0 } });
  expect((await place.json("ps", "-a", "-n", "1")).data).toMatchObject({
    truncated: true,
    threads: [{ directive: "down" }],
  });
  expect((await place.json("ps", "-s", "completed")).data.threads).toMatchObject([{ directive: "hello" }]);
  expect((await place.json("ps")).data.threads).toHaveLength(1);
  const ids = data.threads.map(({ thread_id }: { thread_id: string }) => thread_id);
  expect((await place.ok("ps", "-aq")).trimEnd().split("\n")).toEqual(ids);
  const plain = (await place.ok("ps", "-a", "--plain")).trimEnd().split("\n");
  expect(plain.map((line) => line.split("\t").length)).toEqual([10, 10]);
  const human = await place.run(["ps", "-a"]);
  expect(human.stdout).toMatch(/THREAD +STATE +FOR/);
  expect(human.stdout).toMatch(/^‖ {2}down-/m);
  expect(human.stderr).toContain("1 needs you");
});

test("ASCII, no colours off a terminal, colours only when forced", async () => {
  const ascii = await place.run(["ps", "-a", "--ascii"]);
  expect(ascii.stdout).toMatch(/^S {2}down-/m);
  expect(`${ascii.stdout}${ascii.stderr}`).toMatch(/^[\x20-\x7e\n]*$/);
  const locale = await place.run(["ps", "-a"], { LC_ALL: "C" });
  expect(`${locale.stdout}${locale.stderr}`).toMatch(/^[\x20-\x7e\n]*$/);
  expect((await place.run(["ps", "-a"], { FORCE_COLOR: "1" })).stdout).toContain("\u001b[");
  expect((await place.run(["ps", "-a"], { FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain(
    "\u001b[",
  );
});

test("what models and tools wrote never reaches the terminal with control bytes", async () => {
  const run = await place.run(["run", "nasty"]);
  const views = [
    run,
    await place.run(["ps", "-a"]),
    await place.run(["show", "@last"]),
    await place.run(["cost"]),
    await place.run(["cost", "--by", "model", "--csv"]),
    await place.run(["stats", "--by", "model"]),
    await place.run(["budget", "@last"]),
    await place.run(["logs", "@last"]),
  ];
  const down = await place.run(["run", "down"]);
  for (const { stdout, stderr } of [...views, down]) {
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
  expect(run.stdout).toContain("red text");
  // Data is not changed: JSON escapes it.
  expect((await place.json("show", "nasty")).data.result.text).toContain("\u001b[31m");
});

test("show and logs of one thread, by prefix and by @last", async () => {
  const { data } = await place.json("run", "hello");
  const id: string = data.thread_id;
  expect((await place.json("show", id.slice(0, -2))).data.thread_id).toBe(id);
  expect((await place.json("show", "@last")).data).toMatchObject({
    thread_id: id,
    tools: ["read", "write", "edit", "bash", "grep", "find", "ls", "bundler", "managed_subprocess"],
    in_flight: [],
  });
  expect(await place.ok("show", id)).toMatch(/spend +\$0\.00\d+ of \$1\.0000 · \$0\.99\d+ free/);
  expect(await place.json("show", "hello")).toMatchObject({
    exit: 2,
    error: { code: "E_AMBIGUOUS_ID", why: expect.stringContaining(id) },
  });
  const raw = (await place.ok("logs", id, "--raw"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(raw.map(({ seq }) => seq)).toEqual(raw.map((_, index) => index + 1));
  expect(raw).toHaveLength(data.last_event_seq);
  const jsonl = (await place.ok("logs", id, "--jsonl", "-n", "2"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(jsonl).toMatchObject([
    { type: "step_finish" },
    { type: "thread_completed" },
    { kind: "thread.result", ok: true },
  ]);
  expect((await place.json("logs", id, "-n", "3")).data.events).toHaveLength(3);
  expect(await place.ok("logs", id)).toMatch(/turn 1 +tool +write a\.txt ✓/);
});

test("logs -f follows another process to the end", async () => {
  const run = place.start(["run", "steps"]);
  await until(() => existsSync(join(place.root, "began")));
  expect((await place.json("ps")).data.threads).toContainEqual(
    expect.objectContaining({
      directive: "steps",
      view: "running",
      now: expect.objectContaining({ tool: "bash" }),
    }),
  );
  const follow = place.start(["logs", "-f", "steps", "--raw"]);
  const human = place.start(["logs", "-f", "steps"]);
  await Promise.all([follow, human].map(({ child }) => child.stdout && once(child.stdout, "data")));
  place.write({ go: "" });
  const [{ code }, followed, told] = await Promise.all([run.ended, follow.ended, human.ended]);
  expect([code, followed.code, told.code]).toEqual([0, 0, 0]);
  const seqs = followed.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(JSON.parse(followed.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "thread_completed",
  });
  expect(told.stdout).toMatch(/completed\n$/);
});

test("verify and export hold for all of it; status says what is next", async () => {
  expect(await place.json("verify")).toMatchObject({ exit: 0, data: { findings: [] } });
  const { data } = await place.json("export", "--all", "--files");
  // A question that is open has a file of its own.
  const { approvals } = (await place.json("approvals")).data;
  expect(data.files.length).toBe(data.threads * 5 + approvals.length);
  expect((await place.json("export", "@last", "--files")).data).toMatchObject({ threads: 1 });
  expect((await place.json("status")).data).toMatchObject({
    trusted: true,
    next: expect.stringMatching(/^selvage approve ap_/),
    needs_you: [{ directive: "down", reason: "error" }, { directive: "down" }],
  });
});

test("settings that do not validate stop nobody from looking, and everybody from working", async () => {
  const broken = new Place({ ...scripted("hello", "- says: hi\n") });
  await broken.ok("trust", "--yes");
  broken.write({ ".ai/config/resilience.yaml": "retry: { max_retrys: 1 }\n" });
  const looked = await broken.json("ps");
  expect(looked.exit).toBe(0);
  expect(looked.warnings.join()).toContain("max_retries");
  expect(await broken.json("run", "hello")).toMatchObject({ exit: 7, error: { code: "E_CONFIG_INVALID" } });
  broken.remove();
});

test("a project on a disk that takes no writes can be looked at; who would write is refused", async () => {
  await place.ok("run", "hello");
  const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  const walls = ["--dev-bind", "/", "/", "--ro-bind", place.root, place.root, process.execPath, cli];
  const look = (...args: string[]) => {
    const { cwd, env } = { cwd: place.root, env: place.env };
    const { stdout } = spawnSync("bwrap", [...walls, ...args, "--json"], { cwd, env, encoding: "utf8" });
    return JSON.parse(stdout);
  };
  expect(look("ps", "-a")).toMatchObject({ ok: true, data: { counts: { completed: expect.any(Number) } } });
  expect(look("show", "@last")).toMatchObject({ ok: true, data: { status: "completed" } });
  expect(look("verify")).toMatchObject({ ok: true, data: { findings: [] } });
  expect(look("run", "hello")).toMatchObject({ exit: 1, error: { code: "E_DISK" } });
  expect(look("cancel", "@last")).toMatchObject({ exit: 1, error: { code: "E_DISK" } });
});
