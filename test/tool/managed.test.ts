// Managed processes with real processes: each hole of docs/holes I is tried.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processIdentity } from "../../src/machine/index.ts";
import { overFile } from "../../src/tool/process/files.ts";
import { CHAIN, handle, isAlive, logOf, managed } from "./managed.ts";
import { project, until } from "./project.ts";

test("it runs, says what it says, is looked at, and is stopped with its exit code", async () => {
  const { processes, start, left, ready } = managed();
  const { pid, ref, cwd } = await start("echo up; trap 'echo bye; exit 7' TERM; sleep 1000 & wait");
  expect(cwd).toBe(".");
  expect(await ready(ref, { pattern: "^up$" })).toBe(true);
  expect(await processes.look(ref)).toEqual({ type: "running" });
  expect(await processes.stop(ref)).toEqual({ handle: ref.handle, why: "stopped", exitCode: 7 });
  expect(processes.tail(ref, 10)).toEqual(["up", "bye"]);
  expect(isAlive(pid)).toBe(false);
  expect(left()).toEqual([]);
  expect(await processes.stop(ref)).toMatchObject({ why: "exited", exitCode: 7 });
});

test("one that exits at once is not ready, and its exit code is known", async () => {
  const { processes, start, left, ready } = managed();
  const { ref } = await start("echo no such port >&2; exit 3");
  expect(await ready(ref, { pattern: "ready" })).toBe(false);
  expect(await processes.look(ref)).toEqual({ type: "over", why: "exited", exitCode: 3 });
  expect(processes.tail(ref, 5)).toEqual(["no such port"]);
  await until(() => left().length === 0);
});

test("the same handle is taken up while it runs, and never started again once it ran", async () => {
  const { root, processes, start, ask } = managed();
  const first = await start("echo x >> count; sleep 1000");
  await until(() => readdirSync(root).includes("count"));
  expect(await processes.start(ask("echo x >> count; sleep 1000"))).toMatchObject({ pid: first.pid });
  await processes.stop(first.ref);
  expect(await processes.start(ask("echo x >> count"))).toMatchObject({ identity: first.identity });
  expect(readFileSync(join(root, "count"), "utf8")).toBe("x\n");
});

test("two that start one handle at the same moment start it once", async () => {
  const { root, processes, ask } = managed();
  const line = "echo x >> count; sleep 1000";
  const begun = await Promise.all([1, 2, 3, 4].map(() => processes.start(ask(line))));
  expect(new Set(begun.map((each) => "pid" in each && each.pid)).size).toBe(1);
  await until(() => readdirSync(root).includes("count"));
  expect(readFileSync(join(root, "count"), "utf8")).toBe("x\n");
});

test("what is stopped before it starts does not start, and nothing starts for a thread that is over", async () => {
  const { processes, ask, left } = managed();
  await processes.stop({ handle: handle(2), chainRootId: CHAIN });
  expect(await processes.start(ask("sleep 1000", { handle: handle(2) }))).toMatchObject({
    refused: expect.stringContaining("start it again"),
  });
  await processes.endAll({ chainRootId: CHAIN, threadId: CHAIN }, []);
  expect(await processes.start(ask("sleep 1000", { handle: handle(3) }))).toEqual({
    refused: "its thread has ended",
  });
  await until(() => left().length === 0);
});

test.each([
  ["ignores TERM", "trap '' TERM; echo up; while :; do sleep 1000; done", "killed"],
  [
    "leaves its session",
    "(setsid sleep 1000 &); (setsid bash -c 'setsid sleep 1000 & wait' &); echo up; sleep 1000",
    "stopped",
  ],
  [
    "takes off its mark",
    "(env -i sleep 1000 &); (setsid env -i bash -c 'sleep 1000 & wait' & wait) & echo up; sleep 1000",
    "stopped",
  ],
  [
    "takes off its mark and ignores TERM",
    "(setsid env -i bash -c 'trap \"\" TERM; echo up; sleep 1000 & while :; do sleep 0.1; done' & wait) & sleep 1000",
    "killed",
  ],
  ["is held", "sleep 1000 & echo up; kill -STOP $$", "stopped"],
])("one that %s is ended with all it started", async (_, line, why) => {
  const { processes, start, left, ready } = managed();
  const seconds = `1000.${process.pid}${Math.round(performance.now())}`;
  const { ref } = await start(line.replaceAll("1000", seconds));
  expect(await ready(ref, { pattern: "up" })).toBe(true);
  await until(() => naming(seconds).length > 0);
  expect(await processes.stop(ref)).toMatchObject({ why });
  expect([...left(), ...naming(seconds)]).toEqual([]);
});

