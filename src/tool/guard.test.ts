import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { signalGroup } from "./group-kill.ts";
import { type GroupJob, runGroup } from "./process-group.ts";
import { NO_SANDBOX } from "./sandbox.ts";

/** Each says its number as soon as it is ready; all it starts holds `$9`, whose end is thus their end. */
const SCENES: Record<string, string> = {
  "one that waits": "echo $$ >&9; exec sleep 1000",
  "one that does not listen to TERM": "trap '' TERM HUP INT; echo $$ >&9; while :; do sleep 1000; done",
  "one that is stopped": "echo $$ >&9; kill -STOP $$; sleep 1000",
  "one with children in the background":
    "sleep 1000 & (trap '' TERM; sleep 1000 & sleep 1000) & echo $$ >&9; wait",
  "one whose children lost their parent":
    "(trap '' TERM; sleep 1000 & sleep 1000 &); echo $$ >&9; sleep 1000",
  "one that writes all the time": "trap '' PIPE TERM; echo $$ >&9; while :; do echo x; done",
  "one that signals its own group":
    "trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP TTIN TTOU; " +
    "for name in HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP TTIN TTOU; do kill -$name 0; done; " +
    "echo $$ >&9; sleep 1000",
};

test.each(["bash", "dash", "sh"].filter(isInstalled))(
  "when we are killed every group of ours ends (%s)",
  async (shell) => {
    const host = startHost(shell, Object.values(SCENES));
    const groups = await host.groups();
    const left = () => Object.keys(SCENES).filter((_, index) => members(groups[index] as number).length > 0);
    expect(left()).toEqual(Object.keys(SCENES));
    host.kill();
    const patience = performance.now() + 10_000; // it takes about 0.5 s, but machines may be busy
    await until(() => left().length === 0 || performance.now() > patience);
    expect(left()).toEqual([]);
    await Promise.all(host.lines.map(({ silence }) => silence)); // nor is there anybody outside of the groups
  },
);

test("when we are killed between TERM and KILL, the group is ended as well", async () => {
  const host = startHost("bash", ["trap 'echo heard >&9' TERM; echo $$ >&9; while :; do sleep 1000; done"]);
  const [pgid] = await host.groups();
  host.abort();
  await host.lines[0]?.heard("heard"); // from here on we would wait for a minute
  host.kill();
  await host.lines[0]?.silence;
  await until(() => members(pgid as number).length === 0);
});

test("when we are killed a process that listens has time to put things in order", async () => {
  const does = "trap 'sleep 0.1; echo tidy >&9; exit' TERM; echo $$ >&9; while :; do sleep 0.01; done";
  const host = startHost("bash", [`exec 2>/dev/null; ${does}`]);
  await host.groups();
  host.kill();
  await host.lines[0]?.heard("tidy");
  await host.lines[0]?.silence;
});

test("the command has neither end of the lifeline, nor a child it did not make", async () => {
  const { pgid, finish } = await started();
  const ends = new Set([...sockets(process.pid), ...sockets(await guardOf(pgid))]);
  expect(sockets(pgid).filter((socket) => ends.has(socket))).toEqual([]);
  expect(sockets(pgid)).toHaveLength(2); // stdout and stderr
  expect(members(pgid).filter(({ parent }) => parent === pgid)).toEqual([]);
  await finish();
});

test("the guard holds nothing but the lifeline, and does not look like the command", async () => {
  const { pgid, finish } = await started();
  const guard = await guardOf(pgid);
  const spoken = [1, 2].map((fd) => readlinkSync(`/proc/${guard}/fd/${fd}`));
  expect(spoken).toEqual(["/dev/null", "/dev/null"]);
  expect(new Set(sockets(guard)).size).toBe(1);
  expect(readlinkSync(`/proc/${guard}/cwd`)).toBe("/");
  expect(readFileSync(`/proc/${guard}/cmdline`, "utf8")).not.toContain("read -r go");
  await finish();
});

test("with the command its guard ends", async () => {
  const { pgid, finish } = await started();
  await guardOf(pgid);
  expect(await finish()).toMatchObject({ type: "exited", code: 0 });
  await until(() => members(pgid).length === 0);
});

