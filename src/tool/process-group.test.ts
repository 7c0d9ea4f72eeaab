import { getEventListeners } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type GroupJob, runGroup } from "./process-group.ts";
import { NO_SANDBOX } from "./sandbox.ts";

test("a command that ends by itself gives its code and what it said", async () => {
  expect(await run("echo out; echo err >&2; exit 3")).toEqual({
    type: "exited",
    code: 3,
    output: "out\nerr\n",
  });
});

test("a process that a stranger killed says by which signal", async () => {
  expect(await run("kill -SEGV $$")).toMatchObject({ type: "killed", signal: "SIGSEGV" });
});

test("there is nothing to read on its input", async () => {
  expect(await run("cat; echo end")).toMatchObject({ type: "exited", output: "end\n" });
});

test("it leads a process group of its own", async () => {
  const { output } = (await run("cut -d' ' -f1,5,6 /proc/self/stat; echo $$")) as { output: string };
  const [, pgid, session, leader] = output.split(/\s/);
  expect([pgid, session]).toEqual([leader, leader]);
});

test("a flood is stopped at the cap", async () => {
  const end = await run("yes", { maxOutputBytes: 100_001 });
  expect(end.type).toBe("output_too_large");
  expect(end).toHaveProperty("output", "y\n".repeat(50_000).concat("y"));
});

test("output exactly at the cap is not too large", async () => {
  expect(await run("printf 12345", { maxOutputBytes: 5 })).toEqual({
    type: "exited",
    code: 0,
    output: "12345",
  });
  expect(await run("printf 123456", { maxOutputBytes: 5 })).toMatchObject({
    type: "output_too_large",
    output: "12345",
  });
});

test("a time-out ends it", async () => {
  const before = performance.now();
  expect(await run("echo begun; sleep 1000", { timeoutMs: 300 })).toEqual({
    type: "timed_out",
    output: "begun\n",
  });
  expect(performance.now() - before).toBeLessThan(2_500); // TERM was enough: the grace was not waited for
});

