/** The same deaths on the real database: each world has its own connection to one file. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { sweep } from "../../src/testing/index.ts";
import { quickFolder } from "../quick-folder.ts";
import { needs as anyNeeds } from "../store/disk.ts";
import { stories } from "./stories.ts";

type Needs = Omit<Parameters<typeof openSqliteStore>[0], "path" | "durability">;

const folder = quickFolder("sweep");
const open = (path: string) => (needs: Needs) => openSqliteStore({ ...needs, path, durability: "strict" });

/** A store in which nothing has happened yet: the layout is made once, and no death falls into making it. */
const blank = join(folder, "blank", "registry.db");
await open(blank)(anyNeeds).close();
// As long as its statements are not collected the connection stays open and all of it is in the log.
openDriver(blank).exec("PRAGMA wal_checkpoint(TRUNCATE)");

/** Every life of a story has a store of its own; the one before it is over then, and its worlds are closed. */
function storesOf(story: number) {
  let life = 0;
  const place = () => join(folder, `${story}-${life}`);
  return () => {
    rmSync(place(), { recursive: true, force: true });
    life += 1;
    mkdirSync(place());
    copyFileSync(blank, join(place(), "registry.db"));
    return open(join(place(), "registry.db"));
  };
}

test.each(stories.map((story, at) => ({ name: story.name, story, at })))(
  "$name",
  async ({ story, at }) => {
    // A tree has many writes; what is lost is the same as what was never tried, and that is swept in memory.
    const isHeavy = story.children !== undefined && process.env["SELVAGE_CAMPAIGN"] !== "1";
    const fates = isHeavy ? (["landed"] as const) : (["landed", "lost"] as const);
    const report = await sweep(story, { fates, stores: storesOf(at) });
    expect(report.broken).toEqual([]);
  },
  180_000,
);
