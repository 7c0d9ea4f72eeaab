import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "./folder.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-test-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each(["a", "a/b/c", "a/../b/c", "a/b/"])("%s is made, and making it again is nothing", (path) => {
  makeFolder(join(root, path));
  makeFolder(join(root, path));
  expect(existsSync(join(root, path))).toBe(true);
});

test("a relative path, and one through a link", () => {
  symlinkSync(root, join(root, "link"));
  makeFolder(relative(process.cwd(), join(root, "link/x/y")));
  expect(existsSync(join(root, "x/y"))).toBe(true);
});

test("a file in the way is an error", () => {
  writeFileSync(join(root, "a"), "");
  expect(() => makeFolder(join(root, "a/b"))).toThrow(/ENOTDIR/);
});