test("its keeper is killed: it still runs, is found with who left its session, and is ended", async () => {
  const { processes, start, left, ready } = managed();
  const { pid, ref } = await start("(setsid sleep 1000 &); echo up; sleep 1000");
  expect(await ready(ref, { pattern: "up" })).toBe(true);
  await until(() => left().length === 2);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  process.kill(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), "SIGKILL");
  expect(await processes.look(ref)).toEqual({ type: "running" });
  expect(await processes.stop(ref)).toEqual({ handle: ref.handle, why: "stopped", exitCode: null });
  expect(left()).toEqual([]);
});

test("when its first process ends, what is left of it ends too, with nobody there to tell it", async () => {
  const { root, processes, start, left } = managed();
  const { ref } = await start(
    "(setsid bash -c 'trap \"echo told > told; exit\" TERM; sleep 1000 & wait' &) ; sleep 0.3; exit 4",
  );
  await until(() => left().length === 0);
  expect(await processes.look(ref)).toEqual({ type: "over", why: "exited", exitCode: 4 });
  expect(readdirSync(root)).toContain("told");
});

test("a flood fills two files and no more, and holds nobody up", async () => {
  const { root, processes, start, left } = managed();
  const { ref } = await start("while :; do echo 0123456789012345678901234567890123456789; done");
  await until(() =>
    readdirSync(join(root, ".ai/threads", CHAIN, "processes")).includes(`${ref.handle}.1.log`),
  );
  expect(await processes.stop(ref)).toMatchObject({ why: "stopped" });
  for (const name of [`${ref.handle}.log`, `${ref.handle}.1.log`])
    expect(logOf(root, name).length).toBeLessThanOrEqual(70_000);
  expect(processes.tail(ref, 1_000).length).toBeGreaterThan(50);
  expect(left()).toEqual([]);
});

