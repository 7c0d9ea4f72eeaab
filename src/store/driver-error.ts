/** What an error of the driver or the file system means. */
import { StorageFailure } from "../core/failure.ts";

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
