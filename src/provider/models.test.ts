import { expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import type { Provider } from "../core/provider.ts";
import { defaultSettings } from "../core/settings.ts";
import type { Clock } from "../core/world.ts";
import { modelFor, requireModel } from "./models.ts";

const CANARY = "sk-canary-81c2";
const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} };
const provider = (id: string, more: Partial<Provider> = {}): Provider => ({
  id,
  protocol: "openai",
  baseUrl: "http://127.0.0.1:9",
  addressSaidBy: "providers.yaml",
  options: {},
  keys: [],
  ...more,
});
const keys = [{ variable: "SOME_KEY", saidBy: "providers.yaml" }];

function sources(environment: Record<string, string>, ...providers: Provider[]) {
  const known = new Map(providers.map((each) => [each.id, each]));
  return { projectRoot: "/nowhere", clock, settings: defaultSettings, providers: known, environment };
}

function problemOf(act: () => void): Problem {
  try {
    act();
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("nothing was refused");
}

test("an unknown provider is told with the names that are close", () => {
  const from = sources({}, provider("anthropic"), provider("local"));
  const problem = problemOf(() => requireModel(from, "antropic/claude"));
  expect(problem).toMatchObject({
    code: "E_MODEL_UNKNOWN",
    message: "There is no model antropic/claude.",
    why: "No provider is called antropic. Close to it: anthropic/….",
  });
  expect(problemOf(() => requireModel(from, "zzzzzz/x")).why).toContain("Known: scripted, anthropic, local.");
  for (const name of ["", "/", "anthropic", "anthropic/", "anthropic/ ", "local"]) {
    expect(problemOf(() => requireModel(from, name)).code).toBe("E_MODEL_UNKNOWN");
    expect(modelFor(from)(name)).toBeUndefined();
  }
});

test("a missing key is told by the variable that was looked for, and who named it", () => {
  for (const environment of [{}, { SOME_KEY: "" }, { SOME_KEY: " \n" }]) {
    const problem = problemOf(() =>
      requireModel(sources(environment, provider("local", { keys })), "local/m"),
    );
    expect(problem).toMatchObject({
      code: "E_AUTH",
      message: "There is no key for local.",
      why: "The environment variable SOME_KEY is not set; it is named by providers.yaml.",
    });
  }
});

test("of several keys those that are set count", () => {
  const several = ["A_KEY", "B_KEY"].map((variable) => ({ variable, saidBy: "providers.yaml" }));
  const from = (environment: Record<string, string>) =>
    sources(environment, provider("local", { keys: several }));
  expect(problemOf(() => requireModel(from({}), "local/m")).why).toBe(
    "None of the environment variables A_KEY, B_KEY is set; they are named by providers.yaml.",
  );
  expect(modelFor(from({ B_KEY: CANARY }))("local/m")?.keys).toBe(1);
  expect(modelFor(from({ A_KEY: "a", B_KEY: "b" }))("local/m")?.keys).toBe(2);
});

test("no key is wanted where none is declared, and slashes belong to the model's name", () => {
  expect(() => requireModel(sources({}, provider("local")), "local/org/model:7b")).not.toThrow();
  expect(() =>
    requireModel(sources({ SOME_KEY: CANARY }, provider("local", { keys })), "local/m"),
  ).not.toThrow();
});

test("in the middle of a turn a missing key is a failure, and none once it is there", async () => {
  const environment: Record<string, string> = {};
  const model = modelFor(sources(environment, provider("local", { keys, options: { stream: {} } })));
  const request = {
    threadId: "t",
    model: "local/m",
    system: "",
    messages: { length: 0, items: [] },
    tools: [],
    maxOutputTokens: 1,
    maxResultChars: 1,
    answers: 0,
    attempt: 1,
  };
  expect(await model("local/m")?.ask(request, () => {}, new AbortController().signal)).toMatchObject({
    failure: { kind: "misuse", message: expect.stringContaining("SOME_KEY is not set") },
  });
  environment.SOME_KEY = CANARY;
  expect(model("local/m")?.streams).toBe(true);
  expect(model("local/m")).toBe(model("local/m"));
});

test("an address with a password is refused without repeating it", () => {
  const odd = provider("anthropic", { baseUrl: "http://me:canary@x", addressSaidBy: "ANTHROPIC_BASE_URL" });
  const problem = problemOf(() => requireModel(sources({}, odd), "anthropic/m"));
  expect(problem).toMatchObject({
    code: "E_CONFIG_INVALID",
    why: "It is named by ANTHROPIC_BASE_URL; it has a name or password in it.",
  });
  expect(JSON.stringify([problem.message, problem.why])).not.toContain("canary");
});

test("a key that cannot stand in a header is a failure that does not show it", async () => {
  const model = modelFor(sources({ SOME_KEY: "canary\u0001ü" }, provider("local", { keys })))("local/m");
  const request = {
    threadId: "t",
    model: "local/m",
    system: "",
    messages: { length: 0, items: [] },
    tools: [],
    maxOutputTokens: 1,
    maxResultChars: 1,
    answers: 0,
    attempt: 1,
  };
  const ending = await model?.ask(request, () => {}, new AbortController().signal);
  expect(ending).toMatchObject({ failure: { kind: "misuse" } });
  expect(JSON.stringify(ending)).not.toContain("canary");
});

test("what a model costs comes from the catalogue, and from models.yaml over it", () => {
  const overrides = new Map([["local/priced", { input: 1, output: 2, window: 5, origin: "models.yaml:1" }]]);
  const from = { ...sources({}, provider("anthropic"), provider("local")), overrides };
  const model = modelFor(from);
  expect(model("anthropic/claude-sonnet-4-5-20250929")).toMatchObject({
    price: { input: 3_000, output: 15_000 },
    window: 200_000,
    maxOutput: 64_000,
  });
  expect(model("local/priced")).toMatchObject({ price: { input: 1, output: 2 }, window: 5 });
  expect(model("local/unpriced")?.price).toBeUndefined();
  expect(model("local/unpriced")?.window).toBe(200_000);
});