test("a command whose guard was killed runs on and ends as it likes", async () => {
  const { pgid, finish } = await started();
  process.kill(await guardOf(pgid), "SIGKILL");
  await until(() => members(pgid).length === 1);
  expect(await finish()).toMatchObject({ type: "exited", code: 0 });
});

test("a time-out does not wait for the guard", async () => {
  const before = performance.now();
  const end = await run("echo $$; sleep 1000", { timeoutMs: 200, graceMs: 30_000 });
  expect(end.type).toBe("timed_out");
  expect(performance.now() - before).toBeLessThan(10_000);
  await until(() => members(outputOf(end)).length === 0);
});

test("where members cannot be counted, a stop dismisses the guard and harms nobody by it", async () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  onTestFinished(() => void Object.defineProperty(process, "platform", platform));
  Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
  const said = vi.fn();
  const controller = new AbortController();
  const ended = run("trap '' TERM; echo $$; exec sleep 1000", {
    ...{ signal: controller.signal, onOutput: said, graceMs: 2_000 },
  });
  await until(() => said.mock.calls.length > 0);
  const pgid = Number(said.mock.calls[0]?.[0]);
  onTestFinished(() => endWhatIsLeft(pgid));
  await guardOf(pgid);
  controller.abort();
  await until(() => members(pgid).length === 1);
  expect(members(pgid)).toMatchObject([{ pid: pgid }]);
  expect(await ended).toEqual({ type: "aborted", output: `${pgid}\n`, isKilled: true });
});

test("many at once, and aborts at any moment of their start, leave no process and no handle", async () => {
  const mark = `${process.pid}-${performance.now()}`;
  const environment = { PATH: process.env.PATH ?? "", SELVAGE_TEST_MARK: mark };
  await run("true", { environment });
  const handles = readdirSync("/proc/self/fd").length;
  const kinds: ((index: number) => Promise<unknown>)[] = [
    (index) => run(`sleep 1000 & echo ${index}; exit ${index}`, { environment }),
    () => run("sleep 1000", { environment, timeoutMs: 50 }),
    (index) => run("sleep 1000", { environment, signal: AbortSignal.timeout(Math.floor(index / 3)) }),
  ];
  const ends = await Promise.all(Array.from({ length: 60 }, (_, index) => kinds[index % 3]?.(index)));
  ends.forEach((end, index) => {
    const exited = { type: "exited", code: index, output: `${index}\n` };
    const stopped = { type: index % 3 === 1 ? "timed_out" : "aborted", output: "" };
    expect(end).toEqual(index % 3 === 0 ? exited : stopped);
  });
  await until(() => withEnvironment(`SELVAGE_TEST_MARK=${mark}`) === 0);
  await until(() => readdirSync("/proc/self/fd").length <= handles);
});

test.each([126, 127, 2])("exit code %s is the command's own word", async (code) => {
  expect(await run(`exit ${code}`)).toEqual({ type: "exited", code, output: "" });
});

test("joined streams keep their order", async () => {
  const script = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo $i >&2; done";
  const output = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `${i}\n${i}\n`).join("");
  expect(await run(script, { streams: "joined" })).toEqual({ type: "exited", code: 0, output });
});

function run(script: string, over: Partial<GroupJob> = {}) {
  return runGroup(jobOf({ args: ["-c", script], ...over }));
}

function jobOf(over: Partial<GroupJob>): GroupJob {
  return {
    sandbox: NO_SANDBOX,
    command: "bash",
    args: [],
    directory: tmpdir(),
    environment: { PATH: process.env.PATH ?? "" },
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    maxOutputBytes: 1_000_000,
    ...over,
  };
}

/** A command that waits, without children, until it is told to finish. */
async function started() {
  const fifo = makeFifo();
  const said = vi.fn();
  const ended = run(`echo $$; read -r go <>${fifo}; exit 0`, { onOutput: said });
  await until(() => said.mock.calls.length > 0);
  const finish = () => {
    execFileSync("sh", ["-c", `echo go >${fifo}`]);
    return ended;
  };
  const pgid = Number(said.mock.calls[0]?.[0]);
  onTestFinished(() => endWhatIsLeft(pgid));
  return { pgid, finish };
}

