import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultSettings } from "../core/settings.ts";
import { parseDirective } from "../directive/parse.ts";
import { parseScript } from "../provider/script-file.ts";
import { initProject } from "./init.ts";
import { findProject } from "./project.ts";
import { readSettings } from "./settings.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-init-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const FILES = [
  ".ai/directives/hello.md",
  ".ai/scripts/hello.yaml",
  ".ai/config/resilience.yaml",
  ".gitignore",
];
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("a new project has an example, and the second time there is nothing to do", () => {
  expect(initProject(root)).toEqual({ created: FILES, skipped: [] });
  expect(initProject(root)).toEqual({ created: [], skipped: FILES });
  expect(read(".gitignore")).toBe(".ai/threads/\n");
  expect(readdirSync(join(root, ".ai/directives"))).toEqual(["hello.md"]);
  expect(statSync(join(root, ".ai/directives/hello.md")).mode & 0o444 & ~process.umask()).not.toBe(0);
  expect(findProject(root).root).toContain("selvage-init-");
});

test("the example is valid", () => {
  initProject(root);
  const parsed = parseDirective("hello", "hello.md", read(".ai/directives/hello.md"));
  expect(parsed).toMatchObject({
    directive: {
      model: "scripted/hello",
      permissions: ["selvage.execute.tool.write", "selvage.execute.tool.bash"],
    },
  });
  const script = parseScript("hello.yaml", read(".ai/scripts/hello.yaml"));
  if ("complaints" in script) throw new Error(JSON.stringify(script.complaints));
  expect(script.steps.map(({ calls }) => calls?.[0])).toEqual([
    { tool: "write", input: { path: "hello.txt", content: "Hello from Selvage!\n" } },
    { tool: "bash", input: { command: "cat hello.txt" } },
    undefined,
  ]);
});

test("a folder that is not there yet is made", () => {
  initProject(join(root, "new/project"));
  expect(read("new/project/.gitignore")).toBe(".ai/threads/\n");
});

test("what a person wrote stays, unless forced", () => {
  mkdirSync(join(root, ".ai/directives"), { recursive: true });
  writeFileSync(join(root, ".ai/directives/hello.md"), "mine");
  expect(initProject(root).skipped).toEqual([".ai/directives/hello.md"]);
  expect(read(".ai/directives/hello.md")).toBe("mine");
  expect(initProject(root, { force: true }).created).toEqual(FILES.slice(0, 3));
  expect(read(".ai/directives/hello.md")).toContain("scripted/hello");
});

test.each([
  ["node_modules", "node_modules\n.ai/threads/\n"],
  ["node_modules\n", "node_modules\n.ai/threads/\n"],
  ["", ".ai/threads/\n"],
  [".ai/threads/", ".ai/threads/"],
  ["a\r\n/.ai/threads\r\n", "a\r\n/.ai/threads\r\n"],
  ["# .ai/threads/\n", "# .ai/threads/\n.ai/threads/\n"],
])("a .gitignore that reads %j", (before, after) => {
  writeFileSync(join(root, ".gitignore"), before);
  initProject(root);
  expect(read(".gitignore")).toBe(after);
});

test("the settings file shows every default and changes none", () => {
  initProject(root);
  expect(readSettings(root, { userFolder: join(root, "none"), systemFolder: join(root, "none") })).toEqual(
    defaultSettings,
  );
  const text = read(".ai/config/resilience.yaml");
  expect(text).toContain("\nretry:\n");
  expect(text).toContain("\n  # max_retries: 3\n");
  expect(text).toContain("\n  # escalation: double\n  defaults:\n    # ");
  expect(text).toContain('\n    # spend: "1.00"\n');
  expect(text).not.toContain("max_parallel_calls");
});

test("each of its lines works when its # is removed", () => {
  initProject(root);
  const path = join(root, ".ai/config/resilience.yaml");
  const live = read(".ai/config/resilience.yaml").replace(/^( *)# ([a-z_]+: \S+)$/gm, "$1$2");
  expect(live).toContain("\ndurability: strict\n");
  expect(live).toContain("\n  max_retries: 3\n");
  writeFileSync(path, live);
  expect(readSettings(root, { userFolder: join(root, "none"), systemFolder: join(root, "none") })).toEqual(
    defaultSettings,
  );
});

test("a project that cannot be written is a problem with words", () => {
  writeFileSync(join(root, ".ai"), "a file in the way");
  expect(() => initProject(root)).toThrow(expect.objectContaining({ code: "E_DISK" }));
});

test("the waves are a tree that is valid: every child has a script, a cap, and a right to be started", () => {
  const { created } = initProject(root, { template: "waves" });
  expect(created).toContain(".ai/directives/build_crud_app.md");
  const names = created.flatMap((path) => /^\.ai\/directives\/(.*)\.md$/.exec(path)?.[1] ?? []);
  expect(names).toHaveLength(6);
  for (const name of names) {
    expect(parseDirective(name, `${name}.md`, read(`.ai/directives/${name}.md`))).toHaveProperty("directive");
    expect(parseScript(`${name}.yaml`, read(`.ai/scripts/${name}.yaml`))).toHaveProperty("steps");
  }
  expect(readSettings(root)).toEqual(defaultSettings);
});
