// Managed processes behind the walls of the sandbox (K6).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openSandbox } from "../../src/tool/sandbox.ts";
import { CHAIN, handle, managed } from "./managed.ts";
import { put, until } from "./project.ts";
import { folderOutsideTmp } from "./sandbox.ts";

let root: string;
beforeEach(() => {
  root = join(folderOutsideTmp(), "project");
  put(root, { ".ai/threads/registry.db": "" });
});

function enclosed() {
  const sandbox = openSandbox({ mode: "required", projectRoot: root, hidden: [] });
  return managed({ root, threadsFolder: join(root, ".ai", "threads"), sandbox });
}

test("it writes in the project only, its own files are out of its reach, and it has time to end", async () => {
  const { processes, start, ready, left } = enclosed();
  const own = join(root, ".ai/threads", CHAIN, "processes");
  const { ref } = await start(
    `trap 'echo bye; exit 9' TERM; echo x > ${own}/x || touch ok; rm -f ${own}/*; echo up; sleep 1000 & wait`,
  );
  expect(await ready(ref, { pattern: "up" })).toBe(true);
  expect(readdirSync(root)).toContain("ok");
  expect(readdirSync(own)).toContain(`${ref.handle}.begun`);
  expect(await processes.stop(ref)).toMatchObject({ why: "stopped", exitCode: 9 });
  expect(processes.tail(ref, 1)).toEqual(["bye"]);
  await until(() => left().length === 0);
});

test("who leaves its session, takes off its mark and ignores TERM is ended with its namespace", async () => {
  const { processes, start, ready, left } = enclosed();
  const seconds = `1000.${process.pid}`;
  const { ref } = await start(
    `(setsid setsid env -i bash -c "trap '' TERM; sleep ${seconds}; :" &); trap '' TERM; sleep 0.3; echo up; sleep ${seconds}; :`,
  );
  expect(await ready(ref, { pattern: "up" })).toBe(true);
  expect(await processes.stop(ref)).toMatchObject({ why: "killed" });
  await until(() => left().length === 0);
  expect(sleeping(seconds)).toEqual([]);
});

test("what its first process leaves inside ends with it", async () => {
  const { processes, start } = enclosed();
  const seconds = `2000.${process.pid}`;
  const { ref } = await start(
    `(setsid env -i sleep ${seconds} &); (setsid sleep ${seconds} &); sleep 1; exit 5`,
  );
  await until(() => sleeping(seconds).length === 2);
  await until(() => sleeping(seconds).length === 0);
  expect(await processes.look(ref)).toEqual({ type: "over", why: "exited", exitCode: 5 });
});

test("without a right to the network ready_port is refused with the line to add; with it, the port is reached", async () => {
  const { processes, start, ask, ready, left } = enclosed();
  const port = 20_000 + (process.pid % 20_000);
  expect(await processes.start(ask("sleep 1000", { readyPort: port }))).toMatchObject({
    refused: expect.stringContaining("permissions: [execute.process.network]"),
  });
  expect(left()).toEqual([]);
  const server = `require("net").createServer().listen(${port}, "127.0.0.1")`;
  const program = { command: process.execPath, args: ["-e", server], network: true, readyPort: port };
  const { ref } = await start("", { handle: handle(2), ...program });
  expect(await ready(ref, { port })).toBe(true);
});

function sleeping(seconds: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(`sleep\0${seconds}`);
    } catch {
      return false;
    }
  });
}
