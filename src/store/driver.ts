/** The SQLite driver behind our own small port, so that `node:sqlite` can replace it when the floor moves. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type * as Sqlite from "@photostructure/sqlite";
import { Problem } from "../core/problem.ts";
import { sqliteLibrary } from "./sqlite-library.ts";

export type Value = string | number | null;
/** Bytes come where they are asked for. */
export type Row = Record<string, Value | Uint8Array>;

export interface Statement {
  run(...values: Value[]): { changes: number; lastInsertRowid: number };
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

export interface Driver {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Opens a connection. A test may wrap this to make the disk fail. */
export type OpenDriver = (path: string) => Driver;

/** A native library: loaded with the first store, since not every command opens one. */
function database(...args: ConstructorParameters<typeof Sqlite.DatabaseSync>): Sqlite.DatabaseSyncInstance {
  const { DatabaseSync } = sqliteLibrary();
  return new DatabaseSync(...args);
}

export const openDriver: OpenDriver = (path) => driverOf(database(path));

/** Leaves no trace beside the file, unless others have it open: then it is read beside them, with their log. */
export const openReadOnly: OpenDriver = (path) => {
  const isShared = existsSync(`${path}-wal`) || existsSync(`${path}-shm`);
  return isShared ? openBesideOthers(path) : openAlone(path);
};

/** Reads the file as if nobody could write it: no lock, no files beside it. */
function openAlone(path: string): Driver {
  const address = pathToFileURL(path);
  address.search = "immutable=1";
  return driverOf(database(address, { readOnly: true }));
}

export const openBesideOthers: OpenDriver = (path) => driverOf(database(path, { readOnly: true }));

function driverOf(database: Sqlite.DatabaseSyncInstance): Driver {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wrap(database.prepare(sql)),
    close: () => database.close(),
  };
}

function wrap(statement: ReturnType<Sqlite.DatabaseSyncInstance["prepare"]>): Statement {
  return {
    run: (...values) => {
      const done = statement.run(...values);
      return { changes: Number(done.changes), lastInsertRowid: Number(done.lastInsertRowid) };
    },
    get: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
  };
}

/** SQLite 3.7.0 to 3.51.2 can damage a WAL database that several connections write; some older lines were patched. */
export function isSafeLibrary(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== 3) return major > 3;
  if (minor > 51) return true;
  const patched: Record<number, number> = { 51: 3, 50: 7, 44: 6 };
  const floor = patched[minor];
  return floor !== undefined && patch >= floor;
}

export function requireSafeLibrary(version: string): void {
  if (isSafeLibrary(version)) return;
  throw new Problem("E_SQLITE_UNSAFE", {
    what: `SQLite ${version} can damage the store and was not used.`,
    why: "A bug fixed in 3.51.3 loses data when several processes write and checkpoint at once.",
    next: [{ cmd: "npm install", why: "brings the library this version was tested with" }],
  });
}
