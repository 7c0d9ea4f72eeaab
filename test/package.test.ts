// What a user of the package gets: every path the manifest names is built, and the command can be run.

import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";

const manifest = JSON.parse(read("package.json"));

test.each(paths([manifest.exports, manifest.bin]))("%s is built", (path) => {
  expect(statSync(at(path)).size).toBeGreaterThan(0);
});

test.each(paths(manifest.bin))("%s runs as a command", (path) => {
  expect(read(path)).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(statSync(at(path)).mode & 0o111).toBe(0o111);
});

test("versions are exact", () => {
  const ranges = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(ranges.filter((range) => !/^(npm:.+@)?\d+\.\d+\.\d+$/.test(String(range)))).toEqual([]);
});

test("the lockfile records no download address", () => {
  expect(read("package-lock.json")).not.toContain('"resolved"');
});

function paths(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? [...new Set(Object.values(value).flatMap(paths))] : [];
}

function read(path: string): string {
  return readFileSync(at(path), "utf8");
}

function at(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
