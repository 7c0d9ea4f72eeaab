import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Failure } from "../core/failure.ts";
import { Problem } from "../core/problem.ts";
import { builtInRules, classify, ruleFor } from "../core/rule.ts";
import { readErrorRules } from "./error-rules.ts";

const FILE = "error_classification.yaml";
let root: string;
let folders: { project: string; userFolder: string; systemFolder: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-rules-"));
  folders = {
    project: join(root, ".ai/config"),
    userFolder: join(root, "user"),
    systemFolder: join(root, "system"),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function write(layer: keyof typeof folders, text: string): void {
  writeFileSync(join(folders[layer], FILE), text);
}

const read = () => readErrorRules(root, folders);
const readUntrusted = () => readErrorRules(undefined, folders);

async function complaint(): Promise<string> {
  const refused: unknown = await read().catch((cause: unknown) => cause);
  if (!(refused instanceof Problem)) throw new Error("the rules were accepted");
  expect(refused.code).toBe("E_CONFIG_INVALID");
  return refused.why ?? "";
}

const http = (status: number | undefined, message = "", type?: string): Failure => ({
  kind: "http",
  message,
  ...(status === undefined ? {} : { status }),
  ...(type === undefined ? {} : { type }),
});

const rule = (fields: string) => `rules:\n  - { ${fields} }\n`;

test.each(["", "# nothing\n", "rules:\n", "rules: []\n"])("%j adds nothing", async (text) => {
  write("project", text);
  expect(await read()).toEqual(builtInRules);
});

test("without files, and without folders, the built-in rules stand", async () => {
  expect(await read()).toEqual(builtInRules);
  const nowhere = { userFolder: join(root, "none"), systemFolder: join(root, "none") };
  expect(await readErrorRules(undefined, nowhere)).toEqual(builtInRules);
});

test("the project is over the user over the machine, by id", async () => {
  write("systemFolder", rule("id: teapot, match: { status: 418 }, category: permanent"));
  write("userFolder", rule("id: teapot, match: { status: 418 }, category: quota"));
  expect(classify(http(418), await readUntrusted()).category).toBe("quota");
  write("project", rule("id: teapot, match: { status: [418, 419] }, category: transient, policy: fixed"));
  const rules = await read();
  expect(classify(http(419), rules)).toEqual({ category: "transient", rule: "teapot", policy: "fixed" });
  expect(ruleFor(http(418), rules)?.origin).toBe(`.ai/config/${FILE}:2`);
  expect(ruleFor(http(418), await readUntrusted())?.origin).toBe(`${join(folders.userFolder, FILE)}:2`);
});

test("a project that is not trusted is not read", async () => {
  write("project", "not: [valid");
  expect(await readUntrusted()).toEqual(builtInRules);
});

test("types, kinds and texts, without regard to case", async () => {
  write(
    "project",
    [
      "rules:",
      "  - { id: gateway, match: { type: [Upstream_Sad, other] }, category: transient }",
      "  - { id: odd, match: { kind: http, text: 'flux (capacitor|drive)' }, category: rate_limited }",
    ].join("\n"),
  );
  const rules = await read();
  expect(classify(http(400, "", "upstream_sad"), rules).rule).toBe("gateway");
  expect(classify(http(400, "the FLUX Drive is warm"), rules).rule).toBe("odd");
  expect(classify(http(400, "the flux valve"), rules).rule).toBe("unknown");
});

test("a file can call a 404 or an unknown model whatever it likes", async () => {
  write("userFolder", rule("id: flap, match: { type: model_not_found }, category: transient"));
  expect(classify(http(404, "", "model_not_found"), await read())).toMatchObject({
    category: "transient",
    rule: "flap",
  });
});

describe("keys and money are never tried again", () => {
  const RETRY = "and no file may have it tried again; remove this rule";
  test.each([
    [
      "id: a, match: { status: 401 }, category: transient",
      `2:48: what this matches is permanent by the rule "auth-status", ${RETRY}`,
    ],
    [
      "id: a, match: { status: [418, 403] }, category: rate_limited",
      `2:55: what this matches is permanent by the rule "auth-status", ${RETRY}`,
    ],
    [
      "id: a, match: { status: 402, text: x }, category: transient",
      `2:57: what this matches is quota by the rule "money-status", ${RETRY}`,
    ],
    [
      "id: a, match: { type: Authentication_Error }, category: transient",
      `2:63: what this matches is permanent by the rule "auth-type", ${RETRY}`,
    ],
    [
      "id: a, match: { type: [x, insufficient_quota] }, category: transient",
      `2:66: what this matches is quota by the rule "money-type", ${RETRY}`,
    ],
    [
      "id: auth-status, match: { status: 418 }, category: transient",
      `2:11: "auth-status" is a rule of Selvage's own that no file replaces; give it another id`,
    ],
  ])("%s", async (fields, why) => {
    write("project", rule(fields));
    expect(await complaint()).toBe(`.ai/config/${FILE}:${why}`);
  });

  test("nor by a pattern that matches everything", async () => {
    write(
      "project",
      "rules:\n  - { id: all, match: { text: '.*' }, category: transient }\n  - { id: bad, match: { status: 400 }, category: transient }\n",
    );
    const rules = await read();
    expect(classify(http(401, "bad key"), rules)).toMatchObject({ category: "permanent" });
    expect(classify(http(402, "pay"), rules)).toMatchObject({ category: "quota" });
    expect(classify(http(429, "", "insufficient_quota"), rules)).toMatchObject({ category: "quota" });
    expect(classify(http(400, "Your credit balance is too low"), rules)).toMatchObject({ category: "quota" });
    expect(classify(http(undefined, "invalid x-api-key"), rules)).toMatchObject({ category: "permanent" });
    expect(classify(http(400, "prompt is too long"), rules).category).toBe("context_overflow");
    expect(classify({ kind: "aborted", message: "stopped" }, rules).category).toBe("cancelled");
    expect(classify(http(418, "tea"), rules).rule).toBe("all");
  });
});

test.each([
  ["ruels: []", '1:1: unknown key "ruels"; did you mean "rules"?'],
  [
    rule("id: a, match: { staus: 418 }, category: transient"),
    '2:23: unknown key "staus"; did you mean "status"?',
  ],
  [rule("id: a, match: { status: 418 }"), "2:5: rules[0].category is missing"],
  [
    rule("id: a, match: { status: 418 }, category: transiant"),
    '2:48: rules[0].category: expected transient or rate_limited or quota or permanent or context_overflow, not "transiant"; did you mean "transient"?',
  ],
  [
    rule("id: a, match: { status: 418 }, category: cancelled"),
    '2:48: rules[0].category: expected transient or rate_limited or quota or permanent or context_overflow, not "cancelled"',
  ],
  [
    rule("id: a, match: { status: lots }, category: transient"),
    '2:31: rules[0].match.status: expected a status such as 503, or a list of them, not "lots"',
  ],
  [
    rule("id: a, match: { kind: aborted }, category: transient"),
    '2:29: rules[0].match.kind: expected http, connection, stream_cut, stalled, script, or a list of them, not "aborted"',
  ],
  [
    rule("id: a, match: {}, category: transient"),
    "2:21: this would match every failure; write a kind, status, type or text",
  ],
  [
    rule("id: a, match: { status: 418 }, category: permanent, policy: fixed"),
    "2:67: permanent failures are not tried again and have no policy; remove it",
  ],
  [
    `${rule("id: a, match: { status: 418 }, category: quota")}  - { id: a, match: { status: 419 }, category: quota }\n`,
    '3:11: the id "a" stands twice in this file; give it another id',
  ],
  [
    rule("id: a, match: { text: '(x' }, category: transient"),
    "2:29: this is no pattern: missing closing ): `(x`. The syntax is that of RE2: no look-around, no back-references",
  ],
  [
    rule("id: a, match: { text: '(?=x)' }, category: transient"),
    "2:29: this is no pattern: invalid or unsupported Perl syntax: `(?=`. The syntax is that of RE2: no look-around, no back-references",
  ],
  [
    rule(`id: a, match: { text: ${"x".repeat(1_001)} }, category: transient`),
    `2:29: rules[0].match.text: expected at most 1000 characters, not "${"x".repeat(38)}…`,
  ],
])("%j is refused with its place", async (text, why) => {
  write("project", text);
  expect(await complaint()).toBe(`.ai/config/${FILE}:${why}`);
});

test("a pattern made to hang answers at once", async () => {
  write("project", rule("id: bomb, match: { text: '(a+)+$' }, category: transient"));
  const rules = await read();
  const failure = http(400, `${"a".repeat(1_999)}!`);
  expect(classify(failure, rules).rule).toBe("unknown");
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    classify(failure, rules);
    return performance.now() - start;
  });
  // The best of five: a busy machine may hold up any one of them.
  expect(Math.min(...times)).toBeLessThan(10);
  expect(classify(http(400, "a".repeat(2_000)), rules).rule).toBe("bomb");
});
