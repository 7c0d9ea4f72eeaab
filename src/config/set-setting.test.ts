import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { setSetting } from "./set-setting.ts";
import { readSettings } from "./settings.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-set-"));
  mkdirSync(join(root, ".ai"));
});
afterEach(() => rmSync(root, { recursive: true }));

const places = () => ({ userFolder: join(root, "user"), systemFolder: join(root, "system") });
const file = () => join(root, ".ai/config/resilience.yaml");
const text = () => readFileSync(file(), "utf8");
const set = (key: string, value: string, layer: "user" | "project" = "project") =>
  setSetting(root, { key, text: value, layer }, places());

function write(said: string): void {
  mkdirSync(join(root, ".ai/config"), { recursive: true });
  writeFileSync(file(), said);
}

function problemOf(act: () => unknown): Problem {
  try {
    act();
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("nothing was refused");
}

test("a file that is missing is made, in the layer that was named", () => {
  expect(set("retry.max_retries", "5")).toEqual({
    key: "retry.max_retries",
    file: ".ai/config/resilience.yaml",
    before: 3,
    after: 5,
    wrong: [],
  });
  expect(text()).toBe("retry:\n  max_retries: 5\n");
  expect(set("concurrency.max_parallel_calls", "2").file).toBe(".ai/config/coordination.yaml");
  expect(set("limits.defaults.turns", "90", "user")).toMatchObject({
    file: join(root, "user/resilience.yaml"),
    after: 90,
  });
});

test.each([
  ["limits.defaults.spend", "0.50", "0.50"],
  ["limits.defaults.spend", '"0.5"', "0.5"],
  ["limits.escalation", '{ ceiling: { spend: "2.00" } }', { ceiling: { spend: "2.00" } }],
  ["model.fallback", "[a/b, c/d]", ["a/b", "c/d"]],
  ["retry.enabled", "false", false],
  ["durability", "relaxed", "relaxed"],
])("%s takes %s", (key, value, after) => {
  expect(set(key, value).after).toEqual(after);
  expect(set(key, value).before).toEqual(after);
});

test("another name of the same setting makes room", () => {
  write("retry:\n  policies: { exponential: { base: 1 } } # seconds\n  enabled: true\n");
  expect(set("retry.base_delay_ms", "70")).toMatchObject({ before: 1000, after: 70 });
  expect(text()).toBe("retry:\n  enabled: true\n  base_delay_ms: 70\n");
});

test("rights of the file and the file behind a link stay", () => {
  writeFileSync(join(root, "elsewhere.yaml"), "# mine\n");
  chmodSync(join(root, "elsewhere.yaml"), 0o640);
  mkdirSync(join(root, ".ai/config"));
  symlinkSync("../../elsewhere.yaml", file());
  set("retry.max_retries", "5");
  expect(readFileSync(join(root, "elsewhere.yaml"), "utf8")).toBe("# mine\n\nretry:\n  max_retries: 5\n");
  expect(statSync(file()).mode & 0o777).toBe(0o640);
});

test("a link that leaves the project is not written through", () => {
  const outside = mkdtempSync(join(tmpdir(), "selvage-outside-"));
  mkdirSync(join(root, ".ai/config"));
  writeFileSync(join(outside, "a.yaml"), "# theirs\n");
  symlinkSync(join(outside, "a.yaml"), file());
  expect(problemOf(() => set("retry.max_retries", "5")).why).toContain("leaves the project");
  expect(readFileSync(join(outside, "a.yaml"), "utf8")).toBe("# theirs\n");
  rmSync(outside, { recursive: true });
});

test.each([
  ["retry.max_retries", "lots", 'retry.max_retries: expected a number, not "lots"'],
  ["retry.max_retries", "-1", "retry.max_retries: expected at least 0, not -1"],
  ["limits.defaults.turns", "26", /a project may lower this, not raise it: built in is 25/],
  ["recover", "auto", /a project may only set this to ask/],
  ["durability", "", /durability: expected strict or relaxed, not ""/],
  ["durability", "a: [", /durability: expected strict or relaxed/],
])("%s = %s is refused, and nothing is written", (key, value, why) => {
  write("# as it was\n");
  const problem = problemOf(() => set(key, value));
  expect(problem.code).toBe("E_CONFIG_INVALID");
  if (typeof why === "string") expect(problem.why).toBe(why);
  else expect(problem.why).toMatch(why);
  expect(text()).toBe("# as it was\n");
});

test("a file with another fault is not written, and one whose fault is mended is", () => {
  write("retyr: 1\n");
  expect(problemOf(() => set("retry.max_retries", "5")).why).toContain('unknown key "retyr"');
  write("retry:\n  max_retries: lots\n");
  expect(set("retry.max_retries", "5")).toMatchObject({ before: 3, after: 5 });
  write("retry: [\n");
  expect(problemOf(() => set("retry.max_retries", "5")).why).toContain("resilience.yaml:2:1");
  write(`retry: ${"[".repeat(50_000)}`);
  expect(problemOf(() => set("retry.max_retries", "5")).why).toContain("nested deeper");
});

test("what no longer validates because of it is told", () => {
  set("limits.defaults.turns", "20");
  const { wrong, after } = set("limits.defaults.turns", "10", "user");
  expect(wrong.map((found) => found.file)).toEqual([".ai/config/resilience.yaml"]);
  expect(after).toBe(10);
  expect(() => readSettings(root, places())).toThrow(Problem);
});

test("a setting that does not exist, with those that do", () => {
  expect(problemOf(() => set("retry.max_retry", "1"))).toMatchObject({
    code: "E_SETTING_UNKNOWN",
    why: "Close to it: retry.max_retries, retry.max_delay_ms.",
  });
  expect(problemOf(() => set("max_retries", "1")).why).toBe("Close to it: retry.max_retries.");
  expect(problemOf(() => set("approvals", "1")).why).toContain("approvals.on_timeout");
  expect(problemOf(() => set("zzz", "1")).why).toBe("No setting is close to it.");
});
