import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileQuery } from "../core/search-query.ts";
import { byteFinder } from "./byte-finder.ts";

const isIn = (text: string, value: unknown) => byteFinder(text)(Buffer.from(JSON.stringify(value)));

test.each<[string, unknown]>([
  ["zebra", { text: "a ZEBRA" }],
  ["a%b_c", { text: "A%B_C" }],
  ["Task", { text: "ta\u017fk" }],
  ["kiosk", { text: "\u212aIO\u017f\u212a" }],
  ["grün", { text: "GRÜN" }],
  ["straße", { text: "STRA\u1e9eE" }],
  ["ключ", { text: "КЛЮЧ" }],
  ["οδος", { text: "ΟΔΟΣ" }],
  ["漢字", { text: "漢字" }],
  ['"\n', { text: 'say "\n' }],
  ["🙂 ok", { text: "🙂 OK" }],
  ["\ud83d", { text: "half \ud83d" }],
  ["42", { input: { count: 1_425 } }],
  ["text", { text: "the text" }],
  ["a:", { text: 'a: "b": c' }],
])("%j may be in %j", (text, value) => {
  expect(isIn(text, value)).toBe(true);
});

test.each<[string, unknown]>([
  ["zebra", { text: "a zebr a" }],
  ["ключ", { text: "ключи".slice(0, 3) }],
  ["тест", { text: "ТОСТ" }],
  ["ü", { text: "u" }],
  // Names of fields are not searched.
  ["call_id", { call_id: "c", turn: 1 }],
  ["all_", { call_id: "c", turn: 1 }],
])("%j is not in %j", (text, value) => {
  expect(isIn(text, value)).toBe(false);
});

describe("whatever is found in a text is in its bytes", () => {
  const unit = fc.oneof(
    fc.constantFrom(...'aAkKsSſ\u212aßẞσςΣпПµμΜéÉǅǆİıіІ漢🙂𐐨𐐀\n"\\: '),
    fc.constantFrom("\ud800", "\u0001"),
  );
  const text = fc.string({ unit, minLength: 1, maxLength: 6 });

  test("with any signs and any case", () => {
    let found = 0;
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (before, query, after, isUpper) => {
        const matcher = compileQuery({ text: query, how: "text" });
        if ("why" in matcher) throw new Error(matcher.why);
        const given = `${before}${isUpper ? query.toUpperCase() : query.toLowerCase()}${after}`;
        if (matcher.spansIn(given).length === 0) return;
        found += 1;
        expect(isIn(query, { key: given })).toBe(true);
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  test.each(["X", "neXt", "Xeal", "a needle tuX", "ключ"])("wherever %s stands in many bytes", (query) => {
    const noise = (length: number) => "a needle tune, a lead, ".repeat(40).slice(0, length);
    expect(isIn(query, [noise(900)])).toBe(false);
    for (const length of [200, 701, 900])
      for (let at = 0; at <= length; at += 1)
        if (!isIn(query, [`${noise(at)}${query.toUpperCase()}${noise(length - at)}`]))
          throw new Error(`it is not found at ${at} of ${length}`);
  });

  test("each sign that has a case is found by each that is the same", () => {
    const signs = Array.from({ length: 0x1ffff }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((sign) => /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(sign));
    const all = signs.join("");
    for (const sign of signs)
      for (const same of all.match(new RegExp(sign, "giu")) ?? [])
        if (!isIn(sign, { key: same })) throw new Error(`${sign} does not find ${same}`);
    expect(signs.length).toBeGreaterThan(2_000);
  });
});
