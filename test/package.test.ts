// What a user of the package gets: every path the manifest names is built, and the command can be run.

import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { installed } from "../bench/installed.ts";

const manifest = JSON.parse(read("package.json"));

test.each(paths([manifest.exports, manifest.bin]))("%s is built", (path) => {
  expect(statSync(at(path)).size).toBeGreaterThan(0);
});

test.each(paths(manifest.bin))("%s runs as a command", (path) => {
  expect(read(path)).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(statSync(at(path)).mode & 0o111).toBe(0o111);
});

test("what is installed is small, and nothing new is in it", () => {
  const { packages, bytes } = installed(fileURLToPath(at("")));
  expect(bytes).toBeLessThan(45_000_000);
  expect(packages.length).toBeLessThanOrEqual(19);
  expect(packages.filter((each) => each.bytes === 0)).toEqual([]);
  // Of which 29 are the binaries of the store, for every platform there is one for.
  const rest = packages.filter(({ name }) => name !== "@photostructure/sqlite");
  expect(rest.reduce((sum, each) => sum + each.bytes, 0)).toBeLessThan(16_000_000);
});

test("versions are exact", () => {
  const ranges = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(ranges.filter((range) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(String(range)))).toEqual(
    [],
  );
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
