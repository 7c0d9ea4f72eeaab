import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { charsOf, cutTo, type Measure, measured, pressureOf, tokensIn, tokensOf } from "./context.ts";
import type { Event } from "./event.ts";
import type { CallId } from "./id.ts";
import type { Message } from "./message.ts";

const result = (output: string) => ({ call_id: "c" as CallId, tool: "t", status: "ok" as const, output });
const before: Measure = { model: "m", chars: 4_000, tokens: 1_000, density: 0.25 };
const answer = (input: number, more: Partial<Event<"cognition_out">> = {}) =>
  ({
    usage: { input, cache_read: 0, cache_write: 0, output: 7 },
    model: "m",
    ...more,
  }) as Event<"cognition_out">;

test.each<[Message, number]>([
  [{ role: "user", text: "12345" }, 5],
  [{ role: "assistant", blocks: [{ type: "text", text: "123" }] }, 3],
  [{ role: "assistant", blocks: [{ type: "reasoning", text: "1234" }] }, 4],
  [{ role: "assistant", blocks: [{ type: "call", call_id: "c" as CallId, tool: "ls", input: { a: 1 } }] }, 9],
  [
    { role: "assistant", blocks: [{ type: "call", call_id: "c" as CallId, tool: "ls", input: undefined }] },
    6,
  ],
  [{ role: "tool", results: [result("12"), result("345")] }, 5],
  // No more than the model is shown of it.
  [{ role: "tool", results: [result("x".repeat(50_000))] }, 30_000],
])("%o has %i characters", (said, chars) => {
  expect(charsOf(said)).toBe(chars);
});

test("of a result counts what a request shows of it", () => {
  const said: Message = { role: "tool", results: [result("x".repeat(50_000)), result("x".repeat(10))] };
  expect(charsOf(said, 40_000)).toBe(40_010);
  expect(charsOf(said, 100)).toBe(110);
});

describe("what was counted", () => {
  const usage = fc.record({
    input: fc.nat(300_000),
    cache_read: fc.nat(300_000),
    cache_write: fc.nat(300_000),
    output: fc.nat(9_000),
  });
  const known = fc.option(
    fc.record({
      model: fc.constantFrom("m", "other"),
      chars: fc.nat(900_000),
      tokens: fc.nat(300_000),
      density: fc.double({ min: 0.05, max: 3, noNaN: true }),
    }),
    { nil: undefined },
  );

  test("is what the conversation has, whatever was thought before; more of it is more", () => {
    fc.assert(
      fc.property(known, usage, fc.nat(900_000), fc.nat(90_000), (measure, counted, chars, more) => {
        const next = measured({ measure, chars, model: "m" }, answer(0, { usage: counted }));
        const { input, cache_read, cache_write } = counted;
        const tokens = tokensOf({ measure: next, chars, system: "" });
        expect(tokens).toBe(input + cache_read + cache_write);
        expect(next?.density).toBeGreaterThanOrEqual(0.05);
        expect(next?.density).toBeLessThanOrEqual(3);
        const grown = tokensOf({ measure: next, chars: chars + more, system: "" });
        expect(grown).toBeGreaterThanOrEqual(tokens);
        expect(grown).toBeLessThanOrEqual(tokens + more * 3 + 1);
        const cut = tokensOf({ measure: next, chars: Math.max(0, chars - more), system: "" });
        expect(cut).toBeLessThanOrEqual(tokens);
        expect(cut).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test.each<[string, Measure | undefined, number, Event<"cognition_out">, Measure | undefined]>([
    [
      "the rate is learnt from what came",
      before,
      8_000,
      answer(3_000),
      { ...before, chars: 8_000, tokens: 3_000, density: 0.5 },
    ],
    ["too little says nothing", before, 4_900, answer(3_000), { ...before, chars: 4_900, tokens: 3_000 }],
    ["nor does what became shorter", before, 8_000, answer(900), { ...before, chars: 8_000, tokens: 900 }],
    [
      "long runs of one letter",
      before,
      90_000,
      answer(1_001),
      { ...before, chars: 90_000, tokens: 1_001, density: 0.05 },
    ],
    ["other scripts", before, 5_000, answer(9_000), { ...before, chars: 5_000, tokens: 9_000, density: 3 }],
    [
      "another model counts otherwise",
      before,
      8_000,
      answer(3_000, { model: "n" }),
      { model: "n", chars: 8_000, tokens: 3_000, density: 0.3 },
    ],
    [
      "our own estimate is no count",
      before,
      8_000,
      answer(9, { usage: { input: 9, cache_read: 0, cache_write: 0, output: 0, estimated: true } }),
      before,
    ],
    [
      "nor the first time",
      undefined,
      8_000,
      answer(9, { usage: { input: 9, cache_read: 0, cache_write: 0, output: 0, estimated: true } }),
      undefined,
    ],
  ])("%s", (_, measure, chars, event, expected) => {
    expect(measured({ measure, chars, model: "m" }, event)).toEqual(expected);
  });
});

test("before anything was counted, the system prompt counts too", () => {
  expect(tokensOf({ chars: 700, system: "x".repeat(300) })).toBe(300);
  expect(tokensIn({}, 100)).toBe(30);
  expect(tokensIn({ measure: { ...before, density: 1.5 } }, 100)).toBe(150);
});

test.each([undefined, 0, -1, Number.NaN])("a window of %s presses nobody", (window) => {
  expect(pressureOf({ chars: 1_000, system: "" }, window)).toBeUndefined();
});

test("pressure is tokens over window", () => {
  expect(pressureOf({ measure: before, chars: 4_000, system: "" }, 2_000)).toEqual({
    ...{ tokens: 1_000, window: 2_000, ratio: 0.5 },
  });
});

test("what is cut says so, and comes to the tokens that it may have", () => {
  expect(cutTo({}, "short", 100)).toBe("short");
  const cut = cutTo({}, "x".repeat(10_000), 300);
  expect(cut).toContain("characters left out");
  expect(cut.replace(/\n.*\n/, "")).toHaveLength(1_000);
});
