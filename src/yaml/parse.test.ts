import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseYaml } from "./parse.ts";

function readValue(text: string): unknown {
  const yaml = parseYaml({ file: "a.yaml", text });
  if ("complaints" in yaml) throw new Error(JSON.stringify(yaml.complaints));
  return yaml.value;
}

function complaintOf(text: string, linesBefore = 0): string {
  const yaml = parseYaml({ file: "a.yaml", text, linesBefore });
  if (!("complaints" in yaml)) throw new Error(`accepted as ${JSON.stringify(yaml.value)}`);
  const [first] = yaml.complaints;
  return `${first?.line}:${first?.column} ${first?.message}`;
}

test("nothing is null, and a comment is nothing", () => {
  expect(readValue("")).toBeNull();
  expect(readValue("# a comment\n")).toBeNull();
});

test("a text reads the same with its comments and without, and complains of the same places", () => {
  const line = fc.constantFrom(
    ...["# c", "  # c: d", "#", "", "a: 1", "b:", "  c: x", "  d: 2", "    e: -1", "a: # c", "g: y"],
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = ["r:", ...lines].join("\n");
      const short = parseYaml({ file: "a.yaml", text });
      // A line in quotes: such a text is read as it is.
      const whole = parseYaml({ file: "a.yaml", text: `${text}\nz: "1"` });
      if ("complaints" in short || "complaints" in whole) {
        expect(short).toEqual(whole);
        return;
      }
      expect({ ...(short.value as object), z: "1" }).toEqual(whole.value);
      for (const key of Object.keys(short.value ?? {}))
        expect(short.placeOf([key], "key")).toEqual(whole.placeOf([key], "key"));
    }),
    { numRuns: 2_000 },
  );
});

test("what looks like a comment in a text of several lines is none", () => {
  expect(readValue("a: |\n  one\n  # two\n")).toEqual({ a: "one\n# two\n" });
  expect(readValue("a: 'one\n  # two'\n")).toEqual({ a: "one # two" });
});

test("only JSON's types come out, whatever version or tag the text asks for", () => {
  expect(readValue("%YAML 1.1\n---\na: 2001-01-01\nb: yes\n<<: { c: 1 }")).toEqual({
    a: "2001-01-01",
    b: "yes",
    "<<": { c: 1 },
  });
  expect(complaintOf("a: !!binary aGk=")).toBe("1:4 Unresolved tag: tag:yaml.org,2002:binary");
});

test("aliases are followed", () => {
  expect(readValue("a: &x [1]\nb: *x\nc: &y { d: 1 }\ne: *y")).toEqual({
    a: [1],
    b: [1],
    c: { d: 1 },
    e: { d: 1 },
  });
});

test("a text that is read twice is two values, each with the places of its own file", () => {
  const text = "list: [1, 2]\n";
  const [first, second] = [0, 3].map((linesBefore) =>
    parseYaml({ file: `f${linesBefore}`, text, linesBefore }),
  );
  if (!first || !second || "complaints" in first || "complaints" in second) throw new Error("does not parse");
  (first.value as { list: number[] }).list.push(3);
  expect(second.value).toEqual({ list: [1, 2] });
  expect(parseYaml({ file: "f", text })).toMatchObject({ value: { list: [1, 2] } });
  expect([first, second].map(({ file, placeOf }) => [file, placeOf(["list"], "key").line])).toEqual([
    ["f0", 1],
    ["f3", 4],
  ]);
  for (let other = 0; other < 20; other += 1)
    expect(parseYaml({ file: "f", text: `n: ${other}` })).toMatchObject({ value: { n: other } });
});

describe("complaints have a place", () => {
  test.each([
    ["a: 1\nb: '", "2:5 Missing closing 'quote"],
    ["a: 1\na: 2", '2:1 the key "a" stands twice'],
    ["a:\n  __proto__: 1", "2:3 the key __proto__ is not allowed"],
    ["a: *x", "1:4 no anchor &x stands before this alias"],
    ["a: &x [*x]", "1:8 the alias *x stands inside what it names"],
    ["a: &x { b: *x }", "1:12 the alias *x stands inside what it names"],
    ["a: 1\n---\nb: 2", "2:1 a second document starts here; one is allowed"],
  ])("%j", (text, complaint) => {
    expect(complaintOf(text)).toBe(complaint);
  });

  test("alias keys cannot smuggle __proto__ in", () => {
    expect(complaintOf("a: &x __proto__\n*x : 1")).toMatch(/^2:1 /);
  });

  test("lines before the text are counted", () => {
    expect(complaintOf("a: 1\na: 2", 3)).toBe('5:1 the key "a" stands twice');
  });
});

describe("places", () => {
  const yaml = parseYaml({ file: "a.yaml", text: "a:\n  - b: 1\n    c: [x,\n     y]\nd:\n" });
  test.each([
    [["a"], "key", 1, 1],
    [["a", 0, "b"], "key", 2, 5],
    [["a", 0, "b"], "value", 2, 8],
    [["a", 0, "c", 1], "value", 4, 6],
    [["a", 0, "gone", "deeper"], "value", 2, 5],
    [[], "value", 1, 1],
  ] as const)("%j as %s", (path, part, line, column) => {
    if ("complaints" in yaml) throw new Error("does not parse");
    expect(yaml.placeOf(path, part)).toEqual({ line, column });
  });
});

describe("hostile text", () => {
  const deep = 20_000;
  test.each([
    ["lists", "[".repeat(deep)],
    ["closed lists", "[".repeat(deep) + "]".repeat(deep)],
    ["mappings", "{a: ".repeat(deep)],
    ["dashes", "- ".repeat(deep)],
    ["question marks", "? ".repeat(deep)],
    ["indents", Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("deeply nested %s are refused, not a crash", (_, text) => {
    expect(complaintOf(text)).toBe("1:1 nested deeper than 100 levels");
  });

  test("nesting that a person writes passes", () => {
    expect(() => readValue("[".repeat(50) + "]".repeat(50))).not.toThrow();
  });

  test("aliases that multiply are refused", () => {
    const lines = Array.from({ length: 9 }, (_, level) => {
      const items = level === 0 ? "[x]" : `[${`*a${level - 1},`.repeat(10)}]`;
      return `a${level}: &a${level} ${items}`;
    });
    expect(complaintOf(lines.join("\n"))).toBe("1:1 aliases would expand to too much");
  });

  test("many keys take time in proportion", () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(Object.keys(readValue(text) as object)).toHaveLength(50_000);
  }, 20_000);

  test("no text throws", () => {
    const bits = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "-",
      "[",
      "]",
      "{",
      "}",
      "*a",
      "&a",
      "!t",
      "'",
      '"',
      "#",
      "|",
      "?",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(bits, { maxLength: 40 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const yaml = parseYaml({ file: "a", text });
        if ("complaints" in yaml) {
          for (const { line, column } of yaml.complaints) expect(Math.min(line, column)).toBeGreaterThan(0);
          expect(yaml.complaints).not.toEqual([]);
        } else JSON.stringify(yaml.value);
      }),
      { numRuns: 3000 },
    );
  });
});
