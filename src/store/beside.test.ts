import fc from "fast-check";
import { expect, test } from "vitest";
import { compileQuery } from "../core/search-query.ts";
import { isSearchedField } from "../core/searchable.ts";
import { isBeside } from "./beside.ts";
import { byteFinder } from "./byte-finder.ts";

const isIn = (text: string, value: unknown) => byteFinder(text, isBeside)(Buffer.from(JSON.stringify(value)));
const far = "x".repeat(3_000);

test.each<[string, unknown]>([
  ["end_turn", { turn: 1, content: [{ type: "text", text: "Hm." }], stop: "end_turn", truncated: false }],
  [
    "turn",
    { content: [], stop: "end_turn", usage: { input: 1, cache_read: 0 }, bill: { hold: "h", amount: 5 } },
  ],
  ["bash", { turn: 1, tool: "bash", input: { command: far }, preceding: [] }],
  ["bash", { input: { command: far, list: ["}", "]"] }, tool: "bash" }],
  ["BASH", { tool: "bash", stop: "bash" }],
  ["ключ", { text: "x", model: "Ключ" }],
])("%j is beside what is searched of %j", (text, value) => {
  expect(isIn(text, value)).toBe(false);
});

test.each<[string, unknown]>([
  ["end_turn", { content: [{ type: "text", text: "end_turn" }], stop: "end_turn" }],
  ["end_turn", { content: [{ type: "call", input: { stop: "end_turn" } }], stop: "tool_use" }],
  ["end_turn", { content: [{ type: "call", input: { list: [{ stop: "end_turn" }] } }], stop: "tool_use" }],
  ["bash", { tool: "bash", output: "bash" }],
  ["bash", { output: "bash", tool: "bash" }],
  ["bash", { input: { tool: "bash" } }],
  ["bash", { input: { more: { tool: "bash", text: '{"' } } }],
  ["bash", { reason: "bash" }],
  // Not of one value: who knows whose it is.
  ["bash", { list: ["bash"] }],
  ["bash", { tool: 'say "bash"' }],
  ["bash", { input: { command: far, tool: "bash", more: far } }],
  ["bash", { before: far, tool: "bash", after: far }],
  ["bash", { tool: `${far}bash` }],
  ["42", { turn: 42 }],
])("%j may be in %j", (text, value) => {
  expect(isIn(text, value)).toBe(true);
});

test("a piece of JSON is not said to be beside", () => {
  const find = byteFinder("bash", isBeside);
  for (const bytes of ['"tool":"bash"', '{"tool":"bash"', '"bash"}', 'l":"bash"}', "bash"])
    expect(find(Buffer.from(bytes))).toBe(true);
});

test("whatever is found in what is searched is found", () => {
  const words = ["ab", "bAb", "b", 'a"b', "b\\a", "{ab", "ab}", "[b]", "b:", "a,b", "a\nb", "cd", ""];
  const word = fc.constantFrom(...words);
  const name = fc.constantFrom("stop", "tool", "text", "input", "content", "output", "a", "usage", "");
  const leaf = fc.oneof(word, fc.nat(99), fc.constant(null));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    ),
  }));
  let [found, beside] = [0, 0];
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.oneof(leaf, value), { minKeys: 1, maxKeys: 5 }),
      word,
      (event, query) => {
        if (query === "") return;
        const matcher = compileQuery({ text: query, how: "text" });
        if ("why" in matcher) throw new Error(matcher.why);
        const isThere = Object.entries(event).some(
          ([key, inside]) =>
            isSearchedField(key) && textsIn(inside).some((text) => matcher.spansIn(text).length > 0),
        );
        if (isThere) {
          found += 1;
          expect(isIn(query, event)).toBe(true);
        } else if (!isIn(query, event) && byteFinder(query)(Buffer.from(JSON.stringify(event)))) beside += 1;
      },
    ),
    { numRuns: 3_000 },
  );
  expect(Math.min(found, beside)).toBeGreaterThan(20);
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
