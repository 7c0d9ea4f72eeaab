import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readHooks } from "./hooks.ts";
import { trustedFiles } from "./trusted-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-hooks-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const project = () => join(folder, "project");
const FILES = { system: "etc/hooks.yaml", user: "home/hooks.yaml", project: "project/.ai/config/hooks.yaml" };

function put(layer: keyof typeof FILES, text: string): void {
  const path = join(folder, FILES[layer]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const read = (trust: "trusted" | "untrusted" = "trusted") =>
  readHooks(trust === "trusted" ? project() : undefined, {
    systemFolder: join(folder, "etc"),
    userFolder: join(folder, "home"),
  });

test("all layers' hooks are read, also those with one id; an untrusted project's are not", async () => {
  put("system", "hooks:\n  - { id: a, event: limit, command: one }\n");
  put("user", "hooks: [{ id: a, event: limit, command: two }]\n");
  put("project", "# ours\nhooks:\n  - id: a\n    event: limit\n    command: three\n");
  expect((await read()).map(({ id, layer, where, run }) => [id, layer, where, run])).toEqual([
    ["a", "system", join(folder, "etc/hooks.yaml:2"), { command: "one" }],
    ["a", "user", join(folder, "home/hooks.yaml:1"), { command: "two" }],
    ["a", "project", ".ai/config/hooks.yaml:3", { command: "three" }],
  ]);
  expect((await read("untrusted")).map(({ layer }) => layer)).toEqual(["system", "user"]);
});

test("everything a hook can say", async () => {
  put(
    "project",
    `hooks:
  - id: dear
    event: limit
    when: spend_exceeded
    command: ./ask.sh
    inputs: { used: "{cost.spend} of {max}", loud: true, level: 3 }
    timeout_seconds: 2.5
  - { id: late, event: error, when: { path: attempt, op: ">=", value: 2 }, command: ls }
  - { id: guard, event: before_tool, directive: ops/guard }
`,
  );
  expect(await read()).toEqual([
    {
      ...{ id: "dear", event: "limit", layer: "project", where: ".ai/config/hooks.yaml:2" },
      when: { source: "spend_exceeded", test: expect.any(Function) },
      run: { command: "./ask.sh" },
      inputs: { used: "{cost.spend} of {max}", loud: true, level: 3 },
      timeoutSeconds: 2.5,
    },
    {
      ...{ id: "late", event: "error", layer: "project", where: ".ai/config/hooks.yaml:8" },
      when: { source: "attempt >= 2", test: expect.any(Function) },
      ...{ run: { command: "ls" }, inputs: {}, timeoutSeconds: 30 },
    },
    {
      ...{ id: "guard", event: "before_tool", layer: "project", where: ".ai/config/hooks.yaml:9" },
      ...{ run: { directive: "ops/guard" }, inputs: {}, timeoutSeconds: 300 },
    },
  ]);
});

test.each([[""], ["# nothing yet\n"], ["hooks:\n"], ["hooks: []\n"]])("%j has no hooks", async (text) => {
  put("project", text);
  expect(await read()).toEqual([]);
});

test("without files there are none", async () => {
  expect(await read()).toEqual([]);
});

describe("what does not validate is refused, with its place", () => {
  const one = (fields: string) => `hooks:\n  - { id: a, ${fields} }\n`;
  test.each([
    [
      one("event: limits, command: ls"),
      '2:21: hooks\\[0\\].event: expected before_step or .* did you mean "limit"\\?',
    ],
    [one("event: limit, comand: ls"), '2:28: unknown key "comand"; did you mean "command"\\?'],
    [one("event: limit"), "2:5: hooks\\[0\\]: a hook needs a command or a directive, and not both"],
    [one("event: limit, command: ls, directive: ask"), "2:5: hooks\\[0\\]: a hook needs a command or a dir"],
    [one("event: limit, command: ''"), "2:37: hooks\\[0\\].command: expected at least 1 character"],
    [one("event: limit, directive: ../ask"), "2:39: hooks\\[0\\].directive: no name of a directive: "],
    [
      one("event: limit, when: cost.spnd > 2, command: ls"),
      '2:34: hooks\\[0\\].when: there is no "cost.spnd"; did you mean "cost.spend"\\?',
    ],
    [
      one("event: limit, when: { all: [true_, { path: trun, op: ==, value: 1 }] }, command: ls"),
      '2:42: hooks\\[0\\].when: there is no code "true_"',
    ],
    [one("event: limit, when: [1], command: ls"), "2:34: hooks\\[0\\].when: expected a condition"],
    [
      one('event: limit, command: ls, inputs: { x: "{cost.spnd}" }'),
      '2:54: hooks\\[0\\].inputs: there is no "cost.spnd"',
    ],
    [
      one("event: limit, command: ls, timeout_seconds: 0"),
      "2:58: hooks\\[0\\].timeout_seconds: expected more than 0",
    ],
    [one("event: limit, command: ls, timeout_seconds: 601"), "2:58: .*expected at most 600"],
    [
      "hooks:\n  - { id: a, event: limit, command: x }\n  - { id: a, event: error, command: y }\n",
      '3:11: hooks\\[1\\].id: the id "a" stands twice',
    ],
    ["hooks: 3\n", "1:8: hooks: expected a list, not 3"],
    ["- 1\n", "1:1: expected a mapping"],
    ["hook: []\n", '1:1: unknown key "hook"; did you mean "hooks"\\?'],
    ["hooks: [\n", "2:1: "],
  ])("%j", async (text, why) => {
    put("project", text);
    await expect(read()).rejects.toMatchObject({
      code: "E_CONFIG_INVALID",
      message: "The hooks in .ai/config/hooks.yaml do not validate.",
      why: expect.stringMatching(new RegExp(`^\\.ai/config/hooks\\.yaml:${why}`)),
    });
  });

  test("everything at once", async () => {
    put(
      "user",
      "hooks:\n  - { id: a, event: limit, when: turn = 3 }\n  - { id: a, event: error, directive: x, when: turns > 1 }\n",
    );
    await expect(read("untrusted")).rejects.toMatchObject({
      why: [
        "2:5: hooks[0]: a hook needs a command or a directive, and not both",
        "2:34: hooks[0].when: one = does not compare: write ==",
        '3:11: hooks[1].id: the id "a" stands twice',
        '3:48: hooks[1].when: there is no "turns"; did you mean "cost.turns"?',
      ]
        .map((line) => `${join(folder, "home/hooks.yaml")}:${line}`)
        .join("\n"),
    });
  });
});

test("a yes to a project covers its hooks, by content", () => {
  put("project", "hooks: []\n");
  const before = trustedFiles(project());
  put("project", "hooks: [{ id: a, event: limit, command: ls }]\n");
  const now = trustedFiles(project());
  expect(Object.keys(now)).toEqual([".ai/config/hooks.yaml"]);
  expect(now).not.toEqual(before);
});
