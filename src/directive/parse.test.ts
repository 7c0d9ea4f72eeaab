import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDirective } from "./parse.ts";

const FILE = ".ai/directives/plan.md";

function directive(text: string) {
  const parsed = parseDirective("plan", FILE, text);
  if ("complaints" in parsed) throw new Error(JSON.stringify(parsed.complaints));
  return parsed.directive;
}

function complaints(text: string): string[] {
  const parsed = parseDirective("plan", FILE, text);
  if ("directive" in parsed) return [];
  return parsed.complaints.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const withHead = (head: string, body = "Do it.") => `---\nmodel: scripted/plan\n${head}\n---\n${body}\n`;

test("the whole front matter of the specification is understood", () => {
  const text = `---
description: Plan and build a small CRUD app
version: 1.0.0
model: { id: scripted/plan }
limits: { turns: 30, tokens: 200000, spend: "3.00", spawns: 10, depth: 3, duration: 1800 }
permissions: [execute.tool.*, execute.directive.plan_*, { ask: execute.tool.bash }]
delegates: [execute.tool.edit]
inputs: { name: { type: string, required: true, description: Name of the app } }
outputs: { summary: { type: string } }
hooks:
  - { id: ask-first, event: limit, when: "spend_exceeded", directive: my_escalation }
---
Build {input:name}.
--- is no fence here.
`;
  expect(directive(text)).toEqual({
    name: "plan",
    description: "Plan and build a small CRUD app",
    version: "1.0.0",
    model: "scripted/plan",
    limits: { turns: 30, tokens: 200000, spend: "3.00", spawns: 10, depth: 3, duration: 1800 },
    inputs: { name: { type: "string", required: true, description: "Name of the app" } },
    outputs: { summary: { type: "string" } },
    permissions: ["selvage.execute.tool.*", "selvage.execute.directive.plan_*"],
    ask: ["selvage.execute.tool.bash"],
    delegates: ["selvage.execute.tool.edit"],
    hooks: [
      { id: "ask-first", event: "limit", when: "spend_exceeded", inputs: {}, directive: "my_escalation" },
    ],
    body: "Build {input:name}.\n--- is no fence here.",
  });
});

test("what is left out is empty, not undefined", () => {
  expect(directive(withHead(""))).toStrictEqual({
    name: "plan",
    description: "",
    model: "scripted/plan",
    limits: {},
    inputs: {},
    outputs: {},
    permissions: [],
    ask: [],
    delegates: [],
    hooks: [],
    body: "Do it.",
  });
});

test("an input is an optional string unless it says otherwise", () => {
  expect(directive(withHead("inputs: { name: {} }")).inputs).toStrictEqual({
    name: { type: "string", required: false },
  });
});

test.each([
  ["{ path: cost.spend, op: gt, value: 2 }"],
  ["{ any: [spend_exceeded, { not: { path: turn, op: lt, value: 3 } }] }"],
  ["{ all: [{ path: a, op: eq, value: null }] }"],
])("a condition may be the mapping %s", (when) => {
  const [hook] = directive(withHead(`hooks: [{ event: error, when: ${when}, command: ls }]`)).hooks;
  expect(hook).toMatchObject({ id: "error-1", when: expect.any(Object) });
});

test("a tier beside an id is told apart from it", () => {
  expect(parseDirective("plan", FILE, "---\nmodel: { tier: fast, id: a/b }\n---\nx")).toMatchObject({
    directive: { model: "a/b" },
    ignored: { tier: "fast" },
  });
});

test("a tier is read, and what it means is for others to say", () => {
  expect(directive("---\nmodel: { tier: fast }\n---\nx")).toMatchObject({ model: "", tier: "fast" });
});

test("line ends of another system and a byte order mark do no harm", () => {
  const text = "\ufeff---\r\nmodel: scripted/plan\r\nlimits:\r\n  turns: 3\r\n---\r\nDo it.\r\n";
  expect(directive(text)).toMatchObject({ model: "scripted/plan", limits: { turns: 3 }, body: "Do it." });
});

describe("complaints say where and what", () => {
  test.each([
    ["no front matter", "Just a prompt.", ["1:1 model is missing"]],
    ["an empty file", "", ["1:1 model is missing"]],
    ["an empty front matter", "---\n---\nDo it.", ["2:1 model is missing"]],
    [
      "no closing fence",
      "---\nmodel: a\n",
      ["1:1 the front matter that starts here is not closed by a line ---"],
    ],
    [
      "a misspelt key",
      withHead("desription: x"),
      ['3:1 unknown key "desription"; did you mean "description"?'],
    ],
    ["a misspelt limit", withHead("limits:\n  turn: 3"), ['4:3 unknown key "turn"; did you mean "turns"?']],
    [
      "a wrong limit",
      withHead("limits: { turns: many }"),
      ['3:18 limits.turns: expected a number, not "many"'],
    ],
    [
      "a negative limit",
      withHead("limits: { depth: -1 }"),
      ["3:18 limits.depth: expected at least 0, not -1"],
    ],
    [
      "wrong money",
      withHead("limits: { spend: $3 }"),
      ['3:18 limits.spend: expected an amount of money, such as "3.00", or shared, not "$3"'],
    ],
    [
      "rights that are no list",
      withHead("permissions: read"),
      ['3:14 permissions: expected a list, not "read"'],
    ],
    [
      "an ask that is about no tool",
      withHead("permissions: [{ ask: execute.process.network }]"),
      ["3:22 permissions[0].ask: a person can only be asked about calls of tools: execute.tool.NAME"],
    ],
    [
      "tools",
      withHead("tools: [read]"),
      ["3:8 tools: tools are granted as rights: permissions: [execute.tool.NAME]"],
    ],
    [
      "a wrong input type",
      withHead("inputs: { a: { type: text } }"),
      ['3:22 inputs.a.type: expected string or number or boolean, not "text"'],
    ],
    [
      "a wrong input name",
      withHead("inputs: { a-b: {} }"),
      ["3:11 inputs.a-b: an input's name has letters, digits and _, and starts with no digit"],
    ],
    [
      "a model that is no id",
      "---\nmodel: [x]\n---\nDo it.",
      ['2:8 model: expected a model id, such as { id: scripted/hello }, not ["x"]'],
    ],
    [
      "neither a model nor a tier",
      "---\nmodel: {}\n---\nDo it.",
      ["2:8 model: expected an id, such as { id: scripted/hello }, or a tier, such as { tier: default }"],
    ],
    [
      "a right that is none",
      withHead("permissions: [execute.tol.*]"),
      ['3:15 permissions[0]: "execute.tol.*" is no right: "tol" is no kind; did you mean "tool"?'],
    ],
    [
      "a right with a star inside",
      withHead("delegates:\n  - execute.*.read"),
      ['4:5 delegates[0]: "execute.*.read" is no right: a * may stand only at the end'],
    ],
    [
      "a wrong output type",
      withHead("outputs: { a: { type: strin } }"),
      [
        '3:23 outputs.a.type: expected string or number or boolean or object or array, not "strin"; did you mean "string"?',
      ],
    ],
    [
      "an event nobody knows",
      withHead("hooks:\n  - { event: limits, command: ls }"),
      [
        '4:14 hooks[0].event: expected before_step or after_step or error or limit or after_complete or context_window_pressure or before_tool or after_tool, not "limits"; did you mean "limit"?',
      ],
    ],
    [
      "a hook that does nothing",
      withHead("hooks:\n  - { event: limit }"),
      ["4:5 hooks[0]: a hook needs a directive or a command, and not both"],
    ],
    [
      "a hook that does two things",
      withHead("hooks:\n  - { event: limit, directive: a, command: b }"),
      ["4:5 hooks[0]: a hook needs a directive or a command, and not both"],
    ],
    [
      "a hook with a strange key",
      withHead("hooks:\n  - { event: limit, wen: x, directive: a }"),
      ['4:21 unknown key "wen"; did you mean "when"?'],
    ],
    [
      "a condition of no shape",
      withHead("hooks:\n  - { event: limit, when: { pth: cost }, directive: a }"),
      [
        '4:27 hooks[0].when: expected a condition, such as "cost.spend > 2.0", or a mapping with path, op and value, or with any, all or not',
      ],
    ],
    [
      "a hook's directive that is no name",
      withHead("hooks:\n  - { event: limit, directive: ../x }"),
      ["4:32 hooks[0].directive: no name of a directive: a segment starts with a dot"],
    ],
    [
      "one id for two hooks",
      withHead("hooks:\n  - { id: a, event: limit, command: x }\n  - { id: a, event: error, command: y }"),
      ['5:11 hooks[1]: the id "a" stands twice'],
    ],
    ["a syntax error", withHead("limits: { turns: 3"), [/^4:1 /]],
    ["__proto__", withHead("__proto__: { model: x }"), ["3:1 the key __proto__ is not allowed"]],
    ["no prompt", withHead("", "  "), ["5:1 the body is empty; it is the prompt of the thread"]],
    [
      "an undeclared input",
      withHead("inputs: { name: {} }", "Hi.\n\nFor {input:nmae}."),
      ['7:5 "nmae" is not a declared input; did you mean "name"?'],
    ],
  ])("%s", (_, text, expected) => {
    const said = complaints(text);
    expect(said).toHaveLength(expected.length);
    expected.forEach((line, index) => {
      if (typeof line === "string") expect(said[index]).toBe(line);
      else expect(said[index]).toMatch(line);
    });
  });

  test("all of them at once", () => {
    expect(complaints("---\ntoolz: []\nlimits: 3\n---\nDo it.")).toEqual([
      '2:1 unknown key "toolz"; did you mean "tools"?',
      "2:1 model is missing",
      "3:9 limits: expected a mapping, not 3",
    ]);
  });
});

test("no text throws, and no key reaches a prototype", () => {
  const bits = fc.constantFrom(
    "---\n",
    "model: a\n",
    "inputs:",
    "limits:",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "\n",
    "  ",
    "- ",
    "&a",
    "*a",
    "{input:x}",
    "__proto__",
    "'",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(bits, { maxLength: 30 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, fc.boolean(), (text, fenced) => {
      const parsed = parseDirective("a", "a.md", fenced ? `---\n${text}\n---\n${text}` : text);
      if ("complaints" in parsed) expect(parsed.complaints.length).toBeGreaterThan(0);
      else expect(parsed.directive.model).not.toBe("");
    }),
    { numRuns: 3000 },
  );
  expect(Object.hasOwn(Object.prototype, "model")).toBe(false);
});
