import { expect, test } from "vitest";
import { Problem } from "./problem.ts";
import { knownTiers, modelOfTier } from "./tier.ts";

const tiers = (keys: readonly string[], said: Record<string, string> = {}) => ({
  said: new Map(Object.entries(said).map(([tier, model]) => [tier, { model, origin: "models.yaml:1" }])),
  hasKey: (provider: string) => keys.includes(provider),
});

function problemOf(act: () => void): Problem {
  try {
    act();
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("nothing was refused");
}

test.each<[string, readonly string[], string, string]>([
  ["Anthropic's first", ["openai", "anthropic"], "default", "anthropic/claude-sonnet-5-5"],
  ["OpenAI's when only its key is there", ["openai"], "fast", "openai/gpt-5.4-mini"],
])("%s", (_, keys, tier, model) => {
  expect(modelOfTier(tier, tiers(keys))).toBe(model);
});

test("what models.yaml says holds, with or without a key", () => {
  expect(modelOfTier("deep", tiers(["anthropic"], { deep: "local/big" }))).toBe("local/big");
  expect(modelOfTier("cheap", tiers([], { cheap: "scripted/hello" }))).toBe("scripted/hello");
  expect(knownTiers(tiers([], { deep: "local/big" })).get("fast")).toBeNull();
});

test("without a key there is no model, and none is made up", () => {
  const problem = problemOf(() => modelOfTier("default", tiers([])));
  expect(problem).toMatchObject({ code: "E_AUTH", message: "The tier default has no model." });
  expect(problem.next.map(({ cmd }) => cmd)).toEqual([
    "export ANTHROPIC_API_KEY=…",
    "tiers: { default: PROVIDER/MODEL }",
  ]);
});

test("a tier that nobody knows is told with the closest, and the line that would make it one", () => {
  const problem = problemOf(() => modelOfTier("depe", tiers(["anthropic"])));
  expect(problem).toMatchObject({ code: "E_MODEL_UNKNOWN", why: "Close to it: deep." });
  expect(problem.next[0]).toEqual({
    cmd: "tiers: { depe: PROVIDER/MODEL }",
    why: "in .ai/config/models.yaml: then there is one",
  });
});
