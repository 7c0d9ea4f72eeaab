import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { resolveInProject } from "./project-path.ts";

let home: string;
let root: string;

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "selvage-test-")));
  root = join(home, "Project");
  for (const folder of [
    root,
    join(root, "src"),
    join(root, ".ai/threads"),
    join(home, "outside"),
    join(home, "project"),
  ])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "src/file.ts"), "");
  symlinkSync("src/file.ts", join(root, "link-in"));
  symlinkSync("src", join(root, "folder-in"));
  symlinkSync("../outside", join(root, "folder-out"));
  symlinkSync("/etc/passwd", join(root, "file-out"));
  symlinkSync("../outside/new", join(root, "nowhere"));
  symlinkSync("circle", join(root, "circle"));
  symlinkSync(".ai/threads", join(root, "hidden"));
  symlinkSync("Project", join(home, "alias"));
});
afterAll(() => rmSync(home, { recursive: true }));

test.each([
  ["a.txt", "a.txt"],
  ["./src/./file.ts", "src/file.ts"],
  ["new/deep/a.txt", "new/deep/a.txt"],
  ["link-in", "src/file.ts"],
  ["folder-in/new.ts", "src/new.ts"],
  ["..a/b..", "..a/b.."],
  [".ai/directives/a.md", ".ai/directives/a.md"],
  [".ai/threads.md", ".ai/threads.md"],
])("%s is %s of the project", (asked, expected) => {
  expect(resolveInProject(root, asked)).toEqual({ path: join(root, expected) });
});

test("an absolute path inside is taken, also through a link to the project", () => {
  expect(resolveInProject(root, join(root, "a.txt"))).toEqual({ path: join(root, "a.txt") });
  expect(resolveInProject(root, join(home, "alias/a.txt"))).toEqual({ path: join(root, "a.txt") });
  expect(resolveInProject(join(home, "alias"), "a.txt")).toEqual({ path: join(root, "a.txt") });
});

test.each([
  ["", /empty/],
  [".", /own folder/],
  ["src/", /folder/],
  ["a\0b", /NUL/],
  ["../outside/a", /`\.\.`/],
  ["src/../a", /`\.\.`/],
  ["src\\..\\a", /`\.\.`/],
  ["/etc/passwd", /out of the project/],
  ["folder-out/a", /out of the project/],
  ["folder-out/new/a", /out of the project/],
  ["file-out", /out of the project/],
  ["nowhere", /leads nowhere/],
  ["nowhere/a", /leads nowhere/],
  ["circle", /circle/],
  ["src/file.ts/a", /not a folder/],
  [".ai/threads", /Selvage/],
  [".ai/threads/registry.db", /Selvage/],
  [".ai/threads/new/cancel.requested", /Selvage/],
  [".AI/Threads/registry.db", /Selvage/],
  ["hidden/registry.db", /Selvage/],
])("%j is refused", (asked, why) => {
  expect(resolveInProject(root, asked).complaint).toMatch(why);
});

test("a neighbour whose name differs only in case, or begins alike, is outside", () => {
  expect(resolveInProject(root, join(home, "project/a")).complaint).toMatch(/out of the project/);
  expect(resolveInProject(root, `${root}-other/a`).complaint).toMatch(/out of the project/);
});

test("the threads stay out of reach where their folder is itself a link", () => {
  const linked = join(home, "linked");
  mkdirSync(join(linked, "state/threads"), { recursive: true });
  symlinkSync("state", join(linked, ".ai"));
  expect(resolveInProject(linked, "state/threads/a").complaint).toMatch(/Selvage/);
  expect(resolveInProject(linked, ".ai/threads/a").complaint).toMatch(/Selvage/);
});

test("where the project is a home folder, the trust record stays out of reach", () => {
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  expect(resolveInProject(root, "state/selvage/trust.json").complaint).toMatch(/Selvage/);
  vi.unstubAllEnvs();
});
