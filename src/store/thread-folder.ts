/** The folders of threads as a whole: how much they hold, that one was handed on, and that they go. */
import { lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { replaceFile } from "../disk/replace-file.ts";

/** Says up to which event a thread was exported for somebody. Lost with its folder, and then nobody knows of it. */
const MARK = "exported.json";

export function weighFolder(threadsFolder: string, threadId: string): number {
  const folder = join(threadsFolder, threadId);
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
  } catch {
    return 0; // there are no files, or not any more
  }
}

/** Removes the folder of a thread, and those above it that are empty then. Never through a link out of the store. */
export function forgetFolder(threadsFolder: string, threadId: string): void {
  const folder = join(threadsFolder, threadId);
  const home = realpathSync(threadsFolder);
  for (let at = dirname(folder); at !== threadsFolder; at = dirname(at)) {
    const real = realOf(at);
    if (real !== undefined && !real.startsWith(`${home}${sep}`)) return;
  }
  rmSync(folder, { recursive: true, force: true });
  for (let at = dirname(folder); at !== threadsFolder; at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return; // another thread has its folder there
    }
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it is not there
  }
}

export function markExported(threadsFolder: string, threadId: string, seq: number): void {
  replaceFile(join(threadsFolder, threadId, MARK), `${JSON.stringify({ seq })}\n`, {
    mode: 0o600,
    sync: false,
  });
}

/** The last event that was exported; 0 when none is known to have been. */
export function exportedSeq(threadsFolder: string, threadId: string): number {
  try {
    const { seq } = JSON.parse(readFileSync(join(threadsFolder, threadId, MARK), "utf8"));
    return Number.isSafeInteger(seq) ? seq : 0;
  } catch {
    return 0; // no mark, or none that says anything
  }
}
