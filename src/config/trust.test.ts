import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { readTrust, trustProject } from "./trust.ts";

let folder: string;
let home: string;
let project: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-trust-")));
  home = join(folder, "state/selvage");
  project = join(folder, "project");
  mkdirSync(project);
});
afterEach(() => rmSync(folder, { recursive: true }));

const NOW = Date.parse("2026-01-02T03:04:05.000Z");
const isTrusted = (...given: Parameters<typeof readTrust>) => readTrust(...given).type === "trusted";
const record = () => JSON.parse(readFileSync(join(home, "trust.json"), "utf8"));

test("trust is for a path and a store together", () => {
  const other = join(folder, "other");
  mkdirSync(other);
  expect(isTrusted(project, "store-1", home)).toBe(false);
  trustProject(project, "store-1", NOW, home);
  expect(isTrusted(project, "store-1", home)).toBe(true);
  expect(isTrusted(project, "store-2", home)).toBe(false);
  expect(isTrusted(other, "store-1", home)).toBe(false);
});

test("a link to the project is the project", () => {
  symlinkSync(project, join(folder, "link"));
  trustProject(join(folder, "link"), "store-1", NOW, home);
  expect(isTrusted(project, "store-1", home)).toBe(true);
  expect(record()).toEqual({
    v: 1,
    projects: { [project]: { store_id: "store-1", trusted_at: "2026-01-02T03:04:05.000Z", files: {} } },
  });
});

test("looking leaves nothing behind", () => {
  isTrusted(project, "store-1", home);
  expect(readdirSync(folder)).toEqual(["project"]);
});

test("only the user can read it, and no half-written file stays", () => {
  trustProject(project, "store-1", NOW, home);
  trustProject(project, "store-2", NOW, home);
  expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(readdirSync(home)).toEqual(["trust.json"]);
});

test("other projects and fields of a later version survive", () => {
  mkdirSync(home, { recursive: true });
  const before = { v: 1, extra: 1, projects: { "/old": { store_id: "s", trusted_at: "t", hashes: ["h"] } } };
  writeFileSync(join(home, "trust.json"), JSON.stringify(before));
  trustProject(project, "store-1", NOW, home);
  expect(record()).toMatchObject(before);
  expect(isTrusted(project, "store-1", home)).toBe(true);
});

test.each([
  ["", "torn"],
  ["{", "torn"],
  ["[]", "not a record"],
  ['{"v":2,"projects":{}}', "newer"],
  ['{"v":1,"projects":{"/a":1}}', "wrong"],
])("a record that reads %j is named and left alone", (text) => {
  mkdirSync(home, { recursive: true });
  const path = join(home, "trust.json");
  writeFileSync(path, text);
  for (const act of [() => isTrusted(project, "s", home), () => trustProject(project, "s", NOW, home)]) {
    expect(act).toThrow(
      expect.objectContaining({ code: "E_CONFIG_INVALID", message: expect.stringContaining(path) }),
    );
  }
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a state home that cannot be written is a problem with words", () => {
  writeFileSync(join(folder, "state"), "a file in the way");
  expect(() => trustProject(project, "s", NOW, home)).toThrow(Problem);
});

test.each([
  [".ai/tools/deep/er.yaml", "command: [ls]", "command: [rm]", true],
  [".ai/config/resilience.yaml", "retry: {}", "retry: { enabled: false }", true],
  [".mcp.json", "{}", '{"mcpServers":{}}', true],
  [".ai/settings.json", "{}", '{"retry":{}}', true],
  [".ai/directives/a.md", "---\nmodel: x\n---\nOld.", "---\nmodel: y\n---\nOld.", true],
  [".ai/directives/a.md", "---\nmodel: x\n---\nOld.", "---\nmodel: x\n---\nNew prose.", false],
  [".ai/directives/b.md", "Hi\n```xml\n<directive a='1'/>\n```", "Hi\n```xml\n<directive a='2'/>\n```", true],
  [".ai/directives/b.md", "Hi\n```xml\n<directive/>\n```", "Hello\n```xml\n<directive/>\n```", false],
  [".ai/scripts/a.yaml", "- says: a", "- says: b", false],
  ["README.md", "a", "b", false],
])("%s: %j becomes %j: asks again: %s", (path, before, after, asks) => {
  const put = (text: string) => {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  put(before);
  trustProject(project, "store-1", NOW, home);
  expect(readTrust(project, "store-1", home)).toEqual({ type: "trusted" });
  put(after);
  const changed = { type: "changed", files: [path] };
  expect(readTrust(project, "store-1", home)).toEqual(asks ? changed : { type: "trusted" });
  put(before);
  expect(readTrust(project, "store-1", home)).toEqual({ type: "trusted" });
});

test("a file that came, went or became a link asks again", () => {
  mkdirSync(join(project, ".ai/tools"), { recursive: true });
  writeFileSync(join(project, ".ai/tools/a.yaml"), "x");
  trustProject(project, "store-1", NOW, home);
  writeFileSync(join(project, ".ai/tools/b.yaml"), "x");
  expect(readTrust(project, "store-1", home)).toEqual({ type: "changed", files: [".ai/tools/b.yaml"] });
  rmSync(join(project, ".ai/tools/b.yaml"));
  writeFileSync(join(folder, "outside.yaml"), "x");
  rmSync(join(project, ".ai/tools/a.yaml"));
  symlinkSync(join(folder, "outside.yaml"), join(project, ".ai/tools/a.yaml"));
  expect(readTrust(project, "store-1", home)).toEqual({ type: "changed", files: [".ai/tools/a.yaml"] });
});
