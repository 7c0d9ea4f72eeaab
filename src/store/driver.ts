/** The SQLite driver behind our own small port, so that `node:sqlite` can replace it when the floor moves. */
import { DatabaseSync } from "@photostructure/sqlite";
import { StorageFailure } from "../core/failure.ts";
import { Problem } from "../core/problem.ts";

export type Value = string | number | null;
export type Row = Record<string, Value>;

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

export const openDriver: OpenDriver = (path) => {
  const database = new DatabaseSync(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wrap(database.prepare(sql)),
    close: () => database.close(),
  };
};

function wrap(statement: ReturnType<InstanceType<typeof DatabaseSync>["prepare"]>): Statement {
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

const STORAGE_CODES: Record<number, string> = {
  8: "EROFS",
  10: "EIO",
  11: "CORRUPT",
  13: "ENOSPC",
  14: "CANTOPEN",
  26: "NOTADB",
};
const BUSY = [5, 6];

function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Another process is writing: wait, nothing failed. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && BUSY.includes(code);
}

/** The failure of the disk behind an error of the driver or the file system, if that is what it is. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  if (error instanceof StorageFailure) return error;
  const code = primaryCode(error);
  const name = code === undefined ? fileSystemCode(error) : STORAGE_CODES[code];
  return name === undefined ? undefined : new StorageFailure(name, (error as Error).message, error);
}

function fileSystemCode(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}
