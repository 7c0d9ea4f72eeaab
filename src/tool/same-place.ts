/**
 * Between looking at a path and opening it somebody may put a link in the place of one of its folders: a command that
 * runs at the same time, and that its sandbox keeps from where the link leads. So what was opened is asked where it is.
 * Linux only, where the walls are.
 */
import { closeSync, constants, existsSync, openSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const HANDLES = "/proc/self/fd";

/** Throws unless what is open as `file` is what stands at this real path. */
export function requirePlace(file: number, path: string): void {
  if (!knowsHandles()) return;
  if (readlinkSync(join(HANDLES, String(file))) !== path)
    throw new Error("a folder of the path was replaced by a link meanwhile");
}

/** Gives the folder by a name that stays with it, whatever happens to its path. */
export function inFolder<Result>(folder: string, work: (held: string) => Result): Result {
  if (!knowsHandles()) return work(folder);
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const file = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    requirePlace(file, folder);
    return work(join(HANDLES, String(file)));
  } finally {
    closeSync(file);
  }
}

function knowsHandles(): boolean {
  return process.platform === "linux" && existsSync(HANDLES);
}
