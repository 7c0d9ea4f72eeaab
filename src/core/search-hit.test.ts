import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { hitIn, snippetOf } from "./search-hit.ts";
import { compileQuery } from "./search-query.ts";
import { fieldsOf, isSearchedField, SEARCHED_TYPES, searchedTypes } from "./searchable.ts";

const event = (fields: NewEvent): Event =>
  ({ v: 1, seq: 7, ts: "2026-01-01T00:00:00.000Z", thread_id: "work-1-abc", ...fields }) as Event;
const call = event({
  type: "tool_call_start",
  ...{ turn: 3, call_id: "c", at: 1, tool: "bash", effect: "manual" },
  input: { command: "ls -l", more: [{ deep: "needle" }, 42, null, true] },
  preceding: [
    { at: 0, block: { type: "reasoning", text: "I look for a Needle." } },
    { at: 1, block: { type: "text", text: "The answer has this needle too." } },
  ],
});
const result = (status: "ok" | "error") =>
  event({
    type: "tool_call_result",
    ...{ turn: 3, call_id: "c", tool: "bash", status, output: "out", source: "run", duration_ms: 1 },
  });

function hit(given: Event, text: string, about: string[] = [], context = 0) {
  const matcher = compileQuery({ text, how: "text" });
  if ("why" in matcher) throw new Error(matcher.why);
  return hitIn(given, { matcher, about, context });
}

describe("what is searched", () => {
  test("what was thought before a call, and its arguments wherever they stand; not its names", () => {
    expect(fieldsOf(call, []).map(({ name, text }) => [name, text])).toEqual([
      ["reasoning", "I look for a Needle."],
      ["input.command", "ls -l"],
      ["input.more.0.deep", "needle"],
      ["input.more.1", "42"],
    ]);
    expect(hit(call, "bash")).toBeUndefined();
    expect(hit(call, "command")).toBeUndefined();
  });

  test("a kind is about words, a type about events", () => {
    expect(fieldsOf(call, ["text"])).toHaveLength(1);
    expect(fieldsOf(call, ["tool"])).toHaveLength(3);
    expect(fieldsOf(call, ["tool_call_start"])).toHaveLength(4);
    expect(fieldsOf(call, ["error"])).toHaveLength(0);
    expect([fieldsOf(result("ok"), ["error"]).length, fieldsOf(result("error"), ["error"]).length]).toEqual([
      0, 1,
    ]);
    expect(searchedTypes(["tool_call_result"])).toEqual(["tool_call_result"]);
    expect(searchedTypes(["tool_call_result", "text"])).toEqual(SEARCHED_TYPES);
  });

  test("an event that is not what it says cannot be read", () => {
    expect(() => fieldsOf({ ...call, preceding: null } as unknown as Event, [])).toThrow(TypeError);
    expect(() => fieldsOf({ ...result("ok"), output: 5 } as unknown as Event, [])).toThrow(TypeError);
  });
});

test.each(SEARCHED_TYPES)("of %s nothing is read that is not said to be searched", (type) => {
  const read = new Set<string>();
  const values = { type, content: [], preceding: [] } as Readonly<Record<string, unknown>>;
  const whole = new Proxy(values, {
    get: (_, name) => {
      read.add(String(name));
      return values[String(name)] ?? "x";
    },
  });
  fieldsOf(whole as unknown as Event, []);
  // How a call went says what kind of text its output is, and is not searched.
  const searched = [...read].filter((name) => name !== "type" && name !== "status");
  expect(searched.filter((name) => !isSearchedField(name))).toEqual([]);
  expect(searched).not.toEqual([]);
});

test("a hit says where, and how often", () => {
  expect(hit(call, "needle")).toEqual({
    ...{ thread_id: "work-1-abc", seq: 7, ts: "2026-01-01T00:00:00.000Z", type: "tool_call_start" },
    ...{ turn: 3, tool: "bash", field: "reasoning", matches: 2 },
    ...{ snippet: "I look for a Needle.", spans: [[13, 19]] },
  });
});

describe("a snippet", () => {
  const lines = "one\ntwo hit two\nthree\nfour hit\nfive";
  const at = lines.indexOf("hit");
  const spans = [[at, at + 3] as const, [lines.lastIndexOf("hit"), lines.lastIndexOf("hit") + 3] as const];
  test.each([
    [0, "two hit two", [[4, 7]]],
    [1, "one\ntwo hit two\nthree", [[8, 11]]],
    [
      2,
      "one\ntwo hit two\nthree\nfour hit",
      [
        [8, 11],
        [27, 30],
      ],
    ],
    [
      9,
      lines,
      [
        [8, 11],
        [27, 30],
      ],
    ],
  ])("with %i lines around", (context, snippet, shown) => {
    expect(snippetOf(lines, spans, context)).toEqual({ snippet, spans: shown });
  });

  test("a long line is cut around its match, and no character in two", () => {
    const long = `${"🙂".repeat(500)}hit${"🙃".repeat(500)}`;
    const { snippet, spans: shown } = snippetOf(long, [[1000, 1003]], 0);
    expect(snippet).toMatch(/^…(🙂)+hit(🙃)+…$/u);
    expect(snippet.length).toBeLessThan(410);
    expect(snippet.slice(...(shown[0] ?? [0, 0]))).toBe("hit");
  });

  test("whatever the text, the first match is shown where the span says", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "🙂", "x"), maxLength: 900, size: "max" });
    fc.assert(
      fc.property(text, text, fc.nat(3), (before, after, context) => {
        const given = `${before}NEEDLE\nE${after}`;
        const {
          snippet,
          spans: [first = [0, 0]],
        } = snippetOf(given, [[before.length, before.length + 8]], context);
        expect(snippet.slice(...first)).toBe("NEEDLE\nE");
      }),
    );
  });
});
