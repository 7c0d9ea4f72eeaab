/** A look into a store before it is opened: nothing is changed. */
import { statSync } from "node:fs";
import { patiently } from "./connection.ts";
import { type Driver, openBesideOthers, openReadOnly } from "./driver.ts";
import { openProblem } from "./open-problem.ts";
import { MIGRATIONS, schemaVersion } from "./schema.ts";

/** The id of the store in this file; undefined when it has none yet. */
export function peekStoreId(path: string): string | undefined {
  return peek(path, (driver) => {
    const tables = driver.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'meta'").get();
    if (!tables?.["n"]) return undefined;
    const found = driver.prepare("SELECT value FROM meta WHERE key = 'store_id'").get();
    return found && String(found["value"]);
  });
}

/** To write less than this anew takes no time that anybody notices. */
const LARGE = 50_000_000;

/** Bytes that are written anew when this store is opened, if they are many: its layout is an older one. */
export function peekRewrite(path: string, large = LARGE): number | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < large) return undefined;
  return peek(path, schemaVersion) < MIGRATIONS.length ? size : undefined;
}

function peek<T>(path: string, look: (driver: Driver) => T): T {
  try {
    return lookInto(openReadOnly(path), look);
  } catch {
    // Somebody may have begun to write just now: then it is read once more, beside them.
  }
  try {
    return lookInto(openBesideOthers(path), look);
  } catch (error) {
    throw openProblem(error, path);
  }
}

function lookInto<T>(driver: Driver, look: (driver: Driver) => T): T {
  try {
    // Even the first look may meet the lock of who is making this store.
    return patiently(() => look(driver));
  } finally {
    driver.close();
  }
}
