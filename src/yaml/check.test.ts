import { expect, test } from "vitest";
import * as z from "zod/mini";
import { checkYaml } from "./check.ts";
import { complaintText } from "./complaint.ts";
import { parseYaml } from "./parse.ts";

const Schema = z.object({
  name: z.string(),
  count: z.optional(z.int().check(z.minimum(1), z.maximum(9))),
  mode: z.optional(z.enum(["strict", "relaxed"])),
  list: z.optional(z.array(z.object({ inner: z.optional(z.boolean()) }))),
  free: z.optional(z.unknown()),
  named: z.optional(
    z.record(z.string().check(z.regex(/^[a-z]+$/, "not a name")), z.object({ on: z.boolean() })),
  ),
  either: z.optional(z.union([z.string(), z.object({ id: z.string() })], "expected an id")),
  choice: z.optional(
    z.union(
      [z.enum(["a"]), z.strictObject({ one: z.string() }), z.strictObject({ two: z.string() })],
      "no choice",
    ),
  ),
  rows: z.optional(z.array(z.string()).check(z.minLength(1))),
});

function check(text: string): string {
  const yaml = parseYaml({ file: "a.yaml", text });
  if ("complaints" in yaml) throw new Error("does not parse");
  const checked = checkYaml(yaml, Schema);
  return "complaints" in checked ? complaintText(checked.complaints) : "fits";
}

test.each([
  ["name: a", "fits"],
  ["name: a\nfree: { anything: [1] }", "fits"],
  ["name: a\neither: b", "fits"],
  ["name: a\neither: { id: b }", "fits"],
  ["name: a\ncuont: 1", 'a.yaml:2:1: unknown key "cuont"; did you mean "count"?'],
  ["name: a\nzzzzzzzz: 1", /^a.yaml:2:1: unknown key "zzzzzzzz"; known here: name, count, mode/],
  ["name: a\nlist:\n  - inner: true\n  - iner: 1", 'a.yaml:4:5: unknown key "iner"; did you mean "inner"?'],
  ["name: a\nnamed: { x: { off: true, on: true } }", 'a.yaml:2:15: unknown key "off"; did you mean "on"?'],
  ["name: a\nnamed: { X: { on: true } }", "a.yaml:2:10: named.X: not a name"],
  ["name: a\neither: { id: b, di: c }", 'a.yaml:2:18: unknown key "di"; did you mean "id"?'],
  ["name: a\neither: 3", "a.yaml:2:9: either: expected an id, not 3"],
  ["name: a\nchoice: a", "fits"],
  ["name: a\nchoice: { two: b }", "fits"],
  ["name: a\nchoice: { tow: b }", /^a.yaml:2:9: choice: no choice.*\na.yaml:2:11: unknown key "tow"/],
  ["count: 1", "a.yaml:1:1: name is missing"],
  ["name: [1]", "a.yaml:1:7: name: expected text, not [1]"],
  ["name:", "a.yaml:1:6: name: expected text, not nothing"],
  ["name: a\ncount: 1.5", "a.yaml:2:8: count: expected a whole number, not 1.5"],
  ["name: a\ncount: many", 'a.yaml:2:8: count: expected a number, not "many"'],
  ["name: a\ncount: 0", "a.yaml:2:8: count: expected at least 1, not 0"],
  ["name: a\ncount: 10", "a.yaml:2:8: count: expected at most 9, not 10"],
  ["name: a\nmode: loose", 'a.yaml:2:7: mode: expected strict or relaxed, not "loose"'],
  ["name: a\nrows: []", "a.yaml:2:7: rows: expected at least 1 item, not []"],
  ["name: a\nlist:\n  - inner: 7", "a.yaml:3:12: list[0].inner: expected true or false, not 7"],
  ["- a", 'a.yaml:1:1: expected a mapping, not ["a"]'],
])("%j", (text, said) => {
  if (typeof said === "string") expect(check(text)).toBe(said);
  else expect(check(text)).toMatch(said);
});

test("a name of Object's prototype is a key like any other", () => {
  expect(check("name: a\nconstructor: 1")).toMatch(/^a.yaml:2:1: unknown key "constructor"/);
  expect(check("toString: 1")).toContain("name is missing");
});

test("all complaints come in the order of the file, and a long list is cut", () => {
  const text = Array.from({ length: 8 }, (_, index) => `unknown${index}: 1`).join("\n");
  const lines = check(`${text}\nname: 1`).split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[0]).toContain("a.yaml:1:1");
  expect(lines[5]).toBe("and 4 more");
});

test("words do not depend on the locale that another room sets", () => {
  const before = z.config();
  z.config({ localeError: () => "other words" });
  expect(check("name: [1]\ncount: 0\nmode: x")).not.toContain("other words");
  z.config({ localeError: before.localeError });
});
