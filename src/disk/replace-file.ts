/**
 * Replaces a file as a whole: whoever reads it, even after a power cut, finds the old content or the new.
 * Every rename of the project over something that exists is this one (A1, A2, A13).
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "./folder.ts";

export interface ReplaceOptions {
  /** Exactly this, whatever the umask. Without it: as for any new file. */
  readonly mode?: number;
  /** False for what can be made again and so need not survive a power cut. */
  readonly sync?: boolean;
  /** Marks the temporary files of one piece of work, so that its repetition clears away what a crash left behind. */
  readonly tag?: string;
}

/** The folder must be there. What it throws comes from the file system; its words are the caller's business. */
export function replaceFile(path: string, text: string, options: ReplaceOptions = {}): void {
  // In the same folder, because a rename is atomic only within one file system; its length does not depend on
  // the file's name, which may be as long as a name can be.
  const folder = dirname(path);
  const prefix = prefixFor(options.tag);
  if (options.tag !== undefined) removeLeftovers(folder, prefix);
  const temporary = join(folder, `${prefix}${randomBytes(8).toString("hex")}.tmp`);
  const file = openNew(temporary, options.mode);
  try {
    fill(file, text, options);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true }); // ours: had it been there before, it would not have been opened
    throw cause;
  }
  if (options.sync !== false) syncFolder(folder); // the rename is data of the folder
}

function prefixFor(tag: string | undefined): string {
  return tag === undefined ? ".selvage-" : `.selvage-${tag.replace(/\W/g, "")}-`;
}

function removeLeftovers(folder: string, prefix: string): void {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  for (const name of names) rmSync(join(folder, name), { force: true });
}

/** Never through a link or a file that somebody put there. */
function openNew(path: string, mode = 0o666): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

function fill(file: number, text: string, { mode, sync }: ReplaceOptions): void {
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    if (mode !== undefined) fchmodSync(file, mode); // open() took the umask off, and a write the setuid bit
    if (sync !== false) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
