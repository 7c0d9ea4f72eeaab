import { describe, expect, test } from "vitest";
import type { Event } from "./event.ts";
import type { CallId } from "./id.ts";
import { handleOf, isStart, reduceProcesses, runningProcesses } from "./managed.ts";
import { variableProblem } from "./managed-input.ts";
import { orchestrationTool } from "./orchestration.ts";

const complaint = (input: unknown) => orchestrationTool("managed_subprocess", {})?.complaint?.(input);

test.each([
  ...["LD_PRELOAD", "ld_library_path", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_PATH", "PATH", "Path"],
  ...["GIT_SSH_COMMAND", "GIT_DIR", "BASH_ENV", "BASH_FUNC_ls%%", "ENV", "IFS", "PS4", "PROMPT_COMMAND"],
  ...["PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "HOME"],
  ...[
    "SELVAGE_PROCESS",
    "SELVAGE_KEEPER",
    "SELVAGE_THREAD",
    "npm_config_script_shell",
    "SHELLOPTS",
    "a=b",
    "",
  ],
])("%s is never set by a call", (name) => {
  expect(variableProblem(name)).toBeDefined();
  expect(complaint({ action: "start", command: "x", env: { [name]: "1" } })).toMatch(/^env: /);
});

test.each(["PORT", "NODE_ENV", "PYTHONUNBUFFERED", "VITE_API", "DEBUG", "_X"])("%s is", (name) => {
  expect(complaint({ action: "start", command: "x", env: { [name]: "1" } })).toBeUndefined();
});

test.each([
  [{ action: "start" }, "command: start needs it"],
  [{ action: "stop" }, "handle_id: all but start need it; start told it"],
  [{ action: "start", command: "x", ready_port: 80, ready_pattern: "a" }, /^ready_port: either/],
  [{ action: "start", command: "x", ready_port: 70_000 }, /^ready_port: /],
  [{ action: "start", command: "a\0b" }, "command: it holds a NUL character"],
  [{ action: "logs", handle_id: "x", tail: 5_000 }, /^tail: /],
  [{ action: "kill", handle_id: "x" }, /^action: /],
])("%j is complained about by field", (input, words) => {
  expect(complaint(input)).toMatch(words);
});

describe("the fold", () => {
  const event = (more: object) => ({ v: 1, seq: 1, ts: "2026-01-01T00:00:00Z", thread_id: "t", ...more });
  const started = (handle_id: string, ready = false) =>
    event({
      type: "process_started",
      ...{ handle_id, call_id: "c", pid: 5, identity: "i", command: "npm", args: [], cwd: ".", ready },
    }) as Event<"process_started">;
  const stopped = (handle_id: string, exit_code: number) =>
    event({ type: "process_stopped", handle_id, exit_code, why: "exited" }) as Event<"process_stopped">;

  test("one is ready once it was, stays as it ended, and nothing is invented", () => {
    const all = [
      started("a"),
      started("b"),
      started("a", true),
      started("a"),
      stopped("a", 3),
      stopped("a", 4),
      stopped("x", 1),
    ];
    const fold = all.reduce(reduceProcesses, {});
    expect(Object.keys(fold)).toEqual(["a", "b"]);
    expect(fold["a"]).toMatchObject({ ready: true, ended: { exitCode: 3 } });
    expect(runningProcesses({ processes: fold }).map(({ handle }) => handle)).toEqual(["b"]);
  });

  test("a handle follows from its chain and its call", () => {
    const of = (chainRootId: string, call: string) =>
      handleOf({ chainRootId }, call as CallId, (text) => Buffer.from(text).toString("hex").padEnd(16, "0"));
    expect(of("a", "c")).toBe(of("a", "c"));
    expect(of("a", "c")).not.toBe(of("b", "c"));
    expect(isStart({ tool: "managed_subprocess", input: { action: "start" } })).toBe(true);
    expect(isStart({ tool: "managed_subprocess", input: null })).toBe(false);
  });
});
