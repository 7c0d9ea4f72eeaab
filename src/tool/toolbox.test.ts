import { afterEach, expect, test, vi } from "vitest";
import type { CallId } from "../core/id.ts";
import { defaultSettings } from "../core/settings.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import { NO_SANDBOX } from "./sandbox.ts";
import { builtinTools, toolbox } from "./toolbox.ts";

const options = { projectRoot: "/nowhere", settings: defaultSettings, sandbox: NO_SANDBOX };
const stubborn: Tool = {
  name: "stubborn",
  description: "Never comes back.",
  input: {},
  effect: "manual",
  run: () => new Promise(() => {}),
};
const context: ToolContext = {
  ...{ threadId: "a-1-aaaaaa", chainRootId: "a-1-aaaaaa", turn: 1, callKey: "call_test" as CallId },
  ...{ signal: new AbortController().signal, progress: () => {} },
};

afterEach(() => {
  vi.useRealTimers();
});

test("the built-in tools are known by name and describe themselves", () => {
  const tools = builtinTools(options);
  expect([...tools.keys()]).toEqual(["read", "write", "edit", "bash", "grep", "find", "ls"]);
  for (const tool of tools.values())
    expect(tool.input).toMatchObject({ type: "object", properties: expect.any(Object) });
});

test("the setting's time limit holds for tools that a program hands in", async () => {
  vi.useFakeTimers();
  const tool = toolbox({ ...options, tools: [stubborn] }).get("stubborn");
  const outcome = tool?.run({}, context);
  await vi.advanceTimersByTimeAsync(defaultSettings.tool.timeout_seconds * 1_000);
  expect(await outcome).toMatchObject({
    status: "error",
    output: expect.stringContaining("Timed out after 120 s"),
  });
});

test("a handed-in tool that throws is an error outcome", async () => {
  const throwing: Tool = {
    ...stubborn,
    run: () => {
      throw new Error("broken");
    },
  };
  const tool = toolbox({ ...options, tools: [throwing] }).get("stubborn");
  expect(await tool?.run({}, context)).toEqual({ status: "error", output: "broken" });
});

test("two tools of one name are refused", () => {
  for (const name of ["bash", "search", "thread_tool"])
    expect(() => toolbox({ ...options, tools: [{ ...stubborn, name }] })).toThrow(`two tools named ${name}`);
});
