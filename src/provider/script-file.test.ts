import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyLog } from "../core/log.ts";
import { Problem } from "../core/problem.ts";
import { defaultSettings } from "../core/settings.ts";
import type { Clock } from "../core/world.ts";
import { modelFor, requireModel } from "./models.ts";
import { parseScript, readScript } from "./script-file.ts";

function complaints(text: string): string[] {
  const parsed = parseScript("s.yaml", text);
  return "steps" in parsed
    ? []
    : parsed.complaints.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test("all kinds of steps are read", () => {
  const text = `
- says: Hello
  calls:
    - { tool: write, input: { path: a, content: b } }
    - tool: ls
- fails: { status: 429, retry_after_ms: 10, message: slow }
- streams: { chunks: [a, b], every_ms: 5 }
- hangs: true
- hangs: 2.5
  usage: { input: 10, output: 2 }
`;
  expect(parseScript("s.yaml", text)).toEqual({
    steps: [
      {
        says: "Hello",
        calls: [
          { tool: "write", input: { path: "a", content: "b" } },
          { tool: "ls", input: {} },
        ],
      },
      { fails: { status: 429, retry_after_ms: 10, message: "slow" } },
      { streams: { chunks: ["a", "b"], every_ms: 5 } },
      { hangs: true },
      { hangs: 2.5, usage: { input: 10, output: 2, cache_read: 0, cache_write: 0 } },
    ],
  });
  expect(parseScript("s.yaml", "steps:\n  - says: a")).toEqual({ steps: [{ says: "a" }] });
});

test.each([
  [
    "- sais: a",
    [
      '1:3 unknown key "sais"; did you mean "says"?',
      "1:3 [0]: a step has one of says, calls, fails, streams, hangs",
    ],
  ],
  ["- says: a\n- {}", ["2:3 [1]: a step has one of says, calls, fails, streams, hangs"]],
  ["- says: 3", ["1:9 [0].says: expected text, not 3"]],
  ["- calls: [{ input: {} }]", ["1:11 [0].calls[0].tool is missing"]],
  ["- calls: [{ tool: ls, inputs: {} }]", ['1:23 unknown key "inputs"; did you mean "input"?']],
  ["- fails: { status: 200 }", ["1:20 [0].fails.status: expected at least 400, not 200"]],
  ["- hangs: yes", ['1:10 [0].hangs: expected seconds, or true for ever, not "yes"']],
  ["- streams: { every_ms: 1 }", ["1:12 [0].streams.chunks is missing"]],
  ["step: []", ['1:1 unknown key "step"; did you mean "steps"?', "1:1 steps is missing"]],
  ["steps:\n  - syas: a", [/^2:5 unknown key "syas"/, /^2:5 steps\[0\]: a step/]],
  ["", ["1:1 steps is missing"]],
  ["[]", ["1:1 expected at least 1 item, not []"]],
  ["just text", ['1:1 expected a mapping, not "just text"']],
  ["- says: 'a", [/^1:11 /]],
])("%j is refused with its place", (text, expected) => {
  const said = complaints(text);
  expect(said).toHaveLength(expected.length);
  expected.forEach((line, index) => {
    if (typeof line === "string") expect(said[index]).toBe(line);
    else expect(said[index]).toMatch(line);
  });
});

test("no text throws", () => {
  const bits = fc.constantFrom(
    "- ",
    "says: ",
    "calls: ",
    "fails: ",
    "hangs: ",
    "steps:",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "  ",
    "1",
    "a",
    "&a ",
    "*a",
    "'",
    "__proto__: ",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(bits, { maxLength: 30 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseScript("s.yaml", text);
      if ("steps" in parsed) JSON.stringify(parsed.steps);
      else expect(parsed.complaints.length).toBeGreaterThan(0);
    }),
    { numRuns: 3000 },
  );
});

describe("scripts of a project", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "selvage-script-"));
    mkdirSync(join(root, ".ai/scripts"), { recursive: true });
    put("hello", "- says: hi");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (name: string, text: string) => writeFileSync(join(root, `.ai/scripts/${name}.yaml`), text);
  const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} };
  const ask = {
    threadId: "t",
    model: "m",
    system: "",
    messages: emptyLog,
    tools: [],
    maxOutputTokens: 100,
    maxResultChars: 30_000,
    answers: 0,
    attempt: 1,
  };
  const sources = () => ({ projectRoot: root, clock, settings: defaultSettings, providers: new Map() });
  const endingOf = (name: string) =>
    modelFor(sources())(name)?.ask(ask, () => {}, new AbortController().signal);

  function problemOf(act: () => unknown): Problem {
    try {
      act();
    } catch (cause) {
      if (cause instanceof Problem) return cause;
      throw cause;
    }
    throw new Error("nothing was thrown");
  }

  test("are found by name", () => {
    expect(readScript(root, "hello")).toEqual([{ says: "hi" }]);
    expect(() => requireModel(sources(), "scripted/hello")).not.toThrow();
  });

  test("that are not there are named with the path and what is close", () => {
    const problem = problemOf(() => requireModel(sources(), "scripted/helo"));
    expect(problem.code).toBe("E_MODEL_UNKNOWN");
    expect(problem.why).toBe(".ai/scripts/helo.yaml does not exist. Close to it: scripted/hello.");
  });

  test("that do not validate are named with the line", () => {
    put("bad", "- says: hi\n- says: 3\n");
    const problem = problemOf(() => readScript(root, "bad"));
    expect(problem.code).toBe("E_SCRIPT_INVALID");
    expect(problem.why).toBe(".ai/scripts/bad.yaml:2:9: [1].says: expected text, not 3");
  });

  test.each(["../hello", "", "/etc/passwd", "a\0", "A"])("by the hostile name %j are refused", (name) => {
    expect(problemOf(() => readScript(root, name)).code).toBe("E_MODEL_UNKNOWN");
    expect(modelFor(sources())(`scripted/${name}`)).toBeUndefined();
  });

  test("behind a link that leaves the folder are refused", () => {
    writeFileSync(join(root, "secret.yaml"), "- says: secret");
    symlinkSync(join(root, "secret.yaml"), join(root, ".ai/scripts/stolen.yaml"));
    expect(problemOf(() => readScript(root, "stolen")).why).toContain("leaves its folder");
  });

  test("become models, the same one for the same name", async () => {
    const model = modelFor(sources());
    expect(model("scripted/hello")).toBe(model("scripted/hello"));
    expect(await endingOf("scripted/hello")).toMatchObject({ type: "end" });
  });

  test("no other model stands in for one that is unknown", () => {
    for (const name of ["anthropic/claude", "hello", "scripted/none", ""]) {
      expect(modelFor(sources())(name)).toBeUndefined();
    }
    expect(problemOf(() => requireModel(sources(), "anthropic/claude")).code).toBe("E_MODEL_UNKNOWN");
  });

  test("a broken script fails its requests in words, and works once it is mended", async () => {
    const model = modelFor(sources());
    put("bad", "- says: 3");
    const signal = new AbortController().signal;
    expect(await model("scripted/bad")?.ask(ask, () => {}, signal)).toMatchObject({
      type: "failure",
      failure: { kind: "script", message: expect.stringContaining("bad.yaml:1:9") },
    });
    put("bad", "- says: fine");
    expect(await model("scripted/bad")?.ask(ask, () => {}, signal)).toMatchObject({ type: "end" });
  });
});
