import { createRequire } from "node:module";
import { afterEach, expect, test, vi } from "vitest";
import { sqliteLibrary } from "./sqlite-library.ts";

const load = createRequire(import.meta.url);
const packaged = () => load("@photostructure/sqlite") as { DatabaseSync: new (path: string) => object };
const binaries = () => Object.keys(load.cache).filter((path) => path.endsWith(".node"));

afterEach(() => vi.unstubAllEnvs());

test("the short way leads to the binary that the package finds", () => {
  const { DatabaseSync } = sqliteLibrary();
  const before = binaries();
  expect(new DatabaseSync(":memory:")).toBeInstanceOf(packaged().DatabaseSync);
  // None but the one that was there already.
  expect([binaries(), before.length]).toEqual([before, 1]);
});

test("it is the shorter one where we know the platform", () => {
  if (process.platform !== "linux") return;
  expect(sqliteLibrary().DatabaseSync).not.toBe(packaged().DatabaseSync);
});

test("where somebody says which binary is meant, the package decides", () => {
  vi.stubEnv("LIBC", "glibc");
  expect(sqliteLibrary().DatabaseSync).toBe(packaged().DatabaseSync);
});
