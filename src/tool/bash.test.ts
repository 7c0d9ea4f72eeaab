import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CallId } from "../core/id.ts";
import { defaultSettings } from "../core/settings.ts";
import { lanesOf, type ToolContext } from "../core/tool.ts";
import { bashTool } from "./bash.ts";
import { NO_SANDBOX } from "./sandbox.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-test-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

test("a command runs in the project and gives what it prints, in order", async () => {
  expect(await run("pwd; echo two >&2; echo three")).toEqual({
    status: "ok",
    output: `${root}\ntwo\nthree\n`,
  });
});

test("silence is said in words", async () => {
  expect(await run("true")).toEqual({ status: "ok", output: "(no output)" });
});

test("a command that fails is an error with its code and output", async () => {
  expect(await run("echo why; exit 7")).toEqual({ status: "error", output: "Exit code 7.\nwhy\n" });
  expect(await run("exit 7")).toEqual({ status: "error", output: "Exit code 7." });
  expect(await run("kill -KILL $$")).toEqual({ status: "error", output: "Ended by SIGKILL." });
  expect((await run("if")).output).toMatch(/^Exit code 2\.\nbash: .*syntax error/);
});

test("a command that takes too long is an error", async () => {
  expect(await run({ command: "echo begun; sleep 1000", timeout: 0.2 })).toEqual({
    status: "error",
    output: "Timed out after 0.2 s and was stopped.\nbegun\n",
  });
});

test("a call may ask for less time than the setting, never for more", async () => {
  const outcome = await run({ command: "sleep 1000", timeout: 900 }, {}, { timeout_seconds: 0.1 });
  expect(outcome.output).toBe("Timed out after 0.1 s and was stopped.");
  expect(await run({ command: "echo x", timeout: 30 }, {}, { timeout_seconds: 0 })).toMatchObject({
    status: "ok",
  });
});

test("an abort stops it", async () => {
  const controller = new AbortController();
  const context = { signal: controller.signal, progress: () => controller.abort() };
  expect(await run("echo begun; sleep 1000", context)).toEqual({
    status: "stopped",
    output: "Stopped.\nbegun\n",
  });
  expect(await run("echo never", context)).toMatchObject({ status: "stopped" });
});

test("one that does not stop when it is told to is killed, and that is said", async () => {
  const controller = new AbortController();
  const context = { signal: controller.signal, progress: () => controller.abort() };
  const outcome = await run(
    "exec 2>/dev/null; trap '' TERM; echo begun; while :; do sleep 0.05; done",
    context,
  );
  expect(outcome).toEqual({
    ...{ status: "stopped", killed: true },
    output: "Killed: it did not stop when it was told to.\nbegun\n",
  });
});

test("a flood is stopped and said to be one", async () => {
  const outcome = await run("yes", {}, { max_output_bytes: 10 });
  expect(outcome).toEqual({
    status: "error",
    output: "Stopped: it printed more than 10 bytes. What came before:\ny\ny\ny\ny\ny\n",
  });
});

test("keys stay with us; the call's own key is handed on", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "secret");
  const { output } = await run("env");
  expect(output).toContain("SELVAGE_CALL_KEY=call_test\n");
  expect(output).not.toContain("secret");
});

test("where there is no bash, sh does it", async () => {
  mkdirSync(join(root, "bin"));
  symlinkSync("/bin/sh", join(root, "bin/sh"));
  vi.stubEnv("PATH", join(root, "bin"));
  expect(await run("echo done")).toEqual({ status: "ok", output: "done\n" });
});

test("a shell that cannot start is an error that names the cause", async () => {
  const tool = bashTool({
    projectRoot: join(root, "gone"),
    limits: defaultSettings.tool,
    sandbox: NO_SANDBOX,
  });
  const outcome = await tool.run({ command: "true" }, contextWith({}));
  expect(outcome).toEqual({ status: "error", output: `Could not start: there is no folder ${root}/gone.` });
});

test("progress is the last line with something on it, at most once a second", async () => {
  const told: string[] = [];
  await run(String.raw`printf 'one\n\e[1mtwo\e[0m\n\n'; for i in 1 2 3 4 5; do echo $i; done`, {
    progress: (...said) => told.push(String(said[0])),
  });
  expect(told).toHaveLength(1);
});

test("arguments are checked, and named", () => {
  const tool = bashTool({ projectRoot: root, limits: defaultSettings.tool, sandbox: NO_SANDBOX });
  expect(tool.complaint?.({ command: "x" })).toBeUndefined();
  expect(tool.complaint?.({})).toBe("command: Invalid input: expected string, received undefined");
  expect(tool.complaint?.({ command: "" })).toMatch(/^command: /);
  expect(tool.complaint?.({ command: "x", timeout: -1 })).toMatch(/^timeout: /);
  expect(tool.complaint?.({ command: "x", _root: "/" })).toMatch(/^_root: /);
});

test("it is never repeated by the machine, and one call waits for the other", () => {
  const tool = bashTool({ projectRoot: root, limits: defaultSettings.tool, sandbox: NO_SANDBOX });
  expect([tool.effect, lanesOf(tool, { command: "x" })]).toEqual(["manual", ["tool:bash"]]);
});

function run(
  input: string | object,
  over: Partial<ToolContext> = {},
  limits: Partial<typeof defaultSettings.tool> = {},
) {
  const tool = bashTool({
    projectRoot: root,
    limits: { ...defaultSettings.tool, ...limits },
    sandbox: NO_SANDBOX,
  });
  return tool.run(typeof input === "string" ? { command: input } : input, contextWith(over));
}

function contextWith(over: Partial<ToolContext>): ToolContext {
  return {
    ...{ threadId: "a-1-aaaaaa", chainRootId: "a-1-aaaaaa", turn: 1, callKey: "call_test" as CallId },
    signal: new AbortController().signal,
    progress: () => {},
    ...over,
  };
}
