import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { compileCondition, loadConditions, type When } from "./condition.ts";
import { type Facts, HOOK_EVENTS, type HookEvent } from "./hook.ts";
import { completeFacts } from "./hook-facts.ts";

test("before they are loaded, conditions say so", async () => {
  vi.resetModules();
  const fresh = await import("./condition.ts");
  expect(fresh.compileCondition("true", "limit")).toMatchObject({
    fault: { message: "conditions are not loaded yet" },
  });
});

beforeAll(loadConditions);

function known(event: HookEvent, given: Facts = {}): Facts {
  const complete = completeFacts(event, given);
  if ("problem" in complete) throw new Error(complete.problem);
  return complete.facts;
}

/** What it answers, why it cannot, or what is wrong with it. */
function ask(when: When, event: HookEvent, given: Facts = {}): unknown {
  const compiled = compileCondition(when, event);
  if ("fault" in compiled) return compiled.fault.message;
  const answer = compiled.test(known(event, given));
  return typeof answer === "boolean" ? answer : `cannot tell: ${answer.error}`;
}

const CALL: Facts = {
  turn: 3,
  cost: { turns: 3, spend: 2.5 },
  tool: "bash",
  input: { command: "git push", count: 3, list: [1, 2], edits: [{ path: "a.ts" }], odd: { constructor: 1 } },
  result: "ok",
};

test.each([
  ["cost.turns == 3"],
  ["3 == cost.turns"],
  ["cost.turns != 4"],
  ["cost.spend > 2"],
  ["cost.spend > 2.0"],
  ["2 < turn"],
  ["turn in [3, 4]"],
  ["turn in [3.0, 4, 'x']"],
  ["!(turn in [4])"],
  ["turn % 3 == 0"],
  ["turn + 1 == 4 && turn / 2 == 1.5 && -turn == -3"],
  ["0x3 == turn"],
  ["input.count == 3"],
  ["input.count in [3, 4]"],
  ["1 in input.list"],
  ["input.list[0] == 1"],
  ["input.edits[0].path.endsWith('.ts')"],
  ["input['count'] == 3"],
  ["tool == 'bash'"],
  ["tool in ['bash', 'write']"],
  ["tool.startsWith('ba') && tool.endsWith('sh') && tool.contains('as')"],
  ["input.command.contains('push')"],
  ["like(input.command, '^git +push')"],
  ["like(tool, 'a') && !like(tool, 'z')"],
  ["size(tool) == 4 && size(tool) in [4] && size(input.list) < 3"],
  ["has(input.command) && !has(input.path)"],
  ["turn > 1 ? true : false"],
  ["input.count != null"],
  ["(tool + '!').contains('h!')"],
  ["true // for good"],
  [" true "],
])("%s holds", (when) => {
  expect(ask(when, "after_tool", CALL)).toBe(true);
});

test.each([
  ["input.path == 'x'", 'cannot tell: there is no "path"'],
  ["input.constructor == 1", 'cannot tell: there is no "constructor"'],
  ["input['__proto__'] == 1", 'cannot tell: there is no "__proto__"'],
  ["input.list[7] == 1", "cannot tell: no such key: index out of bounds, index 7 >= size 2"],
  ["input.odd.constructor == 1", "cannot tell: unsupported type: object"],
  ["input", "cannot tell: it is neither true nor false"],
  ["input.command", "cannot tell: it is neither true nor false"],
  ["input.count && true", expect.stringMatching(/^cannot tell: logical operator/)],
  ["input.path == 'x' || true", true],
  ["tool == 'edit' && input.path == 'x'", false],
])("%s is answered by %j", (when, answer) => {
  expect(ask(when, "after_tool", CALL)).toEqual(answer);
});

test("a fact the runtime did not hand over is told, and does not match", () => {
  const compiled = compileCondition("turn == 3", "limit");
  expect("test" in compiled && compiled.test({})).toEqual({ error: "unknown variable: turn" });
  expect("test" in compiled && compiled.test({ turn: "3" })).toMatchObject({ error: expect.any(String) });
});

