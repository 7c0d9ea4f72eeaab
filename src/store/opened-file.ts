/**
 * The file of the database as it was opened. A folder may be deleted, moved or replaced under a process that works in it:
 * what it writes from then on would be in no file that anybody can open, or be put where another store is by now.
 */
import { statSync } from "node:fs";
import { Problem } from "../core/problem.ts";

export interface OpenedFile {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Undefined: there is none. */
export function fileAt(path: string): OpenedFile | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Throws when what is at the path is not what was opened there. */
export function requireSameFile(path: string, opened: OpenedFile | undefined): void {
  const now = fileAt(path);
  if (now && now.ino === opened?.ino && now.dev === opened.dev) return;
  throw new Problem("E_STORE_GONE", {
    what: `The store ${path} is gone.`,
    why: now
      ? "Another file is in its place. Nothing more was written, neither into that one nor into the old one."
      : "Its folder was deleted or moved. Nothing more was written, and none was made in its place.",
    next: [{ cmd: "selvage recover", why: "in the folder where the project is now" }],
  });
}
