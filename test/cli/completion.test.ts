// Completion: the words that fit, from the table of commands and from the store, and fast.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../src/machine/index.ts";
import { openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs } from "../store/bench.ts";
import { directive, Place, scripted } from "./cli.ts";

const MANY = 10_000;

let place: Place;
let done: string;
let asks: string;
beforeAll(async () => {
  place = new Place({
    ...scripted("hello", "- says: hello\n"),
    ...directive(
      "asks",
      "limits: { turns: 1 }\ninputs: { name: { type: string, description: whose }, size: { type: number } }\n",
    ),
    ".ai/scripts/asks.yaml": "- says: more\n  calls: [{ tool: ls, input: {} }]\n- says: done\n",
  });
  await place.ok("trust", "--yes");
  done = (await place.json("run", "hello")).data.thread_id;
  asks = (await place.json("run", "asks", "name=a")).data.thread_id;
});
afterAll(() => place.remove());

async function words(...typed: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await place.run(["__complete", "--", ...typed]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t")[0] ?? "");
}

test("commands, verbs and flags come from the table", async () => {
  expect(await words("re")).toEqual(
    ["replay", "resume", "retry", "recover", "revoke"].filter((each) => each !== ""),
  );
  expect(await words("proc", "")).toEqual(["ls", "logs", "stop"]);
  expect(await words("ps", "--st")).toEqual(["--status"]);
  expect(await words("ps", "-s", "ret")).toEqual(["retrying"]);
  expect(await words("--json", "ver")).toEqual(["verify"]);
  expect(await words("nothing", "")).toEqual([]);
  expect(await words("__")).toEqual([]);
});

test("threads in a state that fits, questions, directives, inputs, settings, codes", async () => {
  expect(await words("show", "")).toEqual([asks, done]);
  expect(await words("show", "hel")).toEqual([done]);
  expect(await words("cancel", "")).toEqual([asks]);
  expect(await words("resume", "")).toEqual([asks, done]);
  expect(await words("retry", "")).toEqual([]);
  expect(await words("approve", "")).toEqual([expect.stringMatching(/^ap_/)]);
  expect(await words("run", "")).toEqual(["asks", "hello"]);
  expect(await words("run", "asks", "")).toEqual(["name=", "size=", ":nospace"]);
  expect(await words("run", "asks", "name=x", "s")).toEqual(["size=", ":nospace"]);
  expect(await words("config", "get", "retry.max_r")).toEqual(["retry.max_retries"]);
  expect(await words("explain", "E_LO")).toEqual(["E_LOCKED"]);
  expect(await words("schema", "thread.t")).toEqual(["thread.tree", "thread.trees"]);
  expect(await words("completion", "")).toEqual(["bash", "zsh", "fish", "pwsh"]);
  expect(await words("export", done, "-o", "")).toEqual([":files"]);
});

test("nowhere, and in a project that is not trusted, nothing fails and nothing is written", async () => {
  const empty = new Place();
  expect((await empty.run(["__complete", "--", "show", ""])).stdout.trim()).toBe("");
  empty.write({ ".ai/directives/x.md": "broken" });
  expect((await empty.run(["__complete", "--", "run", "x", ""])).code).toBe(0);
  expect(existsSync(join(empty.root, ".ai/threads"))).toBe(false);
  empty.remove();
});

test("bash gets the words that fit", async () => {
  const script = join(place.folder, "selvage.bash");
  writeFileSync(script, await place.ok("completion", "bash"));
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const ask = (line: string) => {
    const shell = `selvage() { '${process.execPath}' '${cli}' "$@"; }; source '${script}'; COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _selvage; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ended = spawnSync("bash", ["-c", shell], { cwd: place.root, env: place.env, encoding: "utf8" });
    expect(ended.stderr).toBe("");
    return ended.stdout.split("\n").filter(Boolean);
  };
  expect(ask("selvage pr")).toEqual(["proc", "prune"]);
  expect(ask("selvage show hel")).toEqual([done]);
  expect(ask("selvage run asks na")).toEqual(["name="]);
  expect(ask("selvage ")).toContain("doctor");
});

test.each(["bash", "zsh", "fish", "pwsh"])("%s: the script, and where it goes", async (shell) => {
  const { data } = await place.json("completion", shell);
  expect(data.script).toContain("__complete");
  const home = join(place.folder, "home");
  const env = { HOME: home, XDG_CONFIG_HOME: "", XDG_DATA_HOME: "" };
  for (const _ of [1, 2]) {
    const ended = await place.run(["completion", shell, "--install", "--json"], env);
    const { path } = JSON.parse(ended.stdout).data;
    expect(path.startsWith(home)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(data.script);
    writeFileSync(join(dirname(path), "other"), "");
  }
  const { path } = JSON.parse(
    (await place.run(["completion", shell, "--install", "--json"], env)).stdout,
  ).data;
  writeFileSync(path, "mine");
  expect((await place.run(["completion", shell, "--install"], env)).code).toBe(6);
  expect(readFileSync(path, "utf8")).toBe("mine");
  const syntax = { bash: ["bash", "-n"], zsh: ["zsh", "-n"], fish: ["fish", "-n"], pwsh: undefined }[shell];
  if (!syntax) return;
  writeFileSync(path, data.script);
  const [program = "", ...flags] = syntax;
  const read = spawnSync(program, [...flags, path], { encoding: "utf8" });
  // Not every machine has every shell.
  if (read.error === undefined) expect(read).toMatchObject({ status: 0, stderr: "" });
});

test("a shell that there is none for", async () => {
  expect(await place.json("completion", "bsh")).toMatchObject({
    exit: 2,
    error: { why: "Did you mean bash?" },
  });
});

test(`with ${MANY} threads it answers as fast as with three`, { timeout: 300_000 }, async () => {
  const crowd = new Place(scripted("hello", "- says: hello\n"));
  await crowd.ok("trust", "--yes");
  const path = join(crowd.root, ".ai/threads/registry.db");
  const needs = { now: Date.now, sha256, newId: () => "x", ownerState: () => "dead" as const };
  const store = openSqliteStore({ ...needs, path, durability: "relaxed" });
  const ids = Array.from({ length: MANY }, (_, at) => `crowd-1767225600-${String(at).padStart(6, "0")}`);
  for (let at = 0; at < MANY; at += 1_000) {
    await Promise.all(
      ids
        .slice(at, at + 1_000)
        .map((threadId) => store.create({ threadId, events: [createdAs(threadId)], requests: [] })),
    );
  }
  // Of the processor, not of the clock: what else runs on the machine does not count.
  const cli = join(import.meta.dirname, "../../dist/cli.js");
  const fastest = (args: string, { root, env }: Place) => {
    const line = `TIMEFORMAT='%U %S'; time '${process.execPath}' '${cli}' ${args} > /dev/null`;
    const times = Array.from({ length: 7 }, () => {
      const { stderr } = spawnSync("bash", ["-c", line], {
        cwd: root,
        env,
        encoding: "utf8",
      });
      const [user, system] = stderr.trim().split(" ").map(Number);
      return 1_000 * ((user ?? 0) + (system ?? 0));
    });
    return Math.min(...times);
  };
  // Somebody is in the middle of a write all the while: nobody waits for that.
  const writer = openDriver(path);
  writer.exec("BEGIN EXCLUSIVE");
  const { stdout } = await crowd.run(["__complete", "--", "cancel", "crowd-1767225600-00999"]);
  expect(stdout.trim().split("\n")).toHaveLength(10);
  const few = fastest("__complete -- cancel ''", place);
  const many = fastest("__complete -- cancel ''", crowd);
  expect(few).toBeGreaterThan(0);
  // 50 on a machine that does nothing else; two tests at once share its caches.
  expect(many - few).toBeLessThan(150);
  writer.close();
  await store.close();
  crowd.remove();
});
