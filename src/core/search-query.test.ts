import { beforeAll, describe, expect, test } from "vitest";
import { loadPatterns } from "./like.ts";
import { compileQuery, type Matcher, MOST_SPANS, TooLong } from "./search-query.ts";

beforeAll(loadPatterns);

function matcher(text: string, how: "text" | "regex" = "text"): Matcher {
  const compiled = compileQuery({ text, how });
  if ("why" in compiled) throw new Error(compiled.why);
  return compiled;
}

describe("a text", () => {
  test.each([
    [
      "Timeout",
      "a TIMEOUT, a timeout",
      [
        [2, 9],
        [13, 20],
      ],
    ],
    ["a.b", "aXb a.b", [[4, 7]]],
    ['say "hi"\n', 'x say "hi"\n', [[2, 11]]],
    [
      "straße",
      "STRAßE Straẞe",
      [
        [0, 6],
        [7, 13],
      ],
    ],
    [
      "ΟΔΟΣ",
      "οδος οδοσ",
      [
        [0, 4],
        [5, 9],
      ],
    ],
    ["🙂", "a🙂", [[1, 3]]],
    ["\ud83d", "a🙂", []],
    ["i", "İ", []],
    ["\\n", "a\nb a\\nb", [[5, 7]]],
  ])("%j in %j", (text, given, spans) => {
    expect(matcher(text).spansIn(given)).toEqual(spans);
  });

  test("its JSON may hold it, and that of other texts may not", () => {
    const quoted = matcher('"a"\n\u0001\ud83d');
    expect(quoted.mayBeIn(JSON.stringify({ text: 'x"A"\n\u0001\ud83d' }))).toBe(true);
    expect(quoted.mayBeIn(JSON.stringify({ text: '"b"\n' }))).toBe(false);
  });

  test("it is found again and again, and not without end", () => {
    expect(matcher("a").spansIn("a".repeat(3 * MOST_SPANS))).toHaveLength(MOST_SPANS);
    expect(matcher("a").spansIn("a")).toHaveLength(1);
  });
});

describe("a pattern", () => {
  test.each([
    ["error.*timeout", "Error timeout, error: a timeout", [[15, 31]]],
    ["^b$", "a\nb\nc", [[2, 3]]],
    ["(?i)B", "ab", [[1, 2]]],
  ])("%s in %j", (source, given, spans) => {
    expect(matcher(source, "regex").spansIn(given)).toEqual(spans);
  });

  test("it is not tried on a text that would take it too long", () => {
    const greedy = matcher("(x{1,20}y){1,20}", "regex");
    expect(() => greedy.spansIn("x".repeat(1_000_000))).toThrow(TooLong);
  });
});

test.each([
  ["", "text", "it is empty", undefined],
  ["x".repeat(201), "text", "it is longer than 200 characters", undefined],
  ["x*", "regex", "it fits the empty text, and so it is found everywhere", undefined],
  ["a(b", "regex", expect.stringMatching(/missing closing \)/), 1],
  ["a[\\]](b[)](c", "regex", expect.stringMatching(/missing closing \)/), 10],
  ["ab)", "regex", expect.stringMatching(/unexpected \)/), 2],
  ["ab[c", "regex", expect.stringMatching(/missing closing \]/), 2],
  ["ab**", "regex", expect.stringMatching(/nested repetition/), 2],
  ["a(?=b)", "regex", expect.stringMatching(/no look-around/), 1],
  ["(abcdefghij){999}", "regex", "it repeats too much", undefined],
] as const)("%j as a %s cannot be looked for", (text, how, why, at) => {
  expect(compileQuery({ text, how })).toEqual(at === undefined ? { why } : { why, at });
});
