/**
 * Commands that run threads, in every way in which that can go wrong: a provider that refuses, fails or hangs, a hook that
 * throws, a signal. Whatever happens, `ok` is exit 0, there is one last record and nothing after it, and the process
 * is gone within two seconds of it (UX a.3).
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ended, Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const WORK = "- says: one\n  calls: [{ tool: bash, input: { command: echo one >> effects } }]\n";

/** What goes wrong in the second turn, and the exit code that says so. */
const TROUBLES: readonly (readonly [string, string, number])[] = [
  ["nothing", `${WORK}- says: done\n`, 0],
  ["refused", `${WORK}- fails: { status: 401, message: invalid x-api-key }\n`, 1],
  ["forbidden", `${WORK}- fails: { status: 400, message: no such thing }\n`, 1],
  ["overloaded", `${WORK}- fails: { status: 503, message: overloaded }\n`, 3],
  ["limited", `${WORK}- fails: { status: 429, message: slow down, retry_after_ms: 5400000 }\n`, 8],
  ["cut", `${WORK}- fails: { message: connection reset }\n`, 3],
  ["silent", `${WORK}`, 1],
];

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...Object.assign({}, ...TROUBLES.map(([name, script]) => scripted(name, script))),
    ...scripted("hangs", `${WORK}- hangs: 60\n`),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

/** Runs it, and holds it to what is promised of every command. */
async function word(args: readonly string[], during?: (child: ChildProcess) => void) {
  const { child, ended } = place.start(args);
  let lastWord = performance.now();
  child.stdout?.on("data", () => {
    lastWord = performance.now();
  });
  during?.(child);
  const end = await ended;
  expect(performance.now() - lastWord, `${args.join(" ")} stayed after its last word`).toBeLessThan(2_000);
  return { ...end, last: lastOf(args, end) };
}

function lastOf(args: readonly string[], { code, stdout, stderr }: Ended) {
  const about = `${args.join(" ")}\n${stdout}\n${stderr}`;
  expect(stdout.endsWith("\n"), about).toBe(true);
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const finals = records.filter((record) => "ok" in record);
  expect(finals, about).toHaveLength(1);
  expect(records.at(-1), about).toBe(finals[0]);
  expect(finals[0], about).toMatchObject({ ok: code === 0, exit: code });
  return finals[0];
}

test.each(TROUBLES)("run, and the provider is %s", async (name, _, exit) => {
  for (const format of ["--json", "--jsonl"]) {
    const { code, last } = await word(["run", name, format]);
    expect({ name, format, code, kind: last.kind }).toEqual({
      name,
      format,
      code: exit,
      kind: "thread.result",
    });
  }
});

test.each(["overloaded", "cut"])("resume and approve of what stopped: %s", async (name) => {
  await word(["run", name, "--json"]);
  for (const args of [
    ["resume", "@last", "--jsonl"],
    ["approve", "AP", "--json"],
    ["approve", "AP", "--jsonl"],
  ]) {
    const [approval] = (await place.ok("approvals", "-q")).trim().split("\n");
    const { code, last } = await word(args.map((arg) => (arg === "AP" ? String(approval) : arg)));
    // It stops at the same place again.
    expect({ args, code, exit: last.exit }).toEqual({ args, code: 3, exit: 3 });
  }
});

test.each([["run"], ["recover"]])("a signal while a provider hangs: %s", async (command) => {
  const began = () => existsSync(join(place.root, "effects"));
  const first = place.start(["run", "hangs", "--jsonl"]);
  await until(began);
  if (command === "recover") {
    first.child.kill("SIGKILL");
    await first.ended;
    const { code, last } = await word(["recover", "--all", "--jsonl"], (child) => {
      // It says what it is about before it begins.
      child.stdout?.once("data", () => child.kill("SIGTERM"));
    });
    expect({ code, exit: last.exit }).toEqual({ code: 143, exit: 143 });
    return;
  }
  first.child.kill("SIGTERM");
  const end = await first.ended;
  expect(lastOf(["run"], end)).toMatchObject({ exit: 143, data: { status: "running" } });
});

test("a hook that throws, a hook that hangs", async () => {
  place.write({
    ".ai/config/hooks.yaml": `hooks:
  - { id: throws, event: after_step, command: "echo no >&2; exit 7" }
  - { id: hangs, event: after_step, command: sleep 30, timeout_seconds: 1 }
`,
  });
  for (const format of ["--json", "--jsonl"]) expect((await word(["run", "nothing", format])).code).toBe(0);
});
