import { expect, test } from "vitest";
import { renderPrompt } from "./directive.ts";

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
