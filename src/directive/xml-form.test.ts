import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDirective } from "./parse.ts";

const FILE = ".ai/directives/plan.md";

function parsed(text: string) {
  const result = parseDirective("plan", FILE, text);
  if ("complaints" in result) throw new Error(JSON.stringify(result.complaints));
  return result;
}

function complaints(text: string): string[] {
  const result = parseDirective("plan", FILE, text);
  if (!("complaints" in result)) return [];
  return result.complaints.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const fenced = (xml: string, after = "Do it.") => `\`\`\`xml\n${xml}\n\`\`\`\n\n${after}\n`;
const withParts = (parts: string, after = "Do it.") =>
  fenced(`<directive name="plan">\n<model id="a/b" />\n${parts}\n</directive>`, after);

const NATIVE = `---
description: Plan and build a small CRUD app
version: 1.0.0
model: { id: scripted/plan, tier: default }
limits: { turns: 30, tokens: 200000, spend: "3.00", spawns: 10, depth: 3, duration: 1800, retry_max: 2, backoff_base: 1.5 }
permissions: [execute.tool.*, search.*, execute.directive.plan_*, load.knowledge.*, { ask: execute.tool.bash }]
delegates: [execute.tool.edit]
inputs:
  name: { type: string, required: true, description: Name of the app }
  loud: { type: boolean, required: false }
outputs: { summary: { type: string, description: What was built }, files: { type: array } }
hooks:
  - { id: ask-first, event: limit, when: "a && b < 3", directive: my_escalation, inputs: { thread_id: "{thread_id}" } }
  - { event: error, command: ./notify }
---
# Plan

Wave 1: build {input:name} with a < b & c.
  <step name="two">Then test it.</step>

Wave 3: stop.
`;

const XML = `<!-- rye:signed:2026 -->
# Plan

\`\`\`xml
<?xml version="1.0"?>
<directive name="plan" version="1.0.0">
  <!-- who reads this? -->
  <metadata>
    <description>Plan and build a
      small CRUD app</description>
    <category>apps</category>
    <author>maya</author>
    <model tier="default" id="scripted/plan" />
    <limits max_turns="30" tokens="200000" max_spend="3.00" max_spawns="10" depth="3" duration="1800"
      retry_max="2" backoff_base="1.5" />
    <permissions>
      <execute resource="rye" action="tool.*" />
      <execute resource="rye" action="search.*" />
      <cap>rye.execute.directive.plan_*</cap>
      <load resource="selvage" action="knowledge.*"/>
      <ask>execute.tool.bash</ask>
    </permissions>
    <delegates><cap>execute.tool.edit</cap></delegates>
    <hooks>
      <hook id="ask-first" event="limit" when="a && b < 3">
        <directive>my_escalation</directive>
        <inputs>
          <thread_id>{thread_id}</thread_id>
        </inputs>
      </hook>
      <hook event="error"><command>./notify</command></hook>
    </hooks>
  </metadata>
  <inputs>
    <input name="name" type="string" required="true">Name of the app</input>
    <input name="loud" type="boolean" required="false" />
  </inputs>
  <outputs>
    <output name="summary" type="string">What was built</output>
    <output name="files" type="array" />
  </outputs>
  <process>
    Wave 1: build {input:name} with a &lt; b <![CDATA[&]]> c.
      <step name="two">Then test it.</step>
  </process>
</directive>
\`\`\`

Wave 3: stop.
`;

test("both forms of a directive give the same value", () => {
  const native = parsed(NATIVE);
  const xml = parsed(XML);
  expect(xml.directive).toStrictEqual(native.directive);
  expect([native.form, xml.form]).toEqual(["yaml", "xml"]);
  expect(xml.ignored).toEqual({ tier: "default", name: "plan" });
});

test("every part of either form knows where it stands", () => {
  const at = (text: string, path: readonly PropertyKey[]) => {
    const { line, column } = parsed(text).placeOf(path, "key");
    return `${line}:${column}`;
  };
  expect(at(NATIVE, ["limits"])).toBe("5:1");
  expect(at(XML, ["limits"])).toBe("14:5");
  expect(at(XML, ["limits", "spend"])).toBe("14:44");
  expect(at(XML, ["permissions", 2])).toBe("19:7");
  expect(at(XML, ["hooks", 0, "when"])).toBe("25:42");
  expect(at(XML, ["inputs", "loud", "type"])).toBe("36:24");
  expect(at(XML, ["nothing"])).toBe("6:1");
  expect(parsed(NATIVE).bodyAt).toEqual({ line: 16, column: 1 });
  expect(parsed(XML).bodyAt).toEqual({ line: 2, column: 1 });
  expect(parsed(withParts("<process>\n  Hi.\n</process>", "")).bodyAt).toEqual({ line: 5, column: 3 });
});

test("a fence inside front matter's prompt, or inside another fence, is only text", () => {
  const shown = fenced("<directive>");
  expect(parsed(`---\nmodel: a\n---\n${shown}`)).toMatchObject({ form: "yaml" });
  expect(complaints(`\`\`\`\`markdown\n${shown}\`\`\`\`\n`)).toEqual(["1:1 model is missing"]);
  expect(complaints(fenced("<other/>"))).toEqual(["1:1 model is missing"]);
});

test("tildes, capitals, indents and other line ends open the same fence", () => {
  const xml = '<directive><model id="a/b"/></directive>';
  for (const text of [
    `~~~XML\n${xml}\n~~~~\nDo it.`,
    `  \`\`\`xml\r\n  ${xml}\r\n  \`\`\`\r\nDo it.\r\n`,
    `\`\`\`xml directive\n${xml}\n\`\`\`\nDo it.`,
  ])
    expect(parsed(text).directive).toMatchObject({ model: "a/b", body: "Do it." });
});

describe("complaints say where and what", () => {
  test.each([
    ["an unclosed part", withParts("<limits max_turns='3'>"), ["4:1 <limits> is not closed"]],
    ["an unclosed text", withParts("<description>x"), ["4:1 <description> is not closed"]],
    ["an unclosed step", withParts("<process>\n <step>One\n</process>"), ["5:2 <step> is not closed"]],
    ["an unclosed root", fenced("<directive>"), ["2:1 <directive> is not closed"]],
    [
      "an unfinished tag",
      fenced('<directive><model id="a'),
      ["2:1 <directive> is not closed", "2:12 the tag that starts here is not finished by >"],
    ],
    ["a stray closing tag", withParts("</hooks>"), ["4:1 </hooks> closes nothing"]],
    [
      "a misspelt closing tag",
      withParts("<limits></limts>"),
      ["4:9 </limts> closes nothing; did you mean </limits>?"],
    ],
    ["a tag that is none", withParts("<process>if a <3 then</process>"), ['4:15 "<3" starts no tag']],
    [
      "a misspelt tag",
      withParts("<limit max_turns='3' />"),
      ["4:1 unknown tag <limit> in <directive>; did you mean <limits>?"],
    ],
    [
      "a tag nobody knows",
      withParts("<inputs>\n  <zzzzzzzz/>\n</inputs>"),
      ["5:3 unknown tag <zzzzzzzz> in <inputs>; known here: <input>"],
    ],
    [
      "a misspelt attribute",
      withParts('<limits max_trns="3" />'),
      ['4:9 unknown attribute "max_trns" of <limits>; did you mean "max_turns"?'],
    ],
    [
      "an attribute nobody knows",
      withParts('<tools zzzzzzzz="3" />'),
      ['4:8 unknown attribute "zzzzzzzz" of <tools>; known here: none'],
    ],
    [
      "an attribute twice",
      withParts('<limits turns="3" turns="4" />'),
      ["4:19 the attribute turns stands twice"],
    ],
    [
      "a limit by two names",
      withParts('<limits turns="3" max_turns="4" />'),
      ["4:19 the limit turns stands twice"],
    ],
    ["a part twice", withParts("<limits/>\n<metadata><limits/></metadata>"), ["5:11 <limits> stands twice"]],
    [
      "a word for a limit",
      withParts('<limits turns="many" />'),
      ['4:9 limits.turns: expected a number, not "many"'],
    ],
    [
      "wrong money",
      withParts('<limits max_spend="$3" />'),
      ['4:9 limits.spend: expected an amount of money, such as "3.00", or shared, not "$3"'],
    ],
    ["text among tags", withParts("<limits>three turns</limits>"), ["4:9 <limits> holds tags, not text"]],
    ["an input without a name", withParts("<inputs><input/></inputs>"), ["4:9 <input> has no name"]],
    [
      "an input twice",
      withParts('<inputs><input name="a"/><input name="a"/></inputs>'),
      ['4:26 the input "a" stands twice'],
    ],
    [
      "an input of another type",
      withParts('<inputs><input name="a" type="strin"/></inputs>'),
      ['4:25 inputs.a.type: expected string or number or boolean, not "strin"; did you mean "string"?'],
    ],
    [
      "a required that is neither",
      withParts('<inputs><input name="a" required="yes"/></inputs>'),
      ['4:25 inputs.a.required: expected true or false, not "yes"'],
    ],
    [
      "__proto__",
      withParts('<inputs><input name="__proto__"/></inputs>'),
      ["4:9 the name __proto__ is not allowed"],
    ],
    [
      "a right that is none",
      withParts("<permissions>\n<execute action='tol.*'/></permissions>"),
      ['5:1 permissions[0]: "execute.tol.*" is no right: "tol" is no kind; did you mean "tool"?'],
    ],
    [
      "a right of another system",
      withParts("<permissions><execute resource='aws' action='tool.*'/></permissions>"),
      ['4:23 resource: expected "selvage" or "rye"'],
    ],
    [
      "a right without an action",
      withParts("<permissions><load/></permissions>"),
      ["4:14 <load> has no action"],
    ],
    [
      "a hook without an event",
      withParts("<hooks><hook><directive>a</directive></hook></hooks>"),
      ["4:8 hooks[0].event is missing"],
    ],
    [
      "a hook that does nothing",
      withParts('<hooks><hook event="limit"/></hooks>'),
      ["4:8 hooks[0]: a hook needs a directive or a command, and not both"],
    ],
    [
      "neither a model nor a tier",
      fenced("<directive><model/></directive>"),
      ["2:12 model: expected an id, such as { id: scripted/hello }, or a tier, such as { tier: default }"],
    ],
    ["no model", fenced("<directive></directive>"), ["2:1 model is missing"]],
    ["no prompt", withParts("", "  "), ["7:1 the body is empty; it is the prompt of the thread"]],
    [
      "an undeclared input in a step",
      withParts('<inputs><input name="name"/></inputs>\n<process>\n  Hi {input:nmae}.\n</process>', ""),
      ['6:6 "nmae" is not a declared input; did you mean "name"?'],
    ],
    [
      "an unclosed fence",
      "Hi.\n```xml\n<directive>\n",
      ["2:1 the fence that starts here is not closed by a line ```"],
    ],
    [
      "a second directive",
      `${withParts("")}${withParts("")}`,
      ["9:1 a second directive starts here; one file holds one"],
    ],
    [
      "a second root",
      fenced("<directive/><directive/>"),
      ["2:13 a second <directive> starts here; one is allowed"],
    ],
    ["a doctype", fenced('<!DOCTYPE x [<!ENTITY a "b">]><directive/>'), [/^2:\d+ /, /^2:\d+ /]],
    [
      "a deep nest",
      fenced(`<directive><process>${"<a>".repeat(60)}`),
      ["2:165 nested deeper than 50 levels"],
    ],
  ])("%s", (_, text, expected) => {
    const said = complaints(text);
    expected.forEach((line, index) => {
      if (typeof line === "string") expect(said[index]).toBe(line);
      else expect(said[index]).toMatch(line);
    });
    expect(said).toHaveLength(expected.length);
  });

  test("all of them at once, each with what to write instead", () => {
    const result = parseDirective("plan", FILE, withParts('<limts/>\n<tools zzzzzzzz=""/>'));
    expect("complaints" in result && result.complaints.map(({ line, fix }) => [line, fix])).toEqual([
      [4, "write <limits>"],
      [5, "remove it"],
    ]);
  });
});

test("no text throws or takes long, and no key reaches a prototype", () => {
  const bits = fc.constantFrom(
    ..."<directive> </directive> <metadata> </metadata> <inputs> </inputs> <process> </process> <hooks> </hooks>".split(
      " ",
    ),
    ...'<model id="a"/> <input name="x"/> <input name="__proto__">y</input> <limits turns="1"/> <hook event="limit"> </hook>'.split(
      " ",
    ),
    ...[
      "<",
      ">",
      "</",
      "/>",
      "=",
      '"',
      "'",
      " ",
      "\n",
      "&lt;",
      "&#0;",
      "&",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<?",
      "```",
      "{input:x}",
    ],
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(bits, { maxLength: 40 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, texts, fc.boolean(), (text, after, wrapped) => {
      const xml = wrapped ? `<directive><model id="a"/>${text}</directive>` : `<directive ${text}`;
      const result = parseDirective("a", "a.md", fenced(xml, after));
      if (!("complaints" in result)) {
        expect(result.directive.model).not.toBe("");
        return;
      }
      expect(result.complaints.length).toBeGreaterThan(0);
      for (const { line, column } of result.complaints) expect(Math.min(line, column)).toBeGreaterThan(0);
    }),
    { numRuns: 5000 },
  );
  expect(Object.hasOwn(Object.prototype, "description")).toBe(false);
});

test.each([
  ["openings", `<directive><model id="a"/>${"<a>".repeat(300_000)}`],
  ["closings", `<directive><model id="a"/>${"</a>".repeat(200_000)}`],
  ["comments", `${"<!--".repeat(200_000)}`],
  ["attributes", `<directive ${Array.from({ length: 90_000 }, (_, at) => `a${at}="1"`).join(" ")}/>`],
  ["placeholders", `<directive><model id="a"/><process>${"{input:x:".repeat(100_000)}</process></directive>`],
])("a megabyte of %s is read in no time", (_, text) => {
  const started = performance.now();
  parseDirective("a", "a.md", fenced(text, text));
  expect(performance.now() - started).toBeLessThan(5_000);
});
