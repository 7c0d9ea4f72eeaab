// The memory of a process that is ours: a host for long, not a command for a moment.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, scripted, until } from "../cli/cli.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const cli = (...args: string[]) => ["--require", at("test/start/flags-told.cjs"), at("dist/cli.js"), ...args];

let place: Place;
beforeAll(async () => {
  place = new Place(scripted("hello", "- says: hello\n"));
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

test("who hosts for longer than a moment lets its heap grow slowly, and V8 knows the word", async () => {
  const told = join(place.folder, "told");
  const host = spawn(process.execPath, cli("serve"), {
    cwd: place.root,
    env: { ...place.env, TOLD: told },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let wrong = "";
  host.stderr.on("data", (bytes) => {
    wrong += bytes;
  });
  await until(() => existsSync(told));
  host.kill("SIGTERM");
  await once(host, "exit");
  expect(readFileSync(told, "utf8")).toBe("--heap-growing-percent=100\n");
  expect(wrong).not.toMatch(/flag/);
});

test("a short command does not pay for it", () => {
  const told = join(place.folder, "told by ps");
  const env = { ...place.env, TOLD: told };
  const { status } = spawnSync(process.execPath, cli("--version"), { cwd: place.root, env });
  expect([status, existsSync(told)]).toEqual([0, false]);
});
