// A disk that takes nothing more: whichever command writes says so, says what to do, and leaves no half of anything.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, type Ended, Place, scripted } from "./cli.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
let place: Place;
beforeEach(async () => {
  place = new Place({ ...scripted("mine", "- says: hi\n") });
  await place.ok("trust", "--yes");
  await place.ok("run", "mine");
  await place.ok("bundle", "create", "kit");
  mkdirSync(join(place.folder, "empty"));
});
afterEach(() => place.remove());

/** No file may grow beyond so much: as on a full disk, without a disk of its own or anybody's rights. */
function full(args: readonly string[], kilobytes = 0): Promise<Ended> {
  const limited = `ulimit -f ${kilobytes}; exec "$@"`;
  const child = spawn("bash", ["-c", limited, "bash", process.execPath, CLI, ...args], {
    ...{ cwd: place.root, env: { ...place.env, TMPDIR: place.folder } },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (bytes) => {
    stdout += bytes;
  });
  child.stderr.on("data", (bytes) => {
    stderr += bytes;
  });
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Every file and what is in it; the store's own are its own business. */
function files(): Record<string, string> {
  const names = readdirSync(place.folder, { recursive: true, encoding: "utf8" });
  const kept = names.filter((name) => !/registry\.db|\/compiled\//.test(name));
  return Object.fromEntries(
    kept.flatMap((name) => {
      const path = join(place.folder, name);
      return statSync(path).isFile() ? [[name, readFileSync(path, "latin1")]] : [];
    }),
  );
}

const KEY = `ed25519:${"A".repeat(43)}`;

test.each([
  ["bundle create new", ".ai/bundles/new/manifest.yaml cannot be written."],
  ["bundle create kit --force", ".ai/bundles/kit/manifest.yaml cannot be written."],
  ["sign directive:mine", ".ai/directives/mine.md cannot be written."],
  ["sign bundle:kit", ".ai/bundles/kit/manifest.yaml cannot be written."],
  [`signer add bob ${KEY}`, "signers.json cannot be written."],
  ["config set retry.max_retries 2", "resilience.yaml cannot be written."],
  ["config set --user retry.max_retries 2", "resilience.yaml cannot be written."],
  ["init other", "hello.md cannot be written."],
  ["export @last --html", ""],
  ["export @last --files", ""],
  ["doctor --bundle support.tgz", "support.tgz cannot be written."],
  ["completion bash --install", "completions/selvage cannot be written."],
  ["demo --fast --record r.cast", "The recording cannot be written to"],
  ["demo --fast --dir ../empty", "The demo has no place to play."],
  ["directive new fresh", ""],
  ["run mine", ""],
  ["cancel @last", ""],
])("%s: a full disk", async (line, what) => {
  const before = files();
  const ended = await full([...line.split(" "), "--json"]);
  const { exit, error } = checked(ended);
  expect({ exit, code: error?.code }).toEqual({ exit: 1, code: "E_DISK" });
  expect(error?.what).toContain(what);
  expect(error?.why).toBeTruthy();
  expect(error?.next).not.toEqual([]);
  expect(files()).toEqual(before);
  expect(existsSync(join(place.folder, "empty"))).toBe(true);
});

test("what is told names the file, the reason and a command that works on a full disk", async () => {
  const { code, stderr } = await full(["bundle", "create", "new"]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `✗ .ai/bundles/new/manifest.yaml cannot be written.
  why   The file would be larger than files may be here (EFBIG: file too large, write).
  next  selvage doctor   what is free, and what cannot be written
  E_DISK · selvage explain E_DISK
`,
  );
  expect((await full(["doctor"])).stdout).toMatch(/^state /m);
});

test("a setting that was written while the trust record was not says both", async () => {
  const tools = Array.from({ length: 12 }, (_, at) => [
    `.ai/tools/t${at}.yaml`,
    "description: d\ncommand: x\n",
  ]);
  place.write(Object.fromEntries(tools));
  const { error } = checked(await full(["config", "set", "retry.max_retries", "2", "--json"], 1));
  expect(error).toMatchObject({
    code: "E_DISK",
    what: ".ai/config/resilience.yaml was changed, but that you trust the change could not be noted.",
    why: expect.stringContaining("trust.json cannot be written."),
    next: [{ cmd: "selvage trust --yes" }],
  });
  expect(await place.json("run", "mine")).toMatchObject({ error: { code: "E_UNTRUSTED" } });
  await place.ok("trust", "--yes");
  expect(await place.ok("config", "get", "retry.max_retries")).toBe("2\n");
});
