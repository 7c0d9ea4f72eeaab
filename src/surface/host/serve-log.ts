/** What a host says that nobody started in a terminal: a file beside the store, kept small. */
import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { threadsFolder } from "./address.ts";

const MOST_BYTES = 4_000_000;
const TAIL_BYTES = 4_096;
const STDOUT = 1;

export function logPath(root: string): string {
  return join(threadsFolder(root), "serve.log");
}

/** For whoever starts a host: what is written always goes to the end, also after the file was cut. */
export function openLog(root: string): number {
  const path = logPath(root);
  if (sizeOf(path) > MOST_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

/** For the host: when its output is that file and has grown too long, it begins anew; one older part is kept. */
export function capLog(root: string, most = MOST_BYTES): void {
  try {
    const path = logPath(root);
    const own = fstatSync(STDOUT);
    if (!own.isFile() || own.size <= most || own.ino !== statSync(path).ino) return;
    copyFileSync(path, `${path}.1`);
    ftruncateSync(STDOUT);
  } catch {
    // The next look tries again.
  }
}

/** The last lines, for who could not start a host. */
export function lastLines(root: string, count: number): string[] {
  try {
    const path = logPath(root);
    const size = sizeOf(path);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const file = openSync(path, "r");
    try {
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
    } finally {
      closeSync(file);
    }
    return bytes.toString("utf8").trimEnd().split("\n").slice(-count);
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
