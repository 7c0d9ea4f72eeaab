import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSaid, executeComplaint, takenCall } from "./execute.ts";

const execute = (item_type: unknown, item_id: unknown, parameters?: unknown) => ({
  tool: "execute",
  input: { item_type, item_id, ...(parameters === undefined ? {} : { parameters }) },
});

describe("what a call of execute is taken as", () => {
  test("the call of the tool, with what it is given", () => {
    expect(takenCall(execute("tool", "bash", { command: "ls" }))).toEqual({
      tool: "bash",
      input: { command: "ls" },
      executes: "tool",
    });
    expect(takenCall(execute("tool", "note"))).toEqual({ tool: "note", input: {}, executes: "tool" });
  });

  test("a start of the directive, as thread_tool would be asked for it", () => {
    expect(takenCall(execute("directive", "plan/db", { name: "x" }))).toEqual({
      tool: "thread_tool",
      input: { directive: "plan/db", inputs: { name: "x" } },
      executes: "directive",
    });
  });

  test("parameters reach the tool as they were given, to be refused by it", () => {
    const parameters = JSON.parse('{"__proto__": {"a": 1}, "_secret": 1, "constructor": []}');
    const taken = takenCall(execute("tool", "bash", parameters));
    expect(taken.input).toBe(parameters);
  });

  test.each<[string, unknown, string]>([
    ["itself", execute("tool", "execute", {}).input, "item_id: execute cannot execute itself"],
    ["knowledge", execute("knowledge", "api").input, "item_type: knowledge is nothing to execute; load it"],
    ["a skill", execute("skill", "deploy").input, "item_type: skill is nothing to execute; load it"],
    [
      "a misspelt type",
      execute("tol", "bash").input,
      'item_type: "tol" is no type of item; did you mean "tool"?',
    ],
    ["no type", { item_id: "bash" }, "item_type: it is missing; there are tool, directive, knowledge, skill"],
    [
      "a way out",
      execute("tool", "../bash").input,
      "item_id: no name of an item: a segment starts with a dot",
    ],
    [
      "a root",
      execute("directive", "/etc").input,
      "item_id: no name of an item: it has an empty segment between slashes",
    ],
    ["no id", { item_type: "tool" }, "item_id: Invalid input: expected string, received undefined"],
    [
      "a list",
      execute("tool", "bash", []).input,
      "parameters: Invalid input: expected record, received array",
    ],
    ["text", "bash", "The arguments must be an object."],
    ["nothing", null, "The arguments must be an object."],
    [
      "a value of the runtime",
      { ...execute("tool", "bash").input, _thread: "x" },
      "_thread: arguments beginning with _ are reserved for the runtime; leave it out.",
    ],
  ])("%s is nothing: it stays what it is, and is complained about", (_, input, complaint) => {
    expect(takenCall({ tool: "execute", input })).toEqual({ tool: "execute", input });
    expect(executeComplaint(input)).toBe(complaint);
  });

  test("other tools are left alone, whatever they are given", () => {
    const input = execute("tool", "bash").input;
    expect(takenCall({ tool: "load", input })).toEqual({ tool: "load", input });
  });
});

test("whatever is handed over: it is another call, or a complaint; never neither", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.record({ item_type: fc.constantFrom("tool", "skill"), item_id: fc.string() }),
      ),
      (input) => {
        const { tool } = takenCall({ tool: "execute", input });
        expect(tool === "execute").toBe(executeComplaint(input) !== undefined);
      },
    ),
  );
});

test("the model reads its own words back", () => {
  for (const said of [execute("tool", "bash", { command: "ls" }), execute("directive", "plan", { a: 1 })])
    expect(asSaid(takenCall(said))).toEqual(said);
  expect(asSaid({ tool: "bash", input: { command: "ls" } })).toEqual({
    tool: "bash",
    input: { command: "ls" },
  });
});
