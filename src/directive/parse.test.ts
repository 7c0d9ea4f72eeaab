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
permissions: [execute.tool.*, execute.directive.plan_*]
delegates: [execute.tool.edit]
inputs: { name: { type: string, required: true, description: Name of the app } }
outputs: { summary: { type: string } }
hooks:
  - { id: ask-first, event: limit, when: "spend_exceeded", directive: my_escalation }
tools: [read, write]
---
Build {input:name}.
--- is no fence here.
`;
  expect(directive(text)).toEqual({
    name: "plan",
    description: "Plan and build a small CRUD app",
    model: "scripted/plan",
    limits: { turns: 30, tokens: 200000, spend: "3.00", spawns: 10, depth: 3, duration: 1800 },
    inputs: { name: { type: "string", required: true, description: "Name of the app" } },
    tools: ["read", "write"],
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
    body: "Do it.",
  });
});

test("an input is an optional string unless it says otherwise", () => {
  expect(directive(withHead("inputs: { name: {} }")).inputs).toStrictEqual({
    name: { type: "string", required: false },
  });
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
      ['3:18 limits.spend: expected an amount of money, such as "3.00", not "$3"'],
    ],
    ["tools that are no list", withHead("tools: read"), ['3:8 tools: expected a list, not "read"']],
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
