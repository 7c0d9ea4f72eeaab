// Settings as they are looked at, changed and checked, as a process.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place } from "./cli.ts";

const PROJECT = ".ai/config/resilience.yaml";
const USER = "../.config/selvage/resilience.yaml";

let place: Place;
beforeEach(async () => {
  place = new Place();
  await place.ok("init");
});
afterEach(() => place.remove());

const said = (path = PROJECT) => readFileSync(join(place.root, path), "utf8");
interface Value {
  key: string;
  value: unknown;
  origin: { layer: string };
}

describe("show", () => {
  test("all settings, with the origin of each, or only those that differ", async () => {
    place.write({ [USER]: "retry: { max_retries: 4 }\n", [PROJECT]: "# mine\n\nretry:\n  max_retries: 5\n" });
    const text = await place.ok("config", "show");
    expect(text).toContain("\nretry.max_retries = 5\n");
    expect(text).toContain("\nlimits.defaults.spend = 1.00\n");
    const user = join(place.folder, ".config/selvage/resilience.yaml");
    const origins = await place.ok("config", "show", "--origin");
    expect(origins).toMatch(
      new RegExp(
        `retry.max_retries = 3 +built in · overridden by ${user}:1 → 4 · overridden by ${PROJECT}:4 → 5\n`,
      ),
    );
    expect(origins).toMatch(/retry.enabled = true +built in\n/);
    expect(await place.ok("config", "show", "--diff")).toBe("retry.max_retries = 5\n");
    const { data, kind } = await place.json("config", "show", "--diff");
    expect(kind).toBe("config");
    expect(data.values).toEqual([
      {
        key: "retry.max_retries",
        provider: null,
        value: 5,
        origin: { layer: "project", file: PROJECT, line: 4, value: 5 },
        overrides: [
          { layer: "user", file: user, line: 1, value: 4 },
          { layer: "built-in", file: null, line: null, value: 3 },
        ],
      },
    ]);
    expect(await place.ok("--plain", "config", "show", "--diff")).toBe(
      `retry.max_retries\t-\t5\tproject\t${PROJECT}\t4\n`,
    );
  });

  test("nothing of what does not validate, and it says so", async () => {
    place.write({
      [PROJECT]: "retry:\n  max_retrys: 5\n",
      ".ai/settings.json": '{"tool": {"timeoutSeconds": 9}}',
    });
    const ended = await place.run(["config", "show", "--diff"]);
    expect(ended).toMatchObject({ code: 0, stdout: "tool.timeout_seconds = 9\n" });
    expect(ended.stderr).toContain(`${PROJECT}:2:3: unknown key "max_retrys"; did you mean "max_retries"?`);
    const { warnings } = await place.json("config", "get", "retry.max_retries");
    expect(warnings).toHaveLength(1);
  });

  test("nothing of a project that is not trusted, and outside of any only the user's", async () => {
    const other = new Place({ [PROJECT]: "retry: { max_retries: 5 }\n" });
    const ended = await other.run(["config", "show", "--diff"]);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("not trusted");
    other.remove();
    const nowhere = new Place({ [USER]: "retry: { max_retries: 6 }\n" });
    expect(await nowhere.ok("config", "get", "retry.max_retries")).toBe("6\n");
    expect((await nowhere.json("-C", nowhere.root, "config", "show")).exit).toBe(5);
    nowhere.remove();
  });
});

test("get: one value, or those that are close", async () => {
  expect(await place.ok("config", "get", "limits.defaults.spend")).toBe("1.00\n");
  expect(await place.ok("config", "get", "model.fallback")).toBe("[]\n");
  expect((await place.json("config", "get", "recover")).data).toMatchObject({ key: "recover", value: "ask" });
  expect(await place.json("config", "get", "retry.max_retires")).toMatchObject({
    exit: 5,
    error: { code: "E_SETTING_UNKNOWN", why: expect.stringContaining("retry.max_retries") },
  });
});

test.each([
  ["retry.maxRetries", "retry.max_retries"],
  ["retry.policies.exponential.base", "retry.base_delay_ms"],
  ["retry.policies.exponential.maxDelay", "retry.max_delay_ms"],
])("get: %s, as files may call it, is %s", async (other, own) => {
  const { stdout, stderr } = await place.run(["config", "get", other]);
  expect(stdout).toBe(await place.ok("config", "get", own));
  expect(stderr).toContain(`${other} is another name of ${own}.`);
});

