import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { loadPatterns } from "./like.ts";
import { requiredText } from "./search-literal.ts";
import { compileQuery } from "./search-query.ts";

beforeAll(loadPatterns);

test.each([
  ["error", "error"],
  ["error.*timeout", "timeout"],
  ["^  at \\w+ \\(foo\\.ts", " (foo.ts"],
  ["(?i)Connection refused", "Connection refused"],
  ["colou?r", "colo"],
  ["ab+c", "ab"],
  ["x{2}yz", "yz"],
  ["ab{0}cd", "cd"],
  ["a[bc]def", "def"],
  ["(one|two) three", " three"],
  ["one\\ntwo", "one\ntwo"],
  ["grün", "gr"],
  ["a|bcd", undefined],
  ["(abc)", undefined],
  ["(abc)?", undefined],
  ["\\Qa.b\\E", undefined],
  ["[[:alpha:]]x", undefined],
  ["(?s)abc", undefined],
  ["\\d+", undefined],
  ["abc(?i)*d", undefined],
  ["{abc", undefined],
])("%s needs %j", (source, needed) => {
  expect(requiredText(source)).toBe(needed);
});

const sign = fc.constantFrom("a", "b", "K", "s", " ", "\\.", "\\n", ".", "ſ", "é");
const atom = fc.oneof(
  { weight: 4, arbitrary: sign },
  fc.constantFrom("[ab]", "[^b]", "(a|b)", "(?:ab)", "(?i)", "^", "$", "\\b", "\\w", "[]a]", "(a[)]b)"),
);
const repeat = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,1}", "{1,}", "*?");
const pattern = fc
  .array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.map(([what, times]) => what + times).join(""));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "k", "K", "\u212a", "s", "ſ", "S", " ", ".", "\n", "é"),
});

test("a text in which a pattern is found may be one, whatever the pattern", () => {
  let found = 0;
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      const matcher = compileQuery({ text: source, how: "regex" });
      if ("why" in matcher || matcher.spansIn(given).length === 0) return;
      found += 1;
      expect(matcher.mayBeIn(JSON.stringify({ given }))).toBe(true);
    }),
    { numRuns: 4_000 },
  );
  expect(found).toBeGreaterThan(200);
});
