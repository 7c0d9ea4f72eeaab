/** The same deaths on the real database: each world has its own connection to one file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { sweep } from "../../src/testing/index.ts";
import { stories } from "./stories.ts";

const folder = mkdtempSync(join(tmpdir(), "selvage-sweep-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const stores = () => {
  count += 1;
  const path = join(folder, `${count}`, "registry.db");
  return (needs: Parameters<typeof openSqliteStore>[0] | object) =>
    openSqliteStore({ ...(needs as Parameters<typeof openSqliteStore>[0]), path, durability: "strict" });
};

test.each(stories)("$name", async (story) => {
  // A tree has many writes; what is lost is the same as what was never tried, and that is swept in memory.
  const isHeavy = story.children !== undefined && process.env["SELVAGE_CAMPAIGN"] !== "1";
  const report = await sweep(story, { fates: isHeavy ? ["landed"] : ["landed", "lost"], stores });
  expect(report.broken).toEqual([]);
});
