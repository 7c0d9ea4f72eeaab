import { describe, expect, test } from "vitest";
import { mint } from "./grant.ts";
import {
  comesLast,
  orchestrationNames,
  orchestrationTool,
  parseOrchestration,
  RUNTIME_TOOLS,
} from "./orchestration.ts";
import { delegate, rightsOf } from "./rights.ts";

const complaint = (name: string, input: unknown) => orchestrationTool(name, {})?.complaint?.(input);

describe("what is asked of a tool of the runtime is checked, field by field", () => {
  test.each<[string, unknown, string | undefined]>([
    ["thread_tool", { directive: "a" }, undefined],
    ["thread_tool", {}, "directive"],
    ["thread_tool", { directive: "" }, "directive"],
    ["thread_tool", { directive: 7 }, "directive"],
    ["thread_tool", { directive: "a", wait: "yes" }, "wait"],
    ["thread_tool", { directive: "a", inputs: [] }, "inputs"],
    ["thread_tool", { directive: "a", limits: { turns: true } }, "limits"],
    ["thread_tool", { directive: "a", _key: "mine" }, "_key"],
    ["thread_tool", null, ""],
    ["thread_tool", "a", ""],
    ["wait_threads", { thread_ids: ["a"] }, undefined],
    ["wait_threads", { thread_ids: "a" }, "thread_ids"],
    ["wait_threads", { thread_ids: [] }, "thread_ids"],
    ["wait_threads", { thread_ids: [""] }, "thread_ids"],
    ["wait_threads", { thread_ids: ["a"], timeout: -1 }, "timeout"],
    ["wait_threads", { thread_ids: ["a"], timeout: 0 }, undefined],
    ["wait_threads", { thread_ids: ["a"], timeout: 1e9 }, "timeout"],
    ["wait_threads", { thread_ids: ["a"], require: 0 }, "require"],
    ["wait_threads", { thread_ids: ["a"], require: 1.5 }, "require"],
    ["wait_threads", { thread_ids: ["a"], require: 2 }, "require"],
    ["wait_threads", { thread_ids: ["a"], cancel_siblings_on_failure: true }, "cancel_siblings_on_failure"],
    ["wait_threads", { thread_ids: ["a"], fail_fast: true, cancel_siblings_on_failure: true }, undefined],
    ["wait_threads", { thread_ids: ["a"], _now: 1 }, "_now"],
    ["cancel_thread", { thread_id: "a", reason: "x".repeat(1_001) }, "reason"],
    ["cancel_thread", { thread_id: "a" }, undefined],
    ["send_message", { thread_id: "a", text: "" }, "text"],
    ["resume_thread", { thread_id: "a", action: "restart" }, "action"],
    ["resume_thread", { thread_id: "a" }, undefined],
  ])("%s %j", (name, input, field) => {
    const said = complaint(name, input);
    if (field === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(field);
  });

  test("what is left out has its default", () => {
    expect(parseOrchestration("wait_threads", { thread_ids: ["a"] })).toMatchObject({
      value: { timeout: 600, require_all: true, fail_fast: false, include_suspended: false },
    });
    expect(parseOrchestration("thread_tool", { directive: "a" })).toMatchObject({
      value: { wait: false, start: true },
    });
  });
});

describe("directive_return", () => {
  const outputs = { sum: { type: "number" }, list: { type: "array" }, told: { type: "object" } };
  test.each<[unknown, string | undefined]>([
    [{ sum: 4, list: [], told: {} }, undefined],
    [{ sum: 4, list: [] }, "told: it is missing"],
    [{ sum: "4", list: [], told: {} }, "sum: expected number, not string"],
    [{ sum: null, list: [], told: {} }, "sum: expected number, not null"],
    [{ sum: 4, list: {}, told: {} }, "list: expected array, not object"],
    [{ sum: 4, list: [], told: [] }, "told: expected object, not array"],
    [
      { sum: 4, list: [], told: {}, more: 1 },
      "more: the directive asks for no such output; it asks for sum, list, told",
    ],
    [{ sum: 4, list: [], told: {}, toString: 1 }, expect.stringContaining("toString") as unknown as string],
    [[], "The arguments must be an object."],
    [null, "The arguments must be an object."],
    ["x", "The arguments must be an object."],
  ])("%j", (input, said) => {
    expect(orchestrationTool("directive_return", outputs)?.complaint?.(input)).toEqual(said);
  });

  test("the model is shown what it must hand back", () => {
    const described = { sum: { type: "number", description: "of all" }, odd: { type: "date" } };
    expect(orchestrationTool("directive_return", described)?.input).toEqual({
      type: "object",
      properties: { sum: { type: "number", description: "of all" }, odd: {} },
      required: ["sum", "odd"],
      additionalProperties: false,
    });
  });
});

describe("who is offered what", () => {
  const mintOf = (...permissions: string[]) => rightsOf(mint({ permissions, ask: [], delegates: [] }));
  const verbs = ["execute", "search", "load"];
  const all = RUNTIME_TOOLS.filter((name) => name !== "directive_return" && !verbs.includes(name));

  test.each<[readonly string[], readonly string[]]>([
    [["selvage.*"], all],
    [["selvage.execute.tool.*"], ["managed_subprocess"]],
    [
      ["selvage.execute.tool.*", "selvage.execute.tool.get_chain"],
      ["managed_subprocess", "get_chain"],
    ],
    [["selvage.execute.tool.*", "selvage.execute.directive.plan_*"], all],
    [["selvage.execute.tool.thread_tool", "selvage.execute.directive.a"], ["thread_tool"]],
    [["selvage.execute.directive.*"], []],
    [[], []],
  ])("%j", (permissions, names) => {
    expect(orchestrationNames(mintOf(...permissions), {})).toEqual(names);
  });

  test("one that starts nobody may still talk to who started it; who must hand back something always may", () => {
    const tools = { permissions: ["selvage.execute.tool.*"], ask: [], delegates: [] };
    const child = rightsOf(delegate({ id: "p", directive: "p", rights: mintOf("selvage.*") }, tools));
    expect(orchestrationNames(child, {})).toEqual(["send_message", "managed_subprocess", "channel"]);
    expect(orchestrationNames(mintOf(), { sum: {} })).toEqual(["directive_return"]);
  });

  test("only what parks or ends the thread comes last", () => {
    const last = (tool: string, input: unknown = {}) => comesLast({ tool, input });
    expect([last("wait_threads"), last("directive_return"), last("thread_tool", { wait: true })]).toEqual([
      ...[true, true, true],
    ]);
    expect([
      last("thread_tool"),
      last("thread_tool", null),
      last("thread_tool", { wait: "x" }),
      last("bash"),
    ]).toEqual([false, false, false, false]);
  });

  test("nobody runs them but the runtime, and other names are none of theirs", () => {
    expect(orchestrationTool("bash", {})).toBeUndefined();
    expect(() => orchestrationTool("thread_tool", {})?.run({}, {} as never)).toThrow("performs this itself");
  });
});