describe("a bare code", () => {
  test("is short for a comparison, at limit", () => {
    expect(ask("spend_exceeded", "limit", { code: "spend_exceeded" })).toBe(true);
    expect(ask(" spend_exceeded ", "limit", { code: "turns_exceeded" })).toBe(false);
    expect(compileCondition(" spend_exceeded", "limit")).toMatchObject({ source: "spend_exceeded" });
  });

  test.each<[string, HookEvent, string]>([
    ["spend_exceded", "limit", 'there is no code "spend_exceded"; did you mean "spend_exceeded"?'],
    ["nonsense", "limit", expect.stringContaining('there is no code "nonsense"; there are turns_exceeded,')],
    ["spend_exceeded", "error", '"spend_exceeded" is a word of the event limit, not of error'],
    [
      "rate_limited",
      "error",
      "\"rate_limited\" alone is no condition here; write error_category == 'rate_limited'",
    ],
    ["nonsense", "error", expect.stringContaining('there is no "nonsense" at error; there are thread_id')],
    [
      "presure_ratio > 0.8",
      "context_window_pressure",
      'there is no "presure_ratio"; did you mean "pressure_ratio"?',
    ],
  ])("%s at %s", (when, event, message) => {
    expect(ask(when, event)).toEqual(message);
  });
});

describe("the mapping form", () => {
  const limit = { code: "spend_exceeded", turn: 3, cost: { spend: 2.5 } };
  test.each<[When, string, boolean]>([
    [{ path: "cost.spend", op: ">", value: 2 }, "cost.spend > 2", true],
    [{ path: "cost.spend", op: "gt", value: -2.5 }, "cost.spend > -2.5", true],
    [{ path: "turn", op: "in", value: [3, 4] }, "turn in [3, 4]", true],
    [{ path: "code", op: "starts_with", value: "spend" }, 'code.startsWith("spend")', true],
    [{ path: "code", op: "ends_with", value: "spend" }, 'code.endsWith("spend")', false],
    [{ path: "code", op: "contains", value: '"\n\\' }, 'code.contains("\\"\\n\\\\")', false],
    [{ path: "code", op: "like", value: "^sp.*ed$" }, 'like(code, "^sp.*ed$")', true],
    [
      { all: ["spend_exceeded", { not: { path: "turn", op: "==", value: 3 } }] },
      "(code == 'spend_exceeded') && (!(turn == 3))",
      false,
    ],
    [{ any: ["turn > 9 // many", "turn == 3"] }, "(turn > 9 // many\n) || (turn == 3)", true],
  ])("%j", (when, source, answer) => {
    expect(compileCondition(when, "limit")).toMatchObject({ source });
    expect(ask(when, "limit", limit)).toBe(answer);
  });

  const SHAPE = "expected a mapping with path, op and value, or with any, all or not";
  test.each<[unknown, (string | number)[], string]>([
    [
      { any: [{ path: "cost.spnd", op: ">", value: 2 }] },
      ["any", 0],
      'there is no "cost.spnd"; did you mean "cost.spend"?',
    ],
    [{ all: ["true", "turn >"] }, ["all", 1], "the condition ends too early"],
    [{ all: ["true) || (true"] }, ["all", 0], expect.stringContaining("not understood from character 5")],
    [{ not: { path: "turn", op: "matches", value: "x" } }, ["not", "op"], '"matches" can hang; use like'],
    [
      { path: "turn", op: "startswith", value: "x" },
      ["op"],
      'there is no operator "startswith"; did you mean "starts_with"?',
    ],
    [{ path: "turn", op: 3, value: "x" }, ["op"], expect.stringContaining("expected an operator: == !=")],
    [{ path: "a-b", op: "==", value: "x" }, ["path"], "expected the name of a fact, such as cost.spend"],
    [{ path: "turn", op: "==", value: [] }, ["value"], "expected text, a number, true or false"],
    [{ path: "turn", op: "in", value: 3 }, ["value"], "expected a list of texts, numbers, true or false"],
    [{ any: [] }, ["any"], "expected a list of conditions"],
    [{ pth: 1 }, [], SHAPE],
    [{ all: [3] }, ["all", 0], SHAPE],
    [{ path: "turn", op: "==", value: 1, more: 1 }, [], SHAPE],
  ])("%j is complained about at %j", (when, path, message) => {
    expect(compileCondition(when as When, "limit")).toMatchObject({ fault: { path, message } });
  });

  test("one that refers to itself, and one that is far too large, are refused", () => {
    const self: Record<string, unknown> = {};
    self["any"] = [self, self];
    expect(compileCondition(self, "limit")).toMatchObject({
      fault: { message: expect.stringContaining("deeper") },
    });
    expect(compileCondition({ any: Array.from({ length: 101 }, () => "true") }, "limit")).toMatchObject({
      fault: { message: "more than 100 parts in one condition" },
    });
  });
});

