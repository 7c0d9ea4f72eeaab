import { expect, test } from "vitest";
import { renderPrompt, strayPlaceholders } from "./directive.ts";

test.each([
  ["Hi {input:name}.", { name: "Bo" }, { text: "Hi Bo." }],
  ["Hi {input:name}.", {}, { missing: "name" }],
  ["Hi {input:name?}.", {}, { text: "Hi ." }],
  ["Hi {input:name:you}.", {}, { text: "Hi you." }],
  ["{input:n}", { n: 3 }, { text: "3" }],
  ["{input:a} {input:a}", { a: "{input:b}" }, { text: "{input:b} {input:b}" }],
  ["{input:__proto__?}", {}, { text: "" }],
  ["{input:constructor}", {}, { missing: "constructor" }],
  ["$& {input:a}", { a: "$&" }, { text: "$& $&" }],
] as const)("%s with %j", (body, inputs, expected) => {
  expect(renderPrompt(body, inputs)).toEqual(expected);
});

test.each<[string, readonly object[]]>([
  ["Hi {input:name}, {input:a?} and {input:b:some text}.", []],
  ["Hi {input:name and more.", [{ at: 3, written: "{input:name", isClosed: false, meant: "{input:name}" }]],
  ["{input:a} {input:b? c", [{ at: 10, nth: 1, written: "{input:b?", meant: "{input:b?}" }]],
  ["{input:a {input:b}", [{ at: 0, nth: 0, written: "{input:a", isClosed: false, meant: "{input:a}" }]],
  // Its brace is in another line: nobody meant that one.
  ["{input:a\n}", [{ written: "{input:a", isClosed: false }]],
  ["{input:a:{b}}", [{ written: "{input:a", isClosed: false }]],
  ["{input:my-name}", [{ written: "{input:my-name}", isClosed: true, meant: "{input:my_name}" }]],
  ["{input: name }", [{ written: "{input: name }", isClosed: true, meant: "{input:name}" }]],
  ["{input:", [{ written: "{input:", isClosed: false }]],
  ["{input:}", [{ written: "{input:}", isClosed: true }]],
  ["{input:1}", [{ written: "{input:1}", isClosed: true }]],
  ["{inputs:x", []],
])("of %j, what stays as it is", (body, expected) => {
  const found = strayPlaceholders(body, 10);
  expect(found).toMatchObject(expected);
  expect(found).toHaveLength(expected.length);
  if (/^\{input:(1?\}|$)/.test(body)) expect(found[0]).not.toHaveProperty("meant");
});

test("a text of openings takes no longer than any other", () => {
  const started = performance.now();
  expect(strayPlaceholders("{input:a:".repeat(50_000), 40_000)).toHaveLength(40_000);
  expect(performance.now() - started).toBeLessThan(2_000);
});
