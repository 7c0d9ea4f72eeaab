import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { lanesOf } from "../../src/core/tool.ts";
import { readCommandFile } from "../../src/tool/command-file.ts";
import { context, load, project, put, settings } from "./project.ts";

const tool = (text: string, name = "t") => ({ [`.ai/tools/${name}.yaml`]: text });
const ARGUMENTS = "input: { type: object, properties: { text: { type: string } }, required: [text] }\n";

describe("a command tool", () => {
  test("gets its arguments as JSON on its input; a list runs without a shell", async () => {
    const { run, names } = await load(
      project(tool(`description: d\ncommand: [cat, "-"]\n${ARGUMENTS}`, "deep/echo")),
    );
    expect(names()).toContain("echo");
    expect(await run("echo", { text: "grüße $(id) 🧵\n" })).toEqual({
      status: "ok",
      output: '{"text":"grüße $(id) 🧵\\n"}',
    });
  });

  test.each([
    ["text", "printf 'two\\nlines\\n'", "two\nlines"],
    ["a JSON text", `printf '"a\\\\nb"'`, "a\nb"],
    ["other JSON", `printf '{ "a": 1 }\\n'`, '{ "a": 1 }'],
    ["nothing", "true", "(no output)"],
    ["something beside on stderr", "echo noise >&2; echo result", "result"],
    ["half a JSON text", `printf '"a'`, '"a'],
  ])("%s is its result", async (_, command, output) => {
    const { run } = await load(project(tool(`description: d\ncommand: ${JSON.stringify(command)}\n`)));
    expect(await run("t", {})).toEqual({ status: "ok", output });
  });

  test("an exit code is an error with all it said", async () => {
    const { run } = await load(project(tool("description: d\ncommand: echo out; echo err >&2; exit 3\n")));
    expect(await run("t", {})).toEqual({ status: "error", output: "Exit code 3.\nout\nerr\n" });
  });

  test("a program that is not there is an error", async () => {
    const { run } = await load(project(tool("description: d\ncommand: [no-such-program]\n")));
    expect(await run("t", {})).toMatchObject({
      status: "error",
      output: expect.stringMatching(/Could not start/),
    });
  });

  test("it runs in the project with the call's key, and sees only the variables it names", async () => {
    vi.stubEnv("WANTED", "yes");
    vi.stubEnv("OTHER_API_KEY", "secret");
    const root = project(tool("description: d\ncommand: pwd; env\nenv: [WANTED, ABSENT]\n"));
    const { run } = await load(root);
    const { output } = await run("t", {});
    vi.unstubAllEnvs();
    expect(output.split("\n")).toEqual(
      expect.arrayContaining([root, "WANTED=yes", "SELVAGE_CALL_KEY=call_test"]),
    );
    expect(output).not.toMatch(/secret|ABSENT/);
  });

  test("its own time limit holds when it is shorter", async () => {
    const { run } = await load(project(tool("description: d\ncommand: sleep 1000\ntimeout_seconds: 0.2\n")));
    expect(await run("t", {})).toEqual({ status: "error", output: "Timed out after 0.2 s and was stopped." });
  });

  test.each([
    ["", ["tool:t"]],
    ["effect: pure\n", []],
    ["lanes: [database, mail]\n", ["database", "mail"]],
  ])("with %j its lanes are %j", async (line, lanes) => {
    const { get } = await load(project(tool(`description: d\ncommand: "true"\n${line}`)));
    expect(lanesOf(get("t"), {})).toEqual(lanes);
  });

  test.each([
    ["{}", /required property "text"/],
    ['{"text":3}', /^text: /],
    ['{"text":"a","_key":1}', /_key: arguments beginning with _ are reserved/],
    ["[]", /must be an object/],
    ["null", /must be an object/],
  ])("the arguments %s are refused by name", async (json, why) => {
    const { get, run } = await load(project(tool(`description: d\ncommand: touch ran\n${ARGUMENTS}`)));
    const input = JSON.parse(json);
    expect(get("t")?.complaint?.(input)).toMatch(why);
    expect(await run("t", input)).toMatchObject({ status: "error", output: expect.stringMatching(why) });
  });

  test("a pattern of its arguments cannot hold us up", async () => {
    const schema = 'input: { type: object, properties: { a: { type: string, pattern: "^(a+)+$" } } }\n';
    const { get } = await load(project(tool(`description: d\ncommand: "true"\n${schema}`)));
    const before = performance.now();
    expect(get("t")?.complaint?.({ a: `${"a".repeat(20_000)}!` })).toMatch(
      /^a: String does not match pattern/,
    );
    expect(get("t")?.complaint?.({ a: "aaa" })).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  test("it is the same under not and anyOf, where leaving it out would turn the meaning round", async () => {
    const schema =
      "input: { type: object, properties: { a: { not: { pattern: ^x } }, b: { anyOf: [{ pattern: ^y }, { const: z }] } } }\n";
    const { get } = await load(project(tool(`description: d\ncommand: "true"\n${schema}`)));
    const complaint = (input: object) => get("t")?.complaint?.(input);
    expect([complaint({ a: "y" }), complaint({ b: "y" }), complaint({ b: "z" })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(complaint({ a: "x" })).toMatch(/^a: /);
    expect(complaint({ b: "q" })).toMatch(/^b: /);
  });
});

describe("its probe", () => {
  const probing = (probe: string) =>
    tool(`description: d\ncommand: "true"\neffect: probe\n${ARGUMENTS}probe: ${JSON.stringify(probe)}\n`);
  const answer = async (probe: string) => {
    const { get } = await load(project(probing(probe)));
    return get("t")?.probe?.({ text: "x" }, context());
  };

  test("is asked with key and arguments", async () => {
    const asked = await answer(`printf '{"status":"done","output":%s}' "$(cat)"`);
    expect(asked).toEqual({
      type: "done",
      outcome: { status: "ok", output: '{"call_key":"call_test","input":{"text":"x"}}' },
    });
  });

  test.each([
    [`echo '{"status":"not_done"}'`, "not_done"],
    [`echo '{"status":"cannot_tell"}'`, "cannot_tell"],
    [`echo '{"status":"perhaps"}'`, "cannot_tell"],
    ["echo done", "cannot_tell"],
    ["true", "cannot_tell"],
    [`echo '{"status":"done"}'; exit 1`, "cannot_tell"],
    ["echo null", "cannot_tell"],
  ])("that says %s", async (probe, type) => {
    expect((await answer(probe))?.type).toBe(type);
  });
});

describe("a file that is no command tool", () => {
  test.each([
    ["", "1:1", /mapping/],
    ["description: d\n", "1:1", /command is missing/],
    ["description: d\ncomand: x\n", "1:1", /2:1: unknown key "comand"; did you mean "command"\?/],
    ["description: d\ncommand: 3\n", "2:10", /a line of shell, or a list/],
    ["description: d\ncommand: []\n", "2:10", /at least 1 item/],
    ["description: d\ncommand: ['']\n", "2:11", /no name/],
    ["description: d\ncommand: x\neffect: safe\n", "3:9", /pure or keyed or probe or manual/],
    ["description: d\ncommand: x\neffect: probe\n", "3:9", /needs a command under "probe"/],
    ["description: d\ncommand: x\nprobe: y\n", "3:1", /effect: probe/],
    ["description: d\ncommand: x\ntimeout_seconds: 0\n", "3:18", /more than 0/],
    ["description: d\ncommand: x\nenv: [A=b]\n", "3:7", /name of a variable/],
    ["description: d\ncommand: x\nenv: { A: b }\n", "3:6", /expected a list/],
    ["description: d\ncommand: x\ninput: { text: string }\n", "3:8", /JSON Schema of an object/],
    ["description: d\ncommand: x\ninput: { type: array }\n", "3:16", /JSON Schema of an object/],
    [
      "description: d\ncommand: x\ninput: { type: object, properties: { a: strng } }\n",
      "3:41",
      /such as \{ type: string \}/,
    ],
    [
      "description: d\ncommand: x\ninput: { type: object, properties: { a: { type: int } } }\n",
      "3:49",
      /did you mean "(integer|string)"/,
    ],
    ["description: d\ncommand: x\ninput: { type: object, properties: { _a: {} } }\n", "3:42", /reserved/],
    [
      'description: d\ncommand: x\ninput: { type: object, properties: { a: { pattern: "(?=x)" } } }\n',
      "3:52",
      /RE2/,
    ],
    [
      'description: d\ncommand: x\ninput: { type: object, properties: { a: { $ref: "#/$defs/b" } } }\n',
      "3:49",
      /names nothing/,
    ],
    ["description: [\n", "2:1", /./],
    ["a: &a [*a]\n", "1:8", /stands inside/],
  ])("%j complains at %s", async (text, place, why) => {
    const { problem, names, warnings } = await load(project(tool(text)));
    expect(names()).not.toContain("t");
    expect(problem("t")).toMatchObject({ code: "E_TOOL_INVALID" });
    expect(problem("t")?.why).toMatch(new RegExp(`^.ai/tools/t.yaml:${place}: `));
    expect(problem("t")?.why).toMatch(why);
    expect(warnings).toEqual([`A tool is left out. ${problem("t")?.why}`]);
  });

  test("arbitrary text never throws", () => {
    const root = project();
    const path = join(root, "t.yaml");
    const pieces = [
      "description: d\n",
      "command: x\n",
      "input: ",
      "{ type: object }\n",
      "- ",
      "&a ",
      "*a ",
      "!!js ",
      "\0",
      "\t",
    ];
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.json())).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (yaml) => {
        put(root, { "t.yaml": yaml });
        const read = readCommandFile(path, "t.yaml");
        expect("value" in read || read.complaints.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test("names: one built in, one used twice, one that is none, and the wrong ending", async () => {
  const ok = 'description: d\ncommand: "true"\n';
  const root = project({
    ...tool(ok, "bash"),
    ...tool(ok, "load"),
    ...tool(ok, "a/same"),
    ...tool(ok, "b/same"),
    ...tool(ok, "my tool"),
    ".ai/tools/short.yml": ok,
    ".ai/tools/_part.yaml": "nonsense: [",
    ".ai/tools/notes.md": "not a tool",
  });
  const { names, warnings, get } = await load(root, { settings: settings() });
  expect(names()).toEqual(["read", "write", "edit", "bash", "grep", "find", "ls", "same"]);
  expect(get("bash")?.description).toMatch(/shell command/);
  expect(warnings.map((text) => text.replace("A tool is left out. ", ""))).toEqual([
    ".ai/tools/b/same.yaml:1:1: there is a tool same already: .ai/tools/a/same.yaml",
    ".ai/tools/bash.yaml:1:1: there is a tool bash already: one that is built in",
    ".ai/tools/load.yaml:1:1: there is a tool load already: one that is built in",
    `.ai/tools/my tool.yaml:1:1: "my tool" is no tool name: use letters, digits, _ and -, at most 64.`,
    ".ai/tools/short.yml:1:1: the file of a command tool is called short.yaml",
  ]);
});

test("a project that is not trusted has none of its tools", async () => {
  const root = project(tool("description: d\ncommand: touch ran\n"));
  const { names, warnings } = await load(root, { trusted: false });
  expect([names().includes("t"), warnings]).toEqual([false, []]);
});
