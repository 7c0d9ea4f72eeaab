import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { defaultSettings, Settings } from "../core/settings.ts";
import { lookAtSettings, readSettings, readSettingsWithOrigins } from "./settings.ts";
import { SETTINGS_FILES } from "./settings-file.ts";

let root: string;
let user: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-settings-"));
  user = join(root, "user");
  mkdirSync(join(root, ".ai/config"), { recursive: true });
  mkdirSync(user);
});
afterEach(() => rmSync(root, { recursive: true }));

function project(name: string, text: string): void {
  writeFileSync(join(root, ".ai/config", name), text);
}

function places() {
  return { userFolder: user, systemFolder: join(root, "system") };
}

function problem(): Problem {
  try {
    readSettings(root, places());
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("the settings were accepted");
}

test("without files everything is the default", () => {
  expect(readSettings(root, places())).toEqual(defaultSettings);
  expect(readSettings(undefined, { ...places(), userFolder: join(root, "none") })).toEqual(defaultSettings);
});

test("the project is over the user, key by key", () => {
  writeFileSync(
    join(user, "resilience.yaml"),
    "durability: relaxed\nretry: { max_retries: 7, base_delay_ms: 10 }\n",
  );
  writeFileSync(join(user, "coordination.yaml"), "concurrency: { max_parallel_calls: 2 }\n");
  project("resilience.yaml", "retry:\n  max_retries: 1\ntool: { timeout_seconds: 5 }\n");
  const settings = readSettings(root, places());
  expect(settings.durability).toBe("relaxed");
  expect(settings.retry).toEqual({ ...defaultSettings.retry, max_retries: 1, base_delay_ms: 10 });
  expect(settings.tool).toEqual({ ...defaultSettings.tool, timeout_seconds: 5 });
  expect(settings.concurrency.max_parallel_calls).toBe(2);
});

test("an untrusted project's settings are not even read", () => {
  project("resilience.yaml", "not: [valid");
  expect(readSettings(undefined, places())).toEqual(defaultSettings);
});

test("empty files and headings say nothing", () => {
  project("resilience.yaml", "# retry:\nretry:\n  # max_retries: 9\n");
  project("coordination.yaml", "");
  expect(readSettings(root, places())).toEqual(defaultSettings);
});

test.each([
  ["retyr: {}", '1:1: unknown key "retyr"; did you mean "retry"?'],
  ["retry:\n  max_retry: 1", '2:3: unknown key "max_retry"; did you mean "max_retries"?'],
  ["retry: { max_retries: -1 }", "1:23: retry.max_retries: expected at least 0, not -1"],
  ["retry: { max_retries: lots }", '1:23: retry.max_retries: expected a number, not "lots"'],
  ["durability: loose", '1:13: durability: expected strict or relaxed, not "loose"'],
  ["concurrency: { max_parallel_calls: 2 }", '1:1: "concurrency" belongs in coordination.yaml'],
  ["- retry", '1:1: expected a mapping, not ["retry"]'],
  ["__proto__: { durability: relaxed }", "1:1: the key __proto__ is not allowed"],
])("%j is refused with its place", (text, why) => {
  project("resilience.yaml", text);
  expect(problem().code).toBe("E_CONFIG_INVALID");
  expect(problem().why).toBe(`.ai/config/resilience.yaml:${why}`);
});

test("a user's file is named by its whole path", () => {
  const path = join(user, "coordination.yaml");
  writeFileSync(path, "concurency: {}");
  expect(problem().why).toBe(`${path}:1:1: unknown key "concurency"; did you mean "concurrency"?`);
});

test("every setting has a file, and only one", () => {
  expect(Object.values(SETTINGS_FILES).flat().sort()).toEqual(Object.keys(Settings.shape).sort());
});

describe("settings.json", () => {
  const write = (text: string) => writeFileSync(join(root, ".ai/settings.json"), text);

  test("says the same keys, in camelCase or in our own spelling", () => {
    write(
      '{\n\t"retry": {"maxRetries": 1, "baseDelayMs": 5, "max_delay_ms": 50, "enabled": false},\n\t"limits": {}\n}',
    );
    expect(readSettings(root, places()).retry).toEqual({
      ...defaultSettings.retry,
      ...{ max_retries: 1, base_delay_ms: 5, max_delay_ms: 50, enabled: false },
    });
  });

  test("stands under the YAML of its own layer and over the layers below", () => {
    writeFileSync(join(user, "resilience.yaml"), "retry: { max_retries: 9, base_delay_ms: 9 }\n");
    write('{"retry": {"maxRetries": 1, "baseDelayMs": 1}, "concurrency": {"maxParallelCalls": 3}}');
    project("resilience.yaml", "retry:\n  max_retries: 2\n");
    const { settings, origins } = readSettingsWithOrigins(root, places());
    expect(settings.retry).toMatchObject({ max_retries: 2, base_delay_ms: 1 });
    expect(settings.concurrency.max_parallel_calls).toBe(3);
    expect(origins.get("retry.max_retries")).toEqual([
      { layer: "project", file: ".ai/config/resilience.yaml", line: 2, value: 2 },
      { layer: "project", file: ".ai/settings.json", line: 1, value: 1 },
      { layer: "user", file: join(user, "resilience.yaml"), line: 1, value: 9 },
    ]);
  });

  test.each([
    [
      '{"retry": {"maxRetries": 1,\n "max_retries": 2}}',
      '2:2: "max_retries" is another name of "maxRetries"; both stand here, keep one',
    ],
    ['{\n  "retry": {"maxRetrys": 1}\n}', '2:13: unknown key "max_retrys"; did you mean "max_retries"?'],
    ['{"retry": {"maxRetries": "lots"}}', '1:26: retry.max_retries: expected a number, not "lots"'],
    ['{"retry": {"_Proto__": {}}}', /unknown key "__proto__"/],
    ['{"__proto__": {}}', "1:2: the key __proto__ is not allowed"],
    ["{\n retry: 1}", /^\.ai\/settings\.json:2:2: it is not JSON: /],
    ["# no", /:1:1: it is not JSON: /],
    ["", /:1:1: it is not JSON: /],
    ["[]", "1:1: expected a mapping, not []"],
  ])("%j is refused with its place", (text, why) => {
    write(text);
    if (typeof why === "string") expect(problem().why).toBe(`.ai/settings.json:${why}`);
    else expect(problem().why).toMatch(why);
  });
});

describe("the names of the seeds", () => {
  test("are other names of ours, in seconds", () => {
    project(
      "resilience.yaml",
      "retry:\n  policies:\n    exponential: { base: 1.5, max_delay: 60 }\n    fixed: { delay: 0.25 }\n    rate_limited:\n      fallback: 10\n",
    );
    const { settings, origins } = readSettingsWithOrigins(root, places());
    expect(settings.retry).toEqual({
      ...defaultSettings.retry,
      ...{ base_delay_ms: 1500, max_delay_ms: 60_000, fixed_ms: 250, rate_limited_ms: 10_000 },
    });
    expect(origins.get("retry.rate_limited_ms")?.[0]).toMatchObject({ line: 6, value: 10_000 });
  });

  test.each([
    [
      "retry:\n  base_delay_ms: 1\n  policies: { exponential: { base: 1 } }",
      "3:30: retry.policies.exponential.base is another name of retry.base_delay_ms; both stand here, keep one",
    ],
    ["retry: { policies: { fixed: { dely: 1 } } }", '1:31: unknown key "dely"; did you mean "delay"?'],
    ["retry: { policies: { fixd: {} } }", '1:22: unknown key "fixd"; did you mean "fixed"?'],
    [
      "retry: { policies: { fixed: { delay: -1 } } }",
      "1:38: retry.policies.fixed.delay: expected at least 0, not -1",
    ],
  ])("%j is refused", (text, why) => {
    project("resilience.yaml", text);
    expect(problem().why).toBe(`.ai/config/resilience.yaml:${why}`);
  });
});

describe("a project narrows and does not widen", () => {
  const mine = (text: string) => writeFileSync(join(user, "resilience.yaml"), text);

  test.each([
    ["limits: { defaults: { turns: 24, spend: '0.50' } }"],
    ["limits: { defaults: { turns: 25, spend: '1.000' } }"],
    ["limits: { escalation: deny }"],
    ["limits: { escalation: { ceiling: { spend: '2.00' } } }"],
    ["approvals: { on_timeout: deny }"],
    ["recover: ask"],
    ["loop: { ask_after: 1 }"],
    ["durability: relaxed"],
    ["retry: { max_retries: 99 }"],
  ])("%s is taken over the defaults", (text) => {
    project("resilience.yaml", text);
    expect(() => readSettings(root, places())).not.toThrow();
  });

  test.each([
    [
      "",
      "limits:\n  defaults:\n    turns: 26",
      "3:12: limits.defaults.turns: a project may lower this, not raise it: built in is 25",
    ],
    [
      "limits: { defaults: { spend: '0.10' } }",
      "limits: { defaults: { spend: '0.100000001' } }",
      "1:30: limits.defaults.spend: a project may lower this, not raise it: your own settings say 0.10",
    ],
    [
      "limits: { escalation: deny }",
      "limits: { escalation: double }",
      "1:23: limits.escalation: a project may deny, or lower the steps and ceilings there are: your own settings say deny",
    ],
    ["limits: { escalation: { step: { turns: 5 } } }", "limits: { escalation: double }", /say {"step"/],
    [
      "limits: { escalation: { step: { turns: 5 } } }",
      "limits: { escalation: { step: { turns: 6 } } }",
      /may/,
    ],
    [
      "limits: { escalation: { step: { turns: 5 } } }",
      "limits: { escalation: { step: { depth: 1 } } }",
      /may/,
    ],
    [
      "limits: { escalation: { step: { spend: '1' } } }",
      "limits: { escalation: { step: { spend: '0' } } }",
      /may/,
    ],
    [
      "limits: { escalation: { ceiling: { turns: 5 } } }",
      "limits: { escalation: { step: { turns: 1 } } }",
      /may/,
    ],
    ["approvals: { on_timeout: deny }", "approvals: { on_timeout: remind }", /only set this to deny/],
    ["", "recover: auto", "1:10: recover: a project may only set this to ask: built in is ask"],
    ["", "sandbox: off", /go on from off to auto to required, not back: built in is auto/],
    ["sandbox: required", "sandbox: auto", /your own settings say required/],
    ["", "loop: { ask_after: 0 }", /not raise it or set it to 0: built in is 5/],
    ["loop: { ask_after: 2 }", "loop: { ask_after: 3 }", /your own settings say 2/],
  ])("over %j, %j is refused", (below, text, why) => {
    mine(below);
    project("resilience.yaml", text);
    if (typeof why === "string") expect(problem().why).toBe(`.ai/config/resilience.yaml:${why}`);
    else expect(problem().why).toMatch(why);
  });

  test("what the user widened, a project may use", () => {
    mine("limits: { defaults: { turns: 90 } }\nrecover: auto\nloop: { ask_after: 0 }\n");
    project(
      "resilience.yaml",
      "limits: { defaults: { turns: 80 } }\nrecover: auto\nloop: { ask_after: 7 }\n",
    );
    const { limits, recover, loop } = readSettings(root, places());
    expect([limits.defaults.turns, recover, loop.ask_after]).toEqual([80, "auto", 7]);
  });

  test("settings.json is no way around", () => {
    writeFileSync(join(root, ".ai/settings.json"), '{"limits": {"defaults": {"turns": 26}}}');
    project("resilience.yaml", "limits: { defaults: { turns: 1 } }");
    expect(problem().why).toContain(".ai/settings.json:1:35: limits.defaults.turns");
  });
});

test("a policy of the project takes the place of the user's, whole", () => {
  writeFileSync(join(user, "resilience.yaml"), "limits: { escalation: { step: { turns: 5 } } }\n");
  project("resilience.yaml", "limits: { escalation: { step: { turns: 4, depth: 1 } } }\n");
  expect(readSettings(root, places()).limits.escalation).toEqual({ step: { turns: 4, depth: 1 } });
});

test("a provider's own retries stand over the user's and under the project's", () => {
  writeFileSync(join(user, "resilience.yaml"), "retry: { max_retries: 7, base_delay_ms: 7, quota_ms: 7 }\n");
  project("resilience.yaml", "retry: { max_retries: 1 }\n");
  const { retryFor, settings } = readSettingsWithOrigins(root, places());
  expect(retryFor(undefined)).toEqual(settings.retry);
  expect(retryFor({ max_retries: 4, base_delay_ms: 4, enabled: undefined })).toEqual({
    ...settings.retry,
    ...{ max_retries: 1, base_delay_ms: 4, quota_ms: 7 },
  });
});

test("who only looks gets what validates, and hears what does not", () => {
  writeFileSync(join(user, "resilience.yaml"), "retry: { max_retries: 7 }\n");
  project("resilience.yaml", "retyr: 1\n");
  project("coordination.yaml", "concurrency: 1\n");
  const { settings, wrong } = lookAtSettings(root, places());
  expect(settings.retry.max_retries).toBe(7);
  expect(wrong.map(({ file }) => file)).toEqual([
    ".ai/config/resilience.yaml",
    ".ai/config/coordination.yaml",
  ]);
});
