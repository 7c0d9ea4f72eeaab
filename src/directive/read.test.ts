import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Directive } from "../core/directive.ts";
import { Problem, type ProblemCode } from "../core/problem.ts";
import { checkInputs } from "./inputs.ts";
import { listDirectives, readDirective } from "./read.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-directive-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const GOOD = "---\nmodel: scripted/a\n---\nDo it.\n";

function put(name: string, text = GOOD): void {
  const path = join(root, ".ai/directives", `${name}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function problemOf(act: () => unknown): Problem {
  try {
    act();
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("nothing was thrown");
}

test("a directive's name is its path", () => {
  put("agency-kiwi/discover_leads");
  put("hello");
  expect(readDirective(root, "agency-kiwi/discover_leads")).toMatchObject({
    name: "agency-kiwi/discover_leads",
    body: "Do it.",
  });
  expect(listDirectives(root)).toEqual(["agency-kiwi/discover_leads", "hello"]);
});

test("a misspelt name is answered with the right one", () => {
  put("build_app");
  const problem = problemOf(() => readDirective(root, "biuld_app"));
  expect(problem.code).toBe("E_DIRECTIVE_NOT_FOUND");
  expect(problem.why).toContain("Close to it: build_app.");
  expect(problem.next[0]?.cmd).toBe("selvage run build_app");
});

test("an empty project is told about init", () => {
  expect(problemOf(() => readDirective(root, "x")).next[0]?.cmd).toBe("selvage init");
});

test("an invalid file is named with line and column", () => {
  put("bad", "---\nmodel: scripted/a\nlimit: {}\n---\nDo it.");
  const problem = problemOf(() => readDirective(root, "bad"));
  expect(problem.code).toBe("E_DIRECTIVE_INVALID");
  expect(problem.why).toBe('.ai/directives/bad.md:3:1: unknown key "limit"; did you mean "limits"?');
});

test("a link out of the folder is not followed", () => {
  put("hello");
  writeFileSync(join(root, "secret.md"), GOOD);
  symlinkSync(join(root, "secret.md"), join(root, ".ai/directives/stolen.md"));
  const problem = problemOf(() => readDirective(root, "stolen"));
  expect(problem.code).toBe("E_DIRECTIVE_INVALID");
  expect(problem.why).toBe(".ai/directives/stolen.md: it is a link that leaves its folder");
});

test.each([
  "",
  "../secret",
  "/etc/passwd",
  "a//b",
  ".hidden",
  "-rf",
  "A",
  "a\0b",
  "a\n",
  "x".repeat(161),
  "x".repeat(150),
])("the name %j is refused at the door", (name) => {
  expect(problemOf(() => readDirective(root, name)).code).toBe("E_BAD_ID" satisfies ProblemCode);
});

describe("inputs", () => {
  const directive: Directive = {
    name: "greet",
    description: "",
    model: "scripted/a",
    limits: {},
    inputs: {
      name: { type: "string", required: true },
      times: { type: "number", required: false },
      loud: { type: "boolean", required: false },
    },
    outputs: {},
    permissions: [],
    ask: [],
    delegates: [],
    hooks: [],
    body: "Greet.",
  };

  test("are converted to their types", () => {
    expect(checkInputs(directive, { name: "3", times: "-2.5", loud: "false" })).toEqual({
      name: "3",
      times: -2.5,
      loud: false,
    });
    expect(checkInputs(directive, { name: "" })).toEqual({ name: "" });
  });

  test.each([
    [{ nmae: "x", name: "y" }, '"nmae" is not an input; did you mean "name"?'],
    [{ zzzzzzzzz: "x", name: "y" }, '"zzzzzzzzz" is not an input; inputs: name, times, loud'],
    [{ constructor: "x", name: "y" }, '"constructor" is not an input; inputs: name, times, loud'],
    [{}, 'the input "name" is missing'],
    [{ name: "x", times: "three" }, 'the input "times" must be a number, not "three"'],
    [{ name: "x", times: "" }, 'the input "times" must be a number, not ""'],
    [{ name: "x", times: "1e999" }, 'the input "times" must be a number, not "1e999"'],
    [{ name: "x", loud: "yes" }, 'the input "loud" must be true or false, not "yes"'],
  ])("%j", (given, why) => {
    const problem = problemOf(() => checkInputs(directive, given as Record<string, string>));
    expect(problem.code).toBe("E_DIRECTIVE_INVALID");
    expect(problem.why).toBe(why);
    expect(problem.next[0]?.cmd).toBe("selvage run greet name=TEXT [times=NUMBER] [loud=BOOLEAN]");
  });

  test("a placeholder without a way out makes its input needed", () => {
    const needs = { ...directive, body: "Greet {input:times} times, {input:loud?}, {input:name}." };
    expect(problemOf(() => checkInputs(needs, { name: "x" })).why).toBe('the input "times" is missing');
    expect(checkInputs(needs, { name: "x", times: "1" })).toEqual({ name: "x", times: 1 });
  });
});