test("a pattern is matched in pieces, behind escapes, without an end of the line, and in linear time", async () => {
  const { start, ready } = managed();
  const line = "printf 'rea'; sleep 0.2; printf '\\033[32mdy on \\033[0m5173'; sleep 1000";
  const first = await start(line);
  expect(await ready(first.ref, { pattern: "ready on \\d+" })).toBe(true);
  const bomb = await start("head -c 200000 /dev/zero | tr '\\0' a; echo; sleep 1000", { handle: handle(2) });
  const began = performance.now();
  expect(await ready(bomb.ref, { pattern: "^(a+)+$b", timeoutMs: 500 })).toBe(false);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("it is ready when its port is; a port that somebody else has is said so, and nothing starts", async () => {
  const { processes, start, ask, ready, left } = managed();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  expect(await processes.start(ask("sleep 1000", { readyPort: port }))).toMatchObject({
    refused: expect.stringContaining("somebody else listens"),
  });
  expect(left()).toEqual([]);
  taken.close();
  await once(taken, "close");
  const server = `require("net").createServer().listen(${port}, "::1")`;
  const { ref } = await start("", { command: process.execPath, args: ["-e", server], readyPort: port });
  expect(await ready(ref, { port })).toBe(true);
});

function bystander(): ChildProcess {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("a forged record, a number given out again, another boot or namespace: nobody is signalled", async () => {
  const { root, processes } = managed();
  const stranger = bystander();
  const identity = processIdentity(stranger.pid ?? 0);
  const [machine, boot, space, pid, began] = identity.split(":");
  const folder = join(root, ".ai/threads", CHAIN, "processes");
  mkdirSync(folder, { recursive: true });
  const forged = [
    identity,
    [machine, boot, space, pid, Number(began) - 1].join(":"),
    [machine, "0".repeat(32), space, pid, began].join(":"),
    [machine, boot, "1", pid, began].join(":"),
    [machine, boot, space, "1", "?"].join(":"),
    [machine, boot, space, pid, "?"].join(":"),
  ];
  for (const [at, each] of forged.entries()) {
    const ref = { handle: handle(at), chainRootId: CHAIN, identity: each };
    writeFileSync(join(folder, `${ref.handle}.begun`), JSON.stringify({ pid: stranger.pid, identity }));
    expect(await processes.look(ref)).toMatchObject({ type: "over" });
    expect((await processes.stop(ref)).why).toMatch(/gone|elsewhere/);
    expect(await processes.stop({ handle: ref.handle, chainRootId: CHAIN })).toMatchObject({ why: "gone" });
  }
  await processes.endAll({ chainRootId: CHAIN, threadId: CHAIN }, []);
  expect(isAlive(stranger.pid ?? 0)).toBe(true);
});

test("one that was started in another namespace is not touched, and nobody says that it is gone", async () => {
  const { processes, start } = managed();
  const { pid, ref } = await start("sleep 1000");
  const parts = ref.identity.split(":");
  const identity = [...parts.slice(0, 2), "1", ...parts.slice(3)].join(":");
  expect(await processes.look({ ...ref, identity })).toMatchObject({ type: "over", why: "elsewhere" });
  expect(await processes.stop({ ...ref, identity })).toMatchObject({ why: "elsewhere" });
  expect(isAlive(pid)).toBe(true);
});

test("a zombie does not run", async () => {
  const { processes } = managed();
  // Its parent does not reap it; it bears the mark of nobody, so only its state could make it look alive.
  const parent = spawn("bash", ["-c", "sleep 0.05 & echo $!; exec sleep 1000"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout ?? parent, "data");
  const pid = Number(String(line));
  const identity = processIdentity(pid);
  await until(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  expect(await processes.look({ handle: handle(1), chainRootId: CHAIN, identity })).toMatchObject({
    type: "over",
  });
});

test("a copy of a project ends nothing of the original's", async () => {
  const { root, start } = managed();
  const { pid, ref } = await start("sleep 1000");
  const copy = project();
  cpSync(root, copy, { recursive: true });
  const other = managed({ root: copy, threadsFolder: join(copy, ".ai/threads") });
  expect(await other.processes.stop(ref)).toMatchObject({ why: "gone" });
  await other.processes.endAll({ chainRootId: CHAIN, threadId: CHAIN }, [ref]);
  expect(await other.processes.strays(async () => CHAIN)).toEqual([]);
  expect(isAlive(pid)).toBe(true);
});

test.each([
  ["whole", "sleep 1000", () => {}],
  ["without its keeper", "sleep 1000", (keeper: number) => process.kill(keeper, "SIGKILL")],
  ["by its keeper alone", "exec env -i sleep 1000", () => {}],
])("what is there of a thread is found %s, and nobody is asked about others", async (_, line, before) => {
  const { processes, start } = managed();
  const { pid } = await start(line);
  const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  before(Number(parent));
  const asked: string[] = [];
  const told = async (threadId: string) => {
    asked.push(threadId);
    return threadId === CHAIN ? CHAIN : undefined;
  };
  expect(await processes.strays(told)).toEqual([{ threadId: CHAIN, chainRootId: CHAIN, handle: handle(1) }]);
  expect(asked.filter((threadId) => threadId === CHAIN)).toHaveLength(1);
  expect(await processes.strays(async () => undefined)).toEqual([]);
});

test("all of a chain ends, also what no record tells of; another chain's goes on", async () => {
  const { processes, start, left } = managed();
  const mine = await start("sleep 1000");
  const other = "other-1767225600-000000";
  const theirs = await start("sleep 1000", { handle: handle(2), chainRootId: other, threadId: other });
  const over = await processes.endAll({ chainRootId: CHAIN, threadId: CHAIN }, []);
  expect(over).toEqual([{ handle: mine.ref.handle, why: "stopped", exitCode: 143 }]);
  expect([isAlive(mine.pid), isAlive(theirs.pid)]).toEqual([false, true]);
  await processes.endAll({ chainRootId: other, threadId: other }, []);
  expect(left()).toEqual([]);
  expect(overFile("/x", CHAIN)).toBe(`/x/${CHAIN}/processes/over`);
});

test.each([
  ["a folder that leads out", { cwd: "../.." }, /cwd: it holds `\.\.`/],
  ["a link that leads out", { cwd: "link" }, /cwd: it leads out of the project/],
  ["a folder that is not there", { cwd: "none" }, /cwd: there is no folder none/],
  ["our own folder", { cwd: ".ai/threads" }, /cwd: it belongs to Selvage/],
  ["a line of shell", { command: "npm run dev | tee log" }, /one program, not a command line.*bash.*-c/],
  ["a program that is not there", { command: "nosuchprogram" }, /nosuchprogram was not found/],
  ["a pattern that is none", { readyPattern: "(" }, /ready_pattern: .*RE2/],
])("refused before anything starts: %s", async (_, more, why) => {
  const { root, processes, ask, left } = managed();
  symlinkSync("/", join(root, "link"));
  const said = await processes.start(ask("sleep 1000", more));
  expect(said).toMatchObject({ refused: expect.stringMatching(why) });
  expect(left()).toEqual([]);
});

test("a handle that is no name of ours makes no path", async () => {
  const { processes, ask } = managed();
  await expect(processes.start(ask("true", { handle: "../../x" }))).rejects.toThrow("no handle of ours");
  expect(() => processes.tail({ handle: "proc_/../../../../etc/passwd", chainRootId: CHAIN }, 5)).toThrow();
});

/** Also what took off the variable by which the test finds its own: by its command. */
function naming(text: string): number[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
    .filter((pid) => isAlive(pid) && commandOf(pid).includes(text));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
