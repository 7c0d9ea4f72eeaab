// Looking is safe (P20, F7): whatever a project holds, a look at it starts nothing, connects to nothing, signals nobody,
// waits for nothing and leaves everything as it was.
import { spawn } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";
import { EVIL, HOSTILE, makeHostile } from "./hostile-projects.ts";

const LOOKS = [
  ["status"],
  ["ps", "-a"],
  ["tree"],
  ["events"],
  ["show", "@last"],
  ["logs", "@last"],
  ["search", "e.l", "--regex"],
  ["approvals"],
  ["directive", "ls"],
  ["hooks", "ls"],
  ["config", "show"],
  ["trust", "--show"],
];
/** These read more, so they are tried where there is something to read. */
const CLOSER_LOOKS = [
  ["ps", "--tree"],
  ["verify"],
  ["cost"],
  ["stats"],
  ["budget", "@last"],
  ["config", "check"],
  ["directive", "lint"],
];
const WORTH_IT = /store|XML|YAML|pipes|devices|links|bytes|without/;
/** All of them take ten seconds on a machine that does nothing else. */
const LONGEST_MS = 8_000;
const ALL_MS = 100_000;

let place: Place;
beforeEach(() => {
  place = new Place();
  rmSync(EVIL, { force: true });
});
afterEach(() => place.remove());

interface Looked {
  readonly what: string;
  readonly exit: number;
  readonly ms: number;
  readonly calls: readonly string[];
}

/** System calls that start a program, open a connection or send a signal, by the look that made them. */
async function traced(projects: Readonly<Record<string, string>>): Promise<Looked[]> {
  const looks = Object.entries(projects).flatMap(([name, root]) =>
    [...LOOKS, ...(WORTH_IT.test(name) ? CLOSER_LOOKS : [])].map((args) => {
      return { root, args, what: `${name}: ${args.join(" ")}` };
    }),
  );
  const log = join(place.folder, "strace.log");
  const report = join(place.folder, "looks.json");
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const driver = join(import.meta.dirname, "looks.mjs");
  const watched = "trace=execve,execveat,connect,kill,tkill,tgkill";
  const args = ["-f", "--seccomp-bpf", "-q", "-e", watched, "-o", log, process.execPath, driver];
  const options = { cwd: place.folder, env: place.env, detached: true } as const;
  const child = spawn("strace", args, { ...options, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(JSON.stringify({ cli, looks, report }));
  // A look that waits takes its tracer with it: both go, or they would stay behind.
  const late = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), ALL_MS);
  await new Promise((resolve, reject) => {
    child.once("error", () => reject(new Error("strace is needed for this test (apt-get install strace)")));
    child.once("close", resolve);
  });
  clearTimeout(late);
  const done = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : [];
  expect(done.length, `it stopped at ${looks[done.length]?.what}`).toBe(looks.length);
  return byLook(readFileSync(log, "utf8")).map((calls, at) => ({
    what: "",
    ...looks[at],
    ...done[at],
    calls,
  }));
}

function byLook(log: string): string[][] {
  const looks: string[][] = [];
  for (const line of log
    .split("\n")
    .filter((each) => /\b(execve|execveat|connect|kill|tkill|tgkill)\(/.test(each))) {
    if (/ kill\(\d+, 0\)/.test(line)) looks.push([]);
    else looks.at(-1)?.push(line);
  }
  return looks.slice(0, -1);
}

/** Every name below, with what it is and how large. */
function inventory(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    const line = `${path} ${stat.mode} ${stat.isDirectory() ? "" : stat.size}`;
    return stat.isDirectory() ? [line, ...inventory(path)] : [line];
  });
}

test("looking at what somebody else wrote does nothing but look", async () => {
  place.forgetUser();
  const projects = Object.fromEntries(
    Object.keys(HOSTILE).map((name, at) => [name, join(place.folder, "theirs", `${at}`)]),
  );
  for (const [name, make] of Object.entries(HOSTILE)) await makeHostile(projects[name] ?? "", make);
  expect(Object.keys(projects).length).toBeGreaterThanOrEqual(30);
  const before = inventory(join(place.folder, "theirs"));
  const looked = await traced(projects);
  expect(looked.filter(({ calls }) => calls.length > 0)).toEqual([]);
  expect(looked.filter(({ ms }) => ms > LONGEST_MS)).toEqual([]);
  expect(looked.filter(({ exit }) => ![0, 1, 2, 5, 7, 9].includes(exit))).toEqual([]);
  expect(inventory(join(place.folder, "theirs"))).toEqual(before);
  expect(existsSync(EVIL)).toBe(false);
  expect(readdirSync(place.folder)).not.toContain("state");
}, 120_000);

test("a store from elsewhere, with threads under way, is read and nothing in it is woken", async () => {
  place.write({
    ...scripted("works", '- calls: [{ tool: bash, input: { command: "sleep 60" } }]\n'),
    ...scripted("done", "- says: hi\n"),
    ".ai/config/hooks.yaml":
      'hooks: [{ id: a, event: after_complete, command: "echo \'{\\"action\\": \\"suspend\\"}\'" }]\n',
  });
  await place.ok("trust", "--yes");
  await place.run(["run", "done"]);
  const { child, ended } = place.start(["run", "works", "--jsonl"]);
  await new Promise<void>((resolve) => {
    child.stdout?.on("data", (bytes) => {
      if (String(bytes).includes("tool_call_start")) resolve();
    });
  });
  // The host is alive and listens while its store is copied, so there is a socket to connect to and a process to signal.
  const copy = join(place.folder, "theirs/copy");
  mkdirSync(copy, { recursive: true });
  cpSync(join(place.root, ".ai"), join(copy, ".ai"), { recursive: true });
  const looked = await traced({ "a store from elsewhere": copy });
  child.kill("SIGKILL");
  await ended;
  expect(looked.filter(({ calls }) => calls.length > 0)).toEqual([]);
  expect(looked.filter(({ exit }) => exit !== 0).map(({ what, exit }) => `${what} ${exit}`)).toEqual([]);
});