describe("nothing can hold us up", () => {
  const deep = (count: number) => `${"(".repeat(count)}true${")".repeat(count)}`;
  test.each([
    ["100 kB", "true && ".repeat(12_500).concat("true")],
    ["100 kB of one name", "x".repeat(100_000)],
    ["deep", deep(50_000)],
    ["deep within the length", deep(1_900)],
    ["many nots", "!".repeat(3_900).concat("true")],
    ["many minus signs", "-".repeat(3_900).concat("1 == 1")],
    ["a long sum", "1+".repeat(1_900).concat("1 == 1")],
    ["a long list", `turn in [${"1,".repeat(1_900)}1]`],
    ["a chain of fields", `input${".a".repeat(1_900)} == 1`],
    ["many choices", "true ? true : ".repeat(250).concat("true")],
    ["a long number", `turn == ${"9".repeat(3_900)}`],
    ["loops in loops", "input.a.all(x, input.a.all(y, input.a.all(z, true)))"],
    ["a bomb for backtracking", "tool.matches('(a+)+$')"],
    ["a bomb for repeats", `like(tool, '${"(a?){1000}".repeat(80)}')`],
    ["a long group, repeated", `like(tool, '(${"ab?".repeat(300)}){1000}')`],
    ["a long pattern", `like(tool, '${"a".repeat(1_001)}')`],
    ["deep groups", `like(tool, '${"(".repeat(450)}${")".repeat(450)}')`],
  ])("%s", (_, when) => {
    const before = performance.now();
    const compiled = compileCondition(when, "before_tool");
    if ("test" in compiled) compiled.test(known("before_tool", { tool: "a".repeat(1_000) }));
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  test("a text too long for its pattern is told", () => {
    const input = { text: "a".repeat(3_000_000) };
    const before = performance.now();
    expect(ask("like(input.text, '(a?){20}b')", "before_tool", { input })).toBe(
      "cannot tell: the text is too long for this pattern",
    );
    expect(ask("like(input.text, '(x+x+)+y')", "before_tool", { input })).toBe(false);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  const pieces = fc.constantFrom(
    ...[
      "cost.spend",
      "turn",
      "input",
      "tool",
      "code",
      ".",
      "(",
      ")",
      "[",
      "]",
      "==",
      "<",
      "&&",
      "||",
      "!",
      "-",
      "%",
    ],
    ...[
      "in",
      "like",
      "size",
      "has",
      "matches",
      "'a'",
      '"',
      "'",
      "3",
      "3.5",
      "1e9",
      "0x",
      "true",
      "null",
      "?",
      ":",
      ",",
    ],
    ...["//", "\n", "\\", "{", "}", "b'x'", "3u", "__proto__", "constructor", "spend_exceeded", " "],
  );
  const written = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(" ")),
    fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join("")),
  );

  test("any text compiles or is complained about, and what compiles answers", () => {
    fc.assert(
      fc.property(
        written,
        fc.constantFrom(...HOOK_EVENTS),
        fc.object({ maxDepth: 2 }),
        (when, event, input) => {
          const compiled = compileCondition(when, event);
          if ("fault" in compiled) {
            expect(compiled.fault.message).not.toBe("");
            expect(compiled.fault.offset).toBeGreaterThanOrEqual(0);
            expect(compiled.fault.offset).toBeLessThanOrEqual(when.length);
            return;
          }
          const answer = compiled.test({ ...known(event), input });
          if (typeof answer !== "boolean") expect(answer.error).not.toBe("");
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("any mapping compiles or is complained about", () => {
    const scalars = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
    const leaf = fc.record({
      path: fc.constantFrom("turn", "cost.spend", "code", "cost", "a b", "__proto__"),
      op: fc.constantFrom("==", "in", "like", "contains", "gt", "matches", "toString"),
      value: fc.oneof(scalars, fc.array(scalars, { maxLength: 3 })),
    });
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
        fc.record({ not: tie("tree") }),
        fc.anything(),
      ),
    }));
    fc.assert(
      fc.property(tree, (when) => {
        if (typeof when !== "object" || when === null) return;
        const compiled = compileCondition(when as When, "limit");
        if ("test" in compiled) expect(["boolean", "object"]).toContain(typeof compiled.test(known("limit")));
        else expect(compiled.fault.message).not.toBe("");
      }),
    );
  });
});
