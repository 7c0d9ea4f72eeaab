// What the error classifier makes of a message, as a process.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Place } from "./cli.ts";

const RULES = `rules:
  - { id: teapot, match: { status: 418 }, category: transient, policy: fixed }
  - { id: warm, match: { text: "flux +drive" }, category: rate_limited }
`;
const HOOKS = `hooks:
  - id: my_backoff
    event: error
    when: error_category == 'rate_limited'
    command: "true"
`;

let place: Place;
beforeAll(async () => {
  place = new Place();
  await place.ok("init");
  place.write({ ".ai/config/error_classification.yaml": RULES, ".ai/config/hooks.yaml": HOOKS });
});
afterAll(() => place.remove());

test("the rule, the wait, what follows, and the hook that would come first", async () => {
  const text = await place.ok("classify", "429 Too Many Requests", "--header", "Retry-After-Ms=8500");
  expect(text).toBe(
    [
      "rate_limited   by: status-429 (built in)   wait: 8.5 s (header retry-after-ms)   then: retry 1/3",
      "a hook on \"error\" would run first: my_backoff (.ai/config/hooks.yaml:2, when error_category == 'rate_limited')",
      "",
    ].join("\n"),
  );
});

test.each([
  [["overloaded"], { category: "transient", rule: "overloaded-text", policy: "exponential" }],
  [
    ["busy", "--status", "503"],
    { rule: "status-transient", outcome: { action: "retry", attempt: 1, max: 3 } },
  ],
  [
    ["no", "--status", "429", "--type", "insufficient_quota"],
    { category: "quota", wait: { ms: 60_000, source: "setting retry.quota_ms" } },
  ],
  [["tea", "--status", "418"], { rule: "teapot", wait: { ms: 5_000, source: "setting retry.fixed_ms" } }],
  [["the Flux  Drive"], { rule: "warm", origin: ".ai/config/error_classification.yaml:3" }],
  [
    ["bad", "--status", "401"],
    { category: "permanent", wait: null, outcome: { action: "fail" }, hook: null },
  ],
  [["HTTP/1.1 402 pay"], { category: "quota", rule: "money-status" }],
  [["prompt is too long"], { category: "context_overflow", outcome: { action: "suspend" } }],
  [["something odd"], { category: "permanent", rule: "unknown", origin: "built in" }],
])("classify %j", async (args, expected) => {
  const { data, exit, kind } = await place.json("classify", ...args);
  expect({ exit, kind }).toEqual({ exit: 0, kind: "classification" });
  expect(data).toMatchObject(expected);
  expect(data.sentence).not.toBe("");
});

test("a long wait suspends until the reset", async () => {
  const { data } = await place.json("classify", "slow", "--status", "429", "--header", "retry-after=2592000");
  expect(data.wait).toEqual({ ms: 2_592_000_000, source: "header retry-after" });
  expect(data.outcome).toMatchObject({ action: "suspend", reason: "quota" });
  const days = (Date.parse(data.outcome.until) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(await place.ok("classify", "slow", "--status", "429", "--header", "retry-after=2592000")).toMatch(
    /wait: 30 d \(header retry-after\) {3}then: suspends quota until \d{4}-\d\d-\d\d \d\d:\d\d/,
  );
});

test("plain and quiet", async () => {
  expect(await place.ok("classify", "busy", "--status", "503", "--plain")).toBe(
    "transient\tstatus-transient\tbuilt in\t2000\tretry\n",
  );
  expect(await place.ok("classify", "busy", "--status", "503", "-q")).toBe("transient\n");
});

test.each([
  [["classify"], "Nothing was done."],
  [["classify", "x", "--status", "lots"], "Nothing was done."],
  [["classify", "x", "--status", "42"], "Nothing was done."],
  [["classify", "x", "--header", "nothing"], "name=value"],
  [["classify", "x", "--header", "=1"], "name=value"],
  [["classify", "x", "--staus", "4"], "--status"],
])("%j is a usage error", async (args, why) => {
  const { exit, error } = await place.json(...args);
  expect({ exit, code: error?.code }).toEqual({ exit: 2, code: "E_USAGE" });
  expect(error?.why).toContain(why);
});

describe("elsewhere", () => {
  test("outside a project the user's rules count; a file that does not validate is refused with its place", async () => {
    const outside = new Place();
    try {
      const folder = join(outside.folder, ".config/selvage");
      mkdirSync(folder, { recursive: true });
      const file = join(folder, "error_classification.yaml");
      writeFileSync(file, RULES);
      expect((await outside.json("classify", "x", "--status", "418")).data.origin).toBe(`${file}:2`);
      writeFileSync(file, RULES.replace("418", "401"));
      const { exit, error } = await outside.json("classify", "x");
      expect({ exit, code: error?.code }).toEqual({ exit: 7, code: "E_CONFIG_INVALID" });
      expect(error?.why).toContain(`${file}:2:`);
    } finally {
      outside.remove();
    }
  });

  test("the rules of a project that is not trusted are left out, and that is said", async () => {
    const stranger = new Place({ ".ai/config/error_classification.yaml": RULES });
    try {
      const { data, warnings } = await stranger.json("classify", "x", "--status", "418");
      expect(data.rule).toBe("unknown");
      expect(warnings).toEqual(["This project is not trusted: its rules, settings and hooks are left out"]);
    } finally {
      stranger.remove();
    }
  });

  test("a folder that was named and is no project is refused", async () => {
    const outside = new Place();
    try {
      expect((await outside.json("classify", "x", "-C", outside.folder)).error?.code).toBe("E_NO_PROJECT");
    } finally {
      outside.remove();
    }
  });
});