/** Another Node, which we may kill, with a group for each script. */
function startHost(shell: string, scripts: readonly string[]) {
  const lines = scripts.map(() => openLine());
  const jobs = scripts.map((script, index) => {
    const args = ["-c", `exec 9>${lines[index]?.fifo}; ${script}`];
    return jobOf({ command: shell, args, timeoutMs: 0, graceMs: 60_000, maxOutputBytes: 1e12 });
  });
  const code = `
    import { runGroup } from ${JSON.stringify(new URL("./process-group.ts", import.meta.url).href)};
    import { NO_SANDBOX } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
    const controller = new AbortController();
    process.stdin.once("data", () => controller.abort());
    for (const job of ${JSON.stringify(jobs)}) 
      runGroup({ ...job, sandbox: NO_SANDBOX, signal: controller.signal });`;
  const host = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const kill = () => void host.kill("SIGKILL");
  onTestFinished(kill);
  const groups = async () => {
    const pgids = (await Promise.all(lines.map(({ heard }) => heard(/^\d+\n/)))).map(Number);
    onTestFinished(() => pgids.forEach(endWhatIsLeft));
    return pgids;
  };
  return { lines, groups, kill, abort: () => void host.stdin.write("\n") };
}

function openLine() {
  const fifo = makeFifo();
  // Not createReadStream: each blocks a thread of Node's pool, which has four.
  const reader = spawn("cat", [fifo], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void reader.kill());
  const stream = reader.stdout.setEncoding("utf8");
  let text = "";
  stream.on("data", (chunk) => {
    text += chunk;
  });
  const silence = new Promise<void>((resolve) => stream.once("end", resolve));
  const heard = (what: RegExp | string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = text.match(what);
        if (found) resolve(found[0]);
      };
      stream.on("data", look);
      stream.once("end", () => reject(new Error(`they went, and ${what} was not heard`)));
      look();
    });
  return { fifo, heard, silence };
}

/** A test that fails should not leave a mess. */
function endWhatIsLeft(pgid: number): void {
  if (members(pgid).length > 0) signalGroup(pgid, "SIGKILL");
}

function makeFifo(): string {
  const folder = mkdtempSync(join(tmpdir(), "selvage-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync("sh", ["-c", `mkfifo ${folder}/fifo`]);
  return join(folder, "fifo");
}

function isInstalled(shell: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => readNames(folder).includes(shell));
}

async function guardOf(pgid: number): Promise<number> {
  const guards = () =>
    members(pgid).filter(({ pid }) => readOr(`/proc/${pid}/cmdline`).includes("\0selvage-guard\0"));
  await until(() => guards().length === 1 && members(pgid).length === 2);
  return guards()[0]?.pid as number;
}

function outputOf(end: object): number {
  return Number((end as { output: string }).output);
}

function sockets(pid: number): string[] {
  const links = readNames(`/proc/${pid}/fd`).map((fd) => linkOr(`/proc/${pid}/fd/${fd}`));
  return links.filter((link) => link.startsWith("socket:"));
}

interface Member {
  readonly pid: number;
  readonly parent: number;
}

/** Those that live: a zombie does not act, and in a container often nobody reaps it. */
function members(pgid: number): Member[] {
  return processes().flatMap((name) => {
    const text = readOr(`/proc/${name}/stat`);
    const [state, parent, group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isMember = Number(group) === pgid && state !== "Z" && state !== "X";
    return isMember ? [{ pid: Number(name), parent: Number(parent) }] : [];
  });
}

function withEnvironment(entry: string): number {
  return processes().filter((name) => readOr(`/proc/${name}/environ`).split("\0").includes(entry)).length;
}

function processes(): string[] {
  return readNames("/proc").filter((name) => /^\d+$/.test(name));
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // gone while we looked
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed while we looked
  }
}

/** Bounded by the test's own time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
