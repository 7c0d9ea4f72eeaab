import fc from "fast-check";
import { expect, test } from "vitest";
import { callKey, canonical, idProblem, isThreadId, threadId } from "./id.ts";

test.each([
  "../etc",
  "a/../b",
  "",
  "/a",
  "a/",
  "a//b",
  ".hidden",
  "a/.git",
  "-rf",
  "a/-x",
  "A",
  "a b",
  "a\u0000b",
  "a\nb",
  "ä",
  "x".repeat(161),
  "a\\b",
  "%2e%2e",
])("%j is no id", (text) => {
  expect(idProblem(text)).toBeTypeOf("string");
});

test("a made id is an id and carries its directive and second", () => {
  const id = threadId("agency-kiwi/discover_leads", 1739820456789, new Uint8Array([1, 2, 3, 200, 5, 31]));
  expect(id).toMatch(/^agency-kiwi\/discover_leads-1739820456-[0-9a-hjkmnp-tv-z]{6}$/);
  expect(isThreadId(id)).toBe(true);
});

test("no accepted id can leave its folder", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!isThreadId(text)) return;
      const resolved = new URL(text, "file:///threads/").pathname;
      expect(resolved).toBe(`/threads/${text}`);
    }),
  );
});

test("canonical text does not depend on the order of keys", () => {
  expect(canonical({ b: 1, a: [{ d: null, c: "x" }] })).toBe('{"a":[{"c":"x","d":null}],"b":1}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("a call key differs by chain, turn, index and arguments, and by nothing else", () => {
  const place = { chainRootId: "a", turn: 1, index: 0, input: { x: 1, y: 2 } };
  const hashed = (change: object) => callKey({ ...place, ...change }, weakHash);
  expect(
    new Set([
      hashed({}),
      hashed({ turn: 2 }),
      hashed({ index: 1 }),
      hashed({ chainRootId: "b" }),
      hashed({ input: {} }),
    ]).size,
  ).toBe(5);
  expect(hashed({ input: { y: 2, x: 1 } })).toBe(hashed({}));
});

function weakHash(text: string): string {
  let value = 7;
  for (const character of text) value = (value * 33 + (character.codePointAt(0) ?? 0)) % 2 ** 40;
  return value.toString(16).padStart(32, "0");
}
