// Which models there are, what they cost, and what a tier means, as a process.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checked, Place, scripted } from "./cli.ts";

let place: Place;
beforeEach(async () => {
  place = new Place();
  await place.ok("init");
});
afterEach(() => place.remove());

interface Listed {
  readonly name: string;
  readonly ready: boolean;
  readonly tiers: readonly string[];
  readonly origin: string;
  readonly price: { readonly input: string; readonly output: string } | null;
}

async function list(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { data, warnings } = checked(await place.run(["models", "ls", ...args, "--json"], env));
  const models = data.models as readonly Listed[];
  return { models, warnings, named: (name: string) => models.find((model) => model.name === name) };
}

const tierOf = (name: string) => ({
  ".ai/directives/tiered.md": `---\ndescription: x\nmodel: { tier: ${name} }\npermissions: [execute.tool.*]\nlimits: { spend: "1.00" }\n---\nDo it.\n`,
});

describe("models ls", () => {
  test("without a key, only scripts; with -a all of the catalogue", async () => {
    const { models } = await list();
    expect(models.map(({ name }) => name)).toEqual(["scripted/*"]);
    const all = await list(["-a"]);
    expect(all.named("anthropic/claude-sonnet-4-5")).toMatchObject({
      ready: false,
      tiers: [],
      origin: expect.stringMatching(/^catalogue of \d{4}-\d{2}-\d{2}$/),
      price: { input: "3.0000", output: "15.0000", cache_read: "0.3000", cache_write: "3.7500", long: null },
      window: 200_000,
      max_output: 64_000,
    });
    expect(await place.ok("models", "ls")).toContain("scripted/*  3.00 / 15.00  200k");
  });

  test("a key brings its provider's models, and the tiers mean some of them", async () => {
    const { models, named } = await list([], { OPENAI_API_KEY: "canary" });
    expect(models.some(({ name }) => name.startsWith("anthropic/"))).toBe(false);
    expect(named("openai/gpt-5.4")?.tiers).toEqual(["default", "deep"]);
    const both = await list([], { OPENAI_API_KEY: "canary", ANTHROPIC_API_KEY: "canary" });
    expect(both.models.flatMap(({ name, tiers }) => (tiers.length > 0 ? [name] : []))).toEqual([
      "anthropic/claude-opus-5-5",
      "anthropic/claude-sonnet-5-5",
      "anthropic/claude-haiku-5-5",
    ]);
    expect(JSON.stringify(both.models)).not.toContain("canary");
  });

  test("models.yaml stands over the catalogue, with its place", async () => {
    place.write({
      ".ai/config/models.yaml":
        "models:\n  local/*: { input: 0, output: 0 }\n  anthropic/claude-opus-5-5: { output: 99 }\ntiers: { fast: local/qwen3 }\n",
    });
    const { named } = await list();
    expect(named("anthropic/claude-opus-5-5")).toMatchObject({
      price: { input: "4.0000", output: "99.0000" },
      origin: ".ai/config/models.yaml:3",
    });
    expect(named("local/qwen3")).toMatchObject({ price: { input: "0.0000" }, tiers: ["fast"], ready: false });
    expect(await place.ok("models", "ls", "--plain")).toContain(
      "local/qwen3\t0.0000\t0.0000\t0.0000\t0.0000\t200000\t-\tfast\t.ai/config/models.yaml:2\n",
    );
  });

  test("a file that does not validate is told and left out, also where there is no project", async () => {
    place.write({ ".ai/config/models.yaml": "models: { anthropic/claude-opus-5-5: { input: 0.01 } }\n" });
    const { warnings, named } = await list(["-a"]);
    expect(warnings[0]).toContain(
      ".ai/config/models.yaml:1:47: models.anthropic/claude-opus-5-5.input: a project",
    );
    expect(named("anthropic/claude-opus-5-5")?.price?.input).toBe("4.0000");
    expect((await place.run(["config", "check"])).code).toBe(7);
    expect((await place.run(["run", "hello"])).code).toBe(7);
    const folder = join(place.folder, ".config/selvage");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "models.yaml"), "tiers: { fast: gw/x }\n");
    const outside = new Place();
    const ended = await outside.run(["models", "ls", "-q"], { HOME: place.folder });
    expect(ended).toMatchObject({ code: 0, stdout: "scripted/*\ngw/x\n" });
    outside.remove();
  });
});

describe("a directive that names a tier", () => {
  test("runs on the model that the tier means, and the thread keeps it", async () => {
    place.write({
      ...scripted("quick", "- says: Done.\n"),
      ...tierOf("fast"),
      ".ai/config/models.yaml": "tiers: { fast: scripted/quick }\n",
    });
    const { data } = await place.json("run", "tiered");
    expect(data).toMatchObject({ status: "completed", model: "scripted/quick" });
    expect(await place.ok("directive", "show", "tiered")).toContain("scripted/quick (tier fast)");
  });

  test("is never scripted because a key is missing", async () => {
    place.write(tierOf("default"));
    const refused = await place.json("run", "tiered");
    expect(refused.error).toMatchObject({ code: "E_AUTH", what: "The tier default has no model." });
    expect(refused.error?.next[1]?.cmd).toBe("tiers: { default: PROVIDER/MODEL }");
    expect((await place.json("directive", "lint", "tiered")).data.problems).toEqual([]);
    expect(await place.ok("directive", "ls")).toContain("tier default");
  });

  test("is refused with the line to add when nobody knows the tier", async () => {
    place.write(tierOf("orchestrator"));
    const refused = await place.json("run", "tiered");
    expect(refused).toMatchObject({ exit: 7, error: { code: "E_MODEL_UNKNOWN" } });
    expect(refused.error?.next[0]).toEqual({
      cmd: "tiers: { orchestrator: PROVIDER/MODEL }",
      why: "in .ai/config/models.yaml: then there is one",
    });
    expect((await place.json("directive", "lint", "tiered")).data.problems).toMatchObject([
      { code: "E_MODEL_UNKNOWN", severity: "error", line: 3 },
    ]);
  });
});

test("what a thread cannot fall back to is named before it runs, and its reason", async () => {
  place.write({
    ...scripted("work", "- says: done\n"),
    ".ai/config/resilience.yaml": "model: { fallback: [nobody/x, openai/gpt-5, scripted/work] }\n",
  });
  const told = [
    expect.stringMatching(/^model\.fallback names nobody\/x, which is passed over: There is no model/),
    expect.stringMatching(/^model\.fallback names openai\/gpt-5, .*OPENAI_API_KEY is not set/),
  ];
  expect(await place.json("run", "work")).toMatchObject({ exit: 0, warnings: told });
  expect(await place.json("config", "check")).toMatchObject({ exit: 0, warnings: told });
});
