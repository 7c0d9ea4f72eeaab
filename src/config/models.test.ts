import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findModel, priceLine } from "../core/catalogue.ts";
import { CATALOGUE_DATE } from "../core/catalogue-rows.ts";
import { Problem } from "../core/problem.ts";
import { checkConfig } from "./check-config.ts";
import { lookAtModels, readModels } from "./models.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-models-"));
  for (const path of ["project/.ai/config", "user", "system"])
    mkdirSync(join(folder, path), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Files {
  readonly system?: string;
  readonly user?: string;
  readonly project?: string;
  readonly userProviders?: string;
  readonly projectProviders?: string;
  readonly trusted?: boolean;
}

const PATHS = {
  system: "system/models.yaml",
  user: "user/models.yaml",
  project: "project/.ai/config/models.yaml",
  userProviders: "user/providers.yaml",
  projectProviders: "project/.ai/config/providers.yaml",
} as const;

const places = () => ({
  environment: {},
  userFolder: join(folder, "user"),
  systemFolder: join(folder, "system"),
});

function write(files: Files): string | undefined {
  for (const [name, path] of Object.entries(PATHS)) {
    const text = files[name as keyof typeof PATHS];
    if (text !== undefined) writeFileSync(join(folder, path), text);
  }
  return files.trusted === false ? undefined : join(folder, "project");
}

const read = (files: Files = {}) => readModels(write(files), places());

function complaintOf(files: Files): string {
  try {
    read(files);
  } catch (cause) {
    if (cause instanceof Problem && cause.code === "E_CONFIG_INVALID") return cause.why ?? "";
    throw cause;
  }
  throw new Error("nothing was refused");
}

const priced = (name: string, more: string) => `models:\n  ${name}: { ${more} }\n`;

test("nothing needs a file", () => {
  expect(read()).toEqual({ overrides: new Map(), tiers: new Map() });
  expect(read({ project: "# nothing yet\n" }).overrides.size).toBe(0);
  expect(read({ project: "models:\n  # commented\ntiers:\n" }).overrides.size).toBe(0);
});

test("dollars per million tokens become nano-dollars per token, exactly", () => {
  const project = priced(
    "anthropic/claude-x",
    "input: 3.00, output: '15.00', cache_read: 0.57, cache_write: 3.75, window: 1000, max_output: 10",
  );
  const { overrides } = read({ project });
  expect(findModel("anthropic/claude-x", overrides)).toEqual({
    price: { input: 3_000, cache_read: 570, cache_write: 3_750, output: 15_000 },
    window: 1_000,
    maxOutput: 10,
    origin: ".ai/config/models.yaml:2",
  });
});

test("the project's stand over the user's, over the machine's, part by part", () => {
  const { overrides, tiers } = read({
    system: `${priced("gw/x", "input: 1, output: 1, window: 10")}tiers: { fast: gw/s, deep: gw/s }\n`,
    user: `${priced("gw/x", "output: 2")}tiers: { fast: gw/u }\n`,
    project: `${priced("gw/x", "window: 30")}tiers: { own: gw/p }\n`,
  });
  expect(findModel("gw/x", overrides)).toMatchObject({ price: { input: 1_000, output: 2_000 }, window: 30 });
  expect([...tiers].map(([tier, { model }]) => [tier, model])).toEqual([
    ["fast", "gw/u"],
    ["deep", "gw/s"],
    ["own", "gw/p"],
  ]);
  expect(tiers.get("own")?.origin).toBe(".ai/config/models.yaml:3");
});

test("a project that is not trusted says nothing", () => {
  expect(read({ project: "nonsense", trusted: false }).overrides.size).toBe(0);
});

test("the line that a refusal names is read", () => {
  const { overrides } = read({ project: `${priceLine("local/qwen3:8b")}\n` });
  expect(findModel("local/qwen3:8b", overrides).price).toMatchObject({ input: 3_000, output: 15_000 });
});

describe("a project lowers no price", () => {
  test("of the catalogue, also of a dated version", () => {
    expect(complaintOf({ project: priced("anthropic/claude-opus-5-5", "input: 0.01, output: 20") })).toBe(
      `.ai/config/models.yaml:2:39: models.anthropic/claude-opus-5-5.input: a project may raise a price, not lower it (4.0000 by catalogue of ${CATALOGUE_DATE}): a model that counts as cheaper than it is walks past its budget`,
    );
    expect(complaintOf({ project: priced("anthropic/claude-opus-5-5-20260922", "cache_read: 0") })).toContain(
      "not lower it",
    );
  });

  test("of its user, whole or in part, or of all models of a provider", () => {
    const project = priced("gw/x", "input: 1, output: 1");
    for (const user of [
      priced("gw/x", "input: 2, output: 1"),
      priced("gw/x", "input: 2"),
      priced("gw/*", "input: 2, output: 2"),
    ])
      expect(complaintOf({ user, project })).toContain("models.gw/x.input: a project may raise");
    expect(
      complaintOf({ user: priced("gw/*", "input: 2, output: 2"), project: priced("gw/*", "input: 1") }),
    ).toContain("not lower it");
  });

  test("nor what its user did not say about a cache, which is taken for dear", () => {
    const user = priced("gw/x", "input: 2, output: 2");
    expect(complaintOf({ user, project: priced("gw/x", "cache_read: 1") })).toContain("cache_read");
    expect(complaintOf({ user, project: priced("gw/x", "cache_write: 2") })).toContain("cache_write");
  });

  test("nor by another name for the same address", () => {
    const projectProviders =
      "mine: { protocol: anthropic, base_url: 'https://api.anthropic.com/', key_env: ANTHROPIC_API_KEY }\n";
    const cheap = (name: string) => priced(name, "input: 0.01, output: 0.01");
    expect(complaintOf({ projectProviders, project: cheap("mine/claude-opus-5-5") })).toContain(
      "models.mine/claude-opus-5-5.input: a project may raise",
    );
    expect(complaintOf({ projectProviders, project: cheap("mine/*") })).toContain(
      "mine is anthropic by another name",
    );
    const userProviders = "gw: { protocol: openai, base_url: http://gw/v1, key_env: GW_KEY }\n";
    expect(
      complaintOf({
        userProviders,
        projectProviders: "gw2: { protocol: openai, base_url: http://gw/v1, key_env: GW_KEY }\n",
        user: priced("gw/x", "input: 2, output: 2"),
        project: cheap("gw2/x"),
      }),
    ).toContain("models.gw2/x.input");
  });

  test("but a name with a key of its own, or without one, is its own", () => {
    const project = priced("mine/*", "input: 0.01, output: 0.01");
    for (const key of ["", ", key_env: THEIR_KEY"]) {
      const projectProviders = `mine: { protocol: anthropic, base_url: https://api.anthropic.com${key} }\n`;
      expect(() => read({ projectProviders, project })).not.toThrow();
    }
  });

  test("but may raise one, say the same, name an unknown one, and price its scripts as it likes", () => {
    for (const project of [
      priced("anthropic/claude-opus-5-5", "input: 4, output: 20.001"),
      priced("anthropic/claude-of-tomorrow", "input: 0.01, output: 0.01"),
      priced("anthropic/*", "input: 0.01, output: 0.01"),
      priced("local/qwen", "input: 0, output: 0"),
      priced("scripted/*", "input: 0.001, output: 0"),
      priced("scripted/hello", "input: 0, output: 0"),
      priced("anthropic/claude-opus-5-5", "window: 10, max_output: 5"),
    ])
      expect(() => read({ project })).not.toThrow();
  });

  test("its user may", () => {
    const user = priced("anthropic/claude-opus-5-5", "input: 0.01, output: 0.01");
    const { overrides } = read({ user, project: priced("anthropic/claude-opus-5-5", "input: 0.02") });
    expect(findModel("anthropic/claude-opus-5-5", overrides).price).toMatchObject({ input: 20, output: 10 });
  });
});

test.each([
  ["models: 1", ".ai/config/models.yaml:1:9: models: expected a mapping, not 1"],
  ["model: {}", /1:1: unknown key "model"; did you mean "models"\?/],
  [priced("x/y", "inptu: 1"), /2:10: unknown key "inptu"; did you mean "input"\?/],
  [priced("x/y", "input: -1"), /2:17: models.x\/y.input: expected dollars per million tokens, such as 3.00/],
  [priced("x/y", "input: 0.0001"), /at most three decimals/],
  [priced("x/y", "input: .nan"), /expected dollars/],
  [priced("x/y", "input: .inf"), /expected dollars/],
  [priced("x/y", "input: 1e30"), /expected dollars/],
  [priced("x/y", "input: '3,00'"), /expected dollars/],
  [priced("x/y", "input: true"), /expected dollars/],
  [priced("x/y", "window: 0"), /window: expected more than 0/],
  [priced("x/y", "window: 1.5"), /window: expected a whole number/],
  [priced("claude", "input: 1"), /expected a model, such as anthropic\/claude-opus-5-5/],
  ["tiers: { fast: claude }", /1:16: tiers.fast: expected a model, such as/],
  ["tiers: { Fast: a/b }", /expected lower-case letters/],
  ["tiers: { fast: [a/b] }", /tiers.fast: expected text/],
  ["- a", /expected a mapping/],
  ["models: [", /models.yaml:2:1: Flow sequence/],
])("%j is refused", (project, said) => {
  const why = complaintOf({ project: `${project}\n` });
  if (typeof said === "string") expect(why).toBe(said);
  else expect(why).toMatch(said);
});

test("who only looks is told, and goes on without that file", async () => {
  const root = write({
    system: "models: 1\n",
    user: priced("gw/x", "input: 2, output: 2"),
    project: `${priced("gw/x", "input: 1")}tiers: { fast: gw/x }\n`,
  });
  const { overrides, tiers, wrong } = lookAtModels(root, places());
  expect(findModel("gw/x", overrides).price?.input).toBe(2_000);
  expect(tiers.size).toBe(0);
  const files = [join(folder, "system/models.yaml"), ".ai/config/models.yaml"];
  expect(wrong.map(({ file }) => file)).toEqual(files);
  const check = await checkConfig(root, {}, places());
  expect(check.wrong.map(({ file }) => file)).toEqual(files);
  expect(check).toMatchObject({ strays: [], checked: { length: 3 } });
});