test("an abort ends a sleep without end, and leaves no listener", async () => {
  const controller = new AbortController();
  const end = await run("echo begun; sleep 1000", {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  expect(end).toEqual({ type: "aborted", output: "begun\n" });
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
});

test("after an abort nothing is started", async () => {
  const folder = temporaryFolder();
  expect(await run("touch made", { directory: folder, signal: AbortSignal.abort() })).toMatchObject({
    type: "aborted",
  });
  expect(existsSync(join(folder, "made"))).toBe(false);
});

test("one that does not listen to TERM is killed after the grace", async () => {
  const controller = new AbortController();
  const command = "exec 2>/dev/null; trap 'echo ignored' TERM; echo $$; while :; do sleep 1000 & wait; done";
  const end = await run(command, {
    signal: controller.signal,
    graceMs: 200,
    onOutput: () => controller.abort(),
  });
  expect(end).toMatchObject({ type: "aborted", isKilled: true });
  const [pid, word] = (end as { output: string }).output.split("\n");
  expect(word).toBe("ignored");
  expect(isRunning(Number(pid))).toBe(false);
});

test("one that listens has the grace to put things in order, though its shell is gone", async () => {
  const controller = new AbortController();
  const child = `exec 2>/dev/null; trap 'sleep 0.3; echo tidy; exit' TERM; echo up; while :; do sleep 0.05; done`;
  const end = await run(`bash -c "${child}" & wait`, {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  expect(end).toEqual({ type: "aborted", output: "up\ntidy\n" });
});

test("a stopped process hears its TERM as well", async () => {
  const controller = new AbortController();
  const command = "trap 'echo tidy; exit' TERM; echo up; kill -STOP $$; sleep 0.01; echo missed";
  const end = await run(command, { signal: controller.signal, onOutput: () => controller.abort() });
  expect(end).toEqual({ type: "aborted", output: "up\ntidy\n" });
});

test("a child left behind that keeps the pipe open is ended, and does not hold up the call", async () => {
  const before = performance.now();
  const end = await run("sleep 1000 & echo $!");
  expect(end).toMatchObject({ type: "exited", code: 0 });
  expect(performance.now() - before).toBeLessThan(5_000);
  await until(() => !isRunning(Number((end as { output: string }).output)));
});

test("a child left behind that closed the pipe is ended as well", async () => {
  const end = await run("sleep 1000 >/dev/null 2>&1 & echo $!");
  await until(() => !isRunning(Number((end as { output: string }).output)));
});

test("what is said right after the end is still heard", async () => {
  expect(await run("exec > >(cat); echo late")).toMatchObject({
    type: "exited",
    output: "late\n",
  });
});

test("a grandchild that calls setsid leaves the group, and is found by its mark", async () => {
  const end = await run(
    "setsid sleep 1000 >/dev/null 2>&1 & echo $!; until [ $(cut -d' ' -f6 /proc/$!/stat) = $! ]; do :; done",
  );
  await until(() => !isRunning(Number((end as { output: string }).output)));
});

test("one that takes off its mark as well survives: a known limit", async () => {
  const end = await run(
    "setsid env -i sleep 1000 >/dev/null 2>&1 & echo $!; until grep -q sleep /proc/$!/comm; do :; done",
  );
  const pid = Number((end as { output: string }).output);
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(isRunning(pid)).toBe(true);
});

test("what it is given stands on its input, once and to the end, and leaves no file", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const input = "grüße\n".repeat(50_000);
  const end = await run("cat; readlink /proc/self/fd/0", { input, directory: folder });
  expect((end as { output: string }).output).toMatch(
    new RegExp(`^(grüße\n){50000}${folder}/.* \\(deleted\\)\n$`),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test("what it does not read of its input does not matter", async () => {
  expect(await run("exec 0<&-; echo done", { input: "x".repeat(1_000_000) })).toEqual({
    type: "exited",
    code: 0,
    output: "done\n",
  });
});

test("split streams: the first is told alone as well", async () => {
  expect(await run("echo a; echo b >&2; sleep 0.05; echo c", { streams: "split" })).toEqual({
    type: "exited",
    code: 0,
    output: "a\nb\nc\n",
    stdout: "a\nc\n",
  });
});

test("a line to the process goes both ways, and its end comes with the process", async () => {
  const heard: string[] = [];
  const end = await run('read -r word <&4; echo "$word back" >&4', {
    onLine: (line) => {
      line.on("data", (bytes: Buffer) => heard.push(String(bytes)));
      line.write("there\n");
    },
  });
  expect(end).toMatchObject({ type: "exited", code: 0 });
  expect(heard.join("")).toBe("there back\n");
});

test("of what runs on and on only the end is kept", async () => {
  const end = await run("seq 1 2000000", { keep: "end", maxOutputBytes: Number.MAX_SAFE_INTEGER });
  const { output } = end as { output: string };
  expect(output.length).toBeLessThan(1_000_000);
  expect(output.endsWith("1999999\n2000000\n")).toBe(true);
});

test("bytes that are no UTF-8 become replacement characters; control bytes stay", async () => {
  const end = await run(String.raw`printf 'a\xff\xc3(\xed\xa0\x80\033[31m\000z'`);
  expect(end).toHaveProperty("output", "a\ufffd\ufffd(\ufffd\ufffd\ufffd\u001b[31m\0z");
});

test("a character that arrives in two parts is whole, whatever the other stream says in between", async () => {
  const parts = [
    String.raw`printf '\xf0\x9f'`,
    "sleep 0.05",
    "printf '!' >&2",
    "sleep 0.05",
    String.raw`printf '\xa7\xb5'`,
  ];
  expect(await run(parts.join("; "))).toHaveProperty("output", "!🧵");
});

test.each([
  ["a command that does not exist", { command: "no-such-command" }, "ENOENT", /no-such-command/],
  [
    "a folder that does not exist",
    { directory: "/no/such/folder" },
    "ENOTDIR",
    /no folder \/no\/such\/folder/,
  ],
  ["a NUL in the arguments", { args: ["a\0b"] }, "ERR_INVALID_ARG_VALUE", /null bytes/],
  ["arguments that are too long", { args: ["x".repeat(3_000_000)] }, "E2BIG", /too long/],
])("%s could not be started", async (_, over, code, why) => {
  expect(await run("true", over)).toEqual({ type: "could_not_start", code, why: expect.stringMatching(why) });
});

function run(script: string, over: Partial<GroupJob> = {}) {
  return runGroup({
    sandbox: NO_SANDBOX,
    command: "bash",
    args: ["-c", script],
    directory: tmpdir(),
    environment: { PATH: process.env.PATH ?? "" },
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    maxOutputBytes: 1_000_000,
    ...over,
  });
}

/** A zombie does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "selvage-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
