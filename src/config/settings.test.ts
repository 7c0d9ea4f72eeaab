import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { defaultSettings, Settings } from "../core/settings.ts";
import { readSettings, SETTINGS_FILES } from "./settings.ts";

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

function problem(): Problem {
  try {
    readSettings(root, user);
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("the settings were accepted");
}

test("without files everything is the default", () => {
  expect(readSettings(root, user)).toEqual(defaultSettings);
  expect(readSettings(undefined, join(root, "none"))).toEqual(defaultSettings);
});

test("the project is over the user, key by key", () => {
  writeFileSync(
    join(user, "resilience.yaml"),
    "durability: relaxed\nretry: { max_retries: 7, base_delay_ms: 10 }\n",
  );
  writeFileSync(join(user, "coordination.yaml"), "concurrency: { max_parallel_calls: 2 }\n");
  project("resilience.yaml", "retry:\n  max_retries: 1\ntool: { timeout_seconds: 5 }\n");
  const settings = readSettings(root, user);
  expect(settings.durability).toBe("relaxed");
  expect(settings.retry).toEqual({ ...defaultSettings.retry, max_retries: 1, base_delay_ms: 10 });
  expect(settings.tool).toEqual({ ...defaultSettings.tool, timeout_seconds: 5 });
  expect(settings.concurrency.max_parallel_calls).toBe(2);
});

test("an untrusted project's settings are not even read", () => {
  project("resilience.yaml", "not: [valid");
  expect(readSettings(undefined, user)).toEqual(defaultSettings);
});

test("empty files and headings say nothing", () => {
  project("resilience.yaml", "# retry:\nretry:\n  # max_retries: 9\n");
  project("coordination.yaml", "");
  expect(readSettings(root, user)).toEqual(defaultSettings);
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
