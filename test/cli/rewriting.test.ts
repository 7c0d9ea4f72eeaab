// A store of an older layout is written anew when it is opened: where that takes a while, somebody is told.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openDriver } from "../../src/store/driver.ts";
import { peekRewrite } from "../../src/store/peek.ts";
import { MIGRATIONS, migrate } from "../../src/store/schema.ts";
import { Place, scripted } from "./cli.ts";

let place: Place;
afterEach(() => place.remove());

/** As the version before this one left it. */
function olderStore(bytes: number): string {
  place = new Place(scripted("hello", "- says: hello\n"));
  const path = join(place.root, ".ai/threads/registry.db");
  mkdirSync(dirname(path), { recursive: true });
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  const driver = openDriver(path);
  driver.exec("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL");
  migrate(driver, MIGRATIONS.slice(0, -1));
  driver.exec(`INSERT INTO blobs (sha256, content) VALUES ('x', hex(zeroblob(${bytes / 2})))`);
  driver.close();
  return path;
}

test("a large one: before it is done, and never again", async () => {
  olderStore(60_000_000);
  const first = await place.run(["trust", "--yes"]);
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/newer layout: 6\d MB are written anew, this once/);
  expect((await place.run(["ps"])).stderr).not.toMatch(/layout/);
});

test("who only looks at one that is not trusted is told why there is nothing to see, and what to do", async () => {
  olderStore(1_000);
  const { code, stderr } = await place.run(["ps"]);
  expect([code, stderr]).toEqual([6, expect.stringMatching(/older layout[\s\S]*selvage trust/)]);
  expect((await place.run(["trust", "--show"])).code).toBe(0);
  expect((await place.run(["trust", "--yes"])).code).toBe(0);
  expect((await place.run(["ps"])).code).toBe(0);
});

test("a small one, a new one and none are nothing to talk about", async () => {
  const path = olderStore(1_000);
  expect(peekRewrite(path)).toBeUndefined();
  expect(peekRewrite(path, 1_000)).toBeGreaterThan(1_000);
  expect((await place.run(["trust", "--yes"])).stderr).not.toMatch(/layout/);
  expect(peekRewrite(path, 1_000)).toBeUndefined();
  rmSync(path);
  expect(peekRewrite(path, 1)).toBeUndefined();
  expect(existsSync(path)).toBe(false);
});
