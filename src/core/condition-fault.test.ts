import { beforeAll, expect, test } from "vitest";
import { compileCondition, loadConditions } from "./condition.ts";
import type { HookEvent } from "./hook.ts";

beforeAll(loadConditions);

/** Each with where it stands, what is wrong, and what to write in its place where that is known. */
test.each<[string, HookEvent, number, string, string | undefined]>([
  ["cost.spnd > 1", "limit", 0, 'there is no "cost.spnd"; did you mean "cost.spend"?', "write cost.spend"],
  [
    "turn > 1 && cots.spend > 1",
    "limit",
    12,
    'there is no "cots.spend"; did you mean "cost.spend"?',
    "write cost.spend",
  ],
  ["spend > 1", "limit", 0, 'there is no "spend"; did you mean "cost.spend"?', "write cost.spend"],
  ["has(cost.spnd)", "limit", 4, 'there is no "cost.spnd"; did you mean "cost.spend"?', "write cost.spend"],
  [
    "error_catagory == 'quota'",
    "error",
    0,
    'there is no "error_catagory"; did you mean "error_category"?',
    "write error_category",
  ],
  ["result == 'x'", "before_tool", 0, '"result" is known at after_tool, not at before_tool', undefined],
  [
    "cost == 1",
    "limit",
    0,
    expect.stringContaining('"cost" is no fact by itself; there are cost.turns'),
    undefined,
  ],
  ["cost['spend'] > 1", "limit", 0, expect.stringContaining('"cost" is no fact by itself'), undefined],
  ["cost.constructor == 1", "limit", 0, expect.stringContaining('there is no "cost.constructor"'), undefined],
  ["constructor == 1", "limit", 0, expect.stringContaining('there is no "constructor"'), undefined],
  ["__proto__ == 1", "limit", 0, expect.stringContaining("reserved identifier: __proto__"), undefined],
  ["tool.name == 'x'", "before_tool", 0, '"tool" is text and has no fields', undefined],
  ["turn == 'x'", "limit", 0, "== does not fit number and text", undefined],
  ["turn == 1 && turn > 'x'", "limit", 13, "> does not fit number and text", undefined],
  ["!turn", "limit", 0, "! does not fit number", undefined],
  ["turn && true", "limit", 0, "&& and || need something true or false on both sides", undefined],
  ["turn", "limit", 0, "it is neither true nor false: compare it with something", undefined],
  ["code", "limit", 0, "it is neither true nor false: compare it with something", undefined],
  ["turn = 3", "limit", 5, "one = does not compare: write ==", "write =="],
  ["turn ==", "limit", 7, "the condition ends too early", undefined],
  ["code == 'x", "limit", 8, "a text is not closed", undefined],
  ["turn > 1 @", "limit", 9, "not understood from character 10 on: unexpected character: @", undefined],
  ["", "limit", 0, "the condition is empty", undefined],
  [
    "code == 'spend_exceded'",
    "limit",
    8,
    '"code" is never "spend_exceded"; did you mean "spend_exceeded"?',
    "write 'spend_exceeded'",
  ],
  [
    "error_category in ['quota', 'rate_limit']",
    "error",
    28,
    '"error_category" is never "rate_limit"; did you mean "rate_limited"?',
    "write 'rate_limited'",
  ],
  [
    "tool.matches('a')",
    "before_tool",
    0,
    expect.stringContaining("like(text, 'pattern')"),
    "write like(text, 'pattern')",
  ],
  ["tool.size() > 1", "before_tool", 0, "write size(…), not ….size(…)", "write size(…)"],
  [
    "startsWith(tool, 'x')",
    "before_tool",
    0,
    "write text.startsWith(…), not startsWith(…)",
    "write text.startsWith(…)",
  ],
  [
    "tool.startWith('x')",
    "before_tool",
    0,
    'there is no function "startWith"; did you mean "startsWith"?',
    "write startsWith",
  ],
  [
    "input.list.exists(x, x == 1)",
    "before_tool",
    0,
    "exists is not there: conditions have no loops",
    undefined,
  ],
  ["cel.bind(a, 1, a == 1)", "limit", 0, expect.stringContaining('there is no function "bind"'), undefined],
  [
    "timestamp(1) == timestamp(1)",
    "limit",
    0,
    expect.stringContaining('there is no function "timestamp"'),
    undefined,
  ],
  ["tool.startsWith(3)", "before_tool", 0, "there is no text.startsWith(number)", undefined],
  ["has(turn)", "limit", 4, "has needs a field: has(input.path)", undefined],
  ["{'a': 1} == {'a': 1}", "limit", 0, "mappings are no part of a condition", undefined],
  ["b'x' == b'x'", "limit", expect.any(Number), expect.stringContaining("only texts, numbers"), undefined],
  ["turn == 99999999999999999999", "limit", 8, "the number is too large", undefined],
  ["like(tool, tool)", "before_tool", 0, expect.stringContaining("a pattern that is written out"), undefined],
  [
    "like(tool, '[')",
    "before_tool",
    11,
    expect.stringMatching(/^no pattern: missing closing \].*RE2/),
    undefined,
  ],
])("%s at %s is told as wrong when it is read", (when, event, offset, message, fix) => {
  const compiled = compileCondition(when, event);
  expect(compiled).toEqual({ fault: { message, offset, path: [], ...(fix === undefined ? {} : { fix }) } });
});
