/** What a file system does not take is something to tell a person, not a fault of ours. */
import { type NextStep, Problem } from "./problem.ts";

/** What the codes of the system mean. None of them says what was to be written: whoever wrote adds that. */
const MEANING: Readonly<Record<string, string>> = {
  EACCES: "This user may not do that there",
  EDQUOT: "This user's share of the disk is used up",
  EEXIST: "Something else is in its place",
  EFBIG: "The file would be larger than files may be here",
  EIO: "The disk failed",
  EISDIR: "A folder is where a file should be",
  EMFILE: "Too many files are open",
  ENOSPC: "The disk is full",
  ENOTDIR: "A file is where a folder should be",
  EPERM: "This user may not do that there",
  EROFS: "The file system is read-only",
};
/** Only a disk says these. A write to an open file names no path, so that nothing else tells them from a fault of ours. */
const OF_DISKS = ["EDQUOT", "EFBIG", "ENOSPC", "EROFS"];
const OF_OPEN_FILES = ["fdatasync", "fsync", "ftruncate", "read", "write"];

export function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = "", path, syscall = "" } = error as Error & SystemFields;
  if (OF_DISKS.includes(code) || isHidden(code, syscall)) return true;
  if (code === "EIO" && OF_OPEN_FILES.includes(syscall)) return true;
  return path !== undefined && Object.hasOwn(MEANING, code);
}

interface SystemFields {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
}

/** Node makes folders with those above them, and where the disk refuses one it says only that this one is not there. */
function isHidden(code: string, syscall: string): boolean {
  return code === "ENOENT" && syscall === "mkdir";
}

/** Why, in words and as the system said it. */
export function diskWhy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = "", syscall = "" } = error as Error & SystemFields;
  const meaning = isHidden(code, syscall)
    ? "Its folder cannot be made: the disk is full or read-only, or a folder above it is gone"
    : MEANING[code];
  return meaning === undefined ? error.message : `${meaning} (${error.message}).`;
}

/** `next`: what is better than a look at the disk, which is always told. */
export function writing<T>(path: string, act: () => T, next?: readonly NextStep[]): T {
  try {
    return act();
  } catch (cause) {
    throw cause instanceof Problem ? cause : unwritable(path, cause, next);
  }
}

/** `cause`: what was thrown, or in words. */
export function unwritable(path: string, cause: unknown, next: readonly NextStep[] = []): Problem {
  return new Problem("E_DISK", {
    what: `${path} cannot be written.`,
    why: diskWhy(cause),
    next,
    ...(cause instanceof Error ? { cause } : {}),
  });
}