describe("set", () => {
  test("writes between the comments, and the project stays trusted", async () => {
    const before = said();
    expect(await place.ok("config", "set", "retry.max_retries", "5")).toBe(
      `retry.max_retries: 3 → 5   ${PROJECT}\n`,
    );
    const added = said()
      .split("\n")
      .filter((line) => !before.split("\n").includes(line));
    expect(added).toEqual(["  max_retries: 5"]);
    expect(said().split("\n")).toHaveLength(before.split("\n").length + 1);
    expect((await place.json("run", "hello")).exit).toBe(0);
    const values: Value[] = (await place.json("config", "show", "--diff")).data.values;
    expect(values.map(({ key, value }) => [key, value])).toEqual([["retry.max_retries", 5]]);
  });

  test("each setting of the example can be set where it stands", async () => {
    await place.ok("config", "set", "limits.defaults.turns", "7");
    await place.ok("config", "set", "limits.escalation", "{ ceiling: { turns: 20 } }");
    await place.ok("config", "set", "durability", "relaxed");
    expect(said()).toMatch(/\nlimits:\n(?: {2}#.*\n)* {2}defaults:\n {4}turns: 7\n {4}# Turns/);
    expect((await place.json("config", "check")).exit).toBe(0);
    expect(await place.ok("config", "get", "limits.escalation")).toBe('{"ceiling":{"turns":20}}\n');
  });

  test("what is the user's goes to the user, and says what holds here", async () => {
    await place.ok("config", "set", "retry.max_retries", "5");
    const ended = await place.run(["config", "set", "retry.max_retries", "9", "--user"]);
    expect(ended.code).toBe(0);
    expect(said(USER)).toBe("retry:\n  max_retries: 9\n");
    expect(ended.stderr).toMatch(new RegExp(`Here 5 holds all the same: ${PROJECT}:\\d+ says so.`));
    await place.ok("config", "set", "limits.defaults.turns", "99", "--user");
    expect(await place.ok("config", "get", "limits.defaults.turns")).toBe("99\n");
  });

  test.each([
    [["limits.defaults.spend", "5.00"], 7, "E_CONFIG_INVALID", "a project may lower this, not raise it"],
    [["retry.max_retries", "lots"], 7, "E_CONFIG_INVALID", 'expected a number, not "lots"'],
    [["retry.max_retrys", "1"], 5, "E_SETTING_UNKNOWN", "retry.max_retries"],
  ])("%j is refused, and nothing is written", async (args, exit, code, why) => {
    const before = said();
    const refused = await place.json("config", "set", ...args);
    expect(refused).toMatchObject({ exit, error: { code } });
    expect(refused.error?.why).toContain(why);
    expect(said()).toBe(before);
  });

  test("not by a tool, and not into a project that is not trusted", async () => {
    const before = said();
    const agent = await place.run(["config", "set", "retry.max_retries", "1", "--json"], {
      SELVAGE_THREAD: "a-1",
    });
    expect(JSON.parse(agent.stdout)).toMatchObject({ exit: 9, error: { code: "E_AGENT" } });
    const other = new Place({ [PROJECT]: "# theirs\n" });
    expect(await other.json("config", "set", "retry.max_retries", "1")).toMatchObject({
      exit: 9,
      error: { code: "E_UNTRUSTED" },
    });
    expect(readFileSync(join(other.root, PROJECT), "utf8")).toBe("# theirs\n");
    expect(existsSync(join(other.root, ".ai/threads"))).toBe(false);
    other.remove();
    expect(said()).toBe(before);
  });
});

describe("check", () => {
  test("every file, and exit 7", async () => {
    expect(await place.json("config", "check")).toMatchObject({
      exit: 0,
      kind: "config.check",
      data: { files: [], checked: [PROJECT] },
    });
    place.write({
      [PROJECT]: "retyr: 1\nrecover: auto\n",
      ".ai/config/providers.yaml": "local: { protocol: openai }\n",
      ".ai/config/hooks.yaml": "hooks: 1\n",
      ".ai/config/hoks.yaml": "",
    });
    const { data, exit, warnings } = await place.json("config", "check");
    expect(exit).toBe(7);
    expect(data.files.map(({ file }: { file: string }) => file)).toEqual([
      PROJECT,
      ".ai/config/providers.yaml",
      ".ai/config/hooks.yaml",
    ]);
    expect(warnings).toEqual([".ai/config/hoks.yaml: nothing reads this file; did you mean hooks.yaml?"]);
    const { stdout, stderr } = await place.run(["config", "check"]);
    expect(stdout).toContain(
      `${PROJECT}:1:1: ✗ unknown key "retyr"; did you mean "retry"?\n    fix  write retry\n`,
    );
    expect(stderr).toContain("3 files · 3 errors");
  });

  test("of a project that is not trusted: looked at, not honoured, nothing made", async () => {
    const other = new Place({ [PROJECT]: "retyr: 1\n" });
    const ended = await other.run(["config", "check"]);
    expect(ended.code).toBe(7);
    expect(ended.stderr).toContain("not trusted");
    expect(existsSync(join(other.root, ".ai/threads"))).toBe(false);
    other.remove();
  });
});

test.each([
  [["config"], "There are: show, get, set, check."],
  [["config", "chek"], "Did you mean check"],
  [["config", "get"], "Nothing was done."],
])("selvage %j is a usage error with a way on", async (args, why) => {
  const { exit, error } = await place.json(...args);
  expect({ exit, code: error?.code }).toEqual({ exit: 2, code: "E_USAGE" });
  expect(error?.why).toContain(why);
});
