import { describe, expect, test } from "vitest";
import { findModel, type ModelOverrides, priceLine } from "./catalogue.ts";
import { BUILT_IN_TIERS, CATALOGUE, CATALOGUE_DATE } from "./catalogue-rows.ts";
import { worstCase } from "./price.ts";

const overrides = (entries: Record<string, object>): ModelOverrides =>
  new Map(Object.entries(entries).map(([name, entry]) => [name, { ...entry, origin: `of ${name}` }]));

test("a model of the catalogue", () => {
  expect(findModel("anthropic/claude-sonnet-4-5")).toEqual({
    price: { input: 3_000, cache_read: 300, cache_write: 3_750, output: 15_000 },
    window: 200_000,
    maxOutput: 64_000,
    origin: `catalogue of ${CATALOGUE_DATE}`,
  });
});

test.each([
  ["anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"],
  ["openai/gpt-5.4-2026-03-05", "openai/gpt-5.4"],
])("%s is a dated version of %s", (dated, name) => {
  expect(findModel(dated)).toEqual(findModel(name));
});

test("a dated version with a price of its own keeps it", () => {
  expect(findModel("openai/gpt-4o-2024-05-13").price?.input).toBe(5_000);
  expect(findModel("openai/gpt-4o-2024-11-20").price?.input).toBe(2_500);
  const cheaper = overrides({ "openai/gpt-4o": { input: 1, output: 1 } });
  expect(findModel("openai/gpt-4o-2024-05-13", cheaper).price?.input).toBe(5_000);
});

test.each([
  "anthropic/claude-sonnet-9",
  "anthropic/claude-sonnet-4-50",
  "anthropic/claude-sonnet-4-5-fast",
  "local/claude-sonnet-4-5",
  "claude-sonnet-4-5",
  "anthropic/",
  "",
  "__proto__/constructor",
])("nobody knows the price of %j", (name) => {
  expect(findModel(name)).toEqual({ window: 200_000, origin: "unknown" });
});

test("scripts have a price, so that budgets can be shown", () => {
  expect(findModel("scripted/hello").price).toMatchObject({ input: 3_000, output: 15_000 });
  const dear = overrides({ "scripted/*": { input: 9_000 }, "scripted/hello": { output: 1 } });
  expect(findModel("scripted/hello", dear).price).toMatchObject({ input: 9_000, output: 1 });
});

describe("what models.yaml says", () => {
  test("stands over the catalogue, part by part", () => {
    const mine = overrides({ "anthropic/claude-haiku-4-5": { output: 9_000, window: 100 } });
    expect(findModel("anthropic/claude-haiku-4-5-20251001", mine)).toEqual({
      price: { input: 1_000, cache_read: 100, cache_write: 1_250, output: 9_000 },
      window: 100,
      maxOutput: 64_000,
      origin: "of anthropic/claude-haiku-4-5",
    });
  });

  test("takes a cache that it says nothing about for a dear one", () => {
    const mine = overrides({ "local/qwen": { input: 101, output: 2 } });
    expect(findModel("local/qwen", mine).price).toEqual({
      ...{ input: 101, cache_read: 101, cache_write: 127, output: 2 },
    });
  });

  test("half a price is none", () => {
    expect(findModel("local/qwen", overrides({ "local/qwen": { input: 1, window: 8_000 } }))).toEqual({
      window: 8_000,
      origin: "of local/qwen",
    });
  });

  test("about all models of a provider is for those that nothing else is known about", () => {
    const free = overrides({ "local/*": { input: 0, output: 0 }, "anthropic/*": { input: 0, output: 0 } });
    expect(findModel("local/anything", free).price).toMatchObject({ input: 0, output: 0 });
    expect(findModel("anthropic/claude-opus-5-5", free).price?.input).toBe(4_000);
  });

  test("does not take the price of long prompts away", () => {
    const mine = overrides({ "anthropic/claude-haiku-5-5": { input: 50, output: 50 } });
    const { price } = findModel("anthropic/claude-haiku-5-5", mine);
    expect(price && worstCase(100_001, 0, price)).toBe(100_001 * 625);
  });
});

test("the line to add is what models.yaml reads", () => {
  expect(priceLine("local/qwen3:8b")).toBe('models: { "local/qwen3:8b": { input: 3.00, output: 15.00 } }');
});

describe("the catalogue", () => {
  test.each(CATALOGUE.map((row) => [row.name, row] as const))("%s is whole", (name, row) => {
    const { price, window, maxOutput } = row;
    const numbers = [price, price.long ?? {}]
      .flatMap((rates) => Object.values(rates))
      .filter((rate) => typeof rate === "number");
    expect(numbers.every((rate) => Number.isSafeInteger(rate) && rate > 0)).toBe(true);
    expect(price.cache_read).toBeLessThanOrEqual(price.input);
    expect(price.output).toBeGreaterThan(price.input);
    expect(price.cache_write).toBeGreaterThanOrEqual(price.input);
    if (price.long) expect(price.long.input).toBeGreaterThan(price.input);
    expect(maxOutput).toBeLessThan(window);
    expect(name).toMatch(/^(anthropic|openai)\/[a-z0-9.-]+$/);
  });

  test("has no model twice, and all that the tiers mean", () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const tiers of Object.values(BUILT_IN_TIERS))
      expect(names).toEqual(expect.arrayContaining(Object.values(tiers)));
  });
});
