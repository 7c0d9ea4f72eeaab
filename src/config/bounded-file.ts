/**
 * Files of a project that nobody vouches for yet: whatever they are, looking at them neither waits nor runs anything.
 *   B1. Only a file with bytes in it is opened: a pipe, a device or a socket is never.
 *   B2. No more is read than the limit, whatever size a file claims to have.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";

const CHUNK = 1 << 16;

export type Bytes =
  | { readonly bytes: Buffer; readonly mode: number }
  | { readonly too: "large" }
  /** Missing, not ours to read, or no file. */
  | { readonly none: string };

export function readBounded(path: string, limit: number): Bytes {
  try {
    // B1. Asked before it is opened, since opening a pipe waits, and again after, since it may be another by then.
    const before = kindOf(statSync(path));
    if (before !== "file") return { none: before };
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      return stat.isFile() ? readUpTo(file, limit, stat) : { none: kindOf(stat) };
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    return { none: (cause as NodeJS.ErrnoException).code ?? "unreadable" };
  }
}

/** B2. What claims to be empty is not read at all: files of the kernel do, and reading some of them waits. */
function readUpTo(file: number, limit: number, { size, mode }: Stats): Bytes {
  const chunks: Buffer[] = [];
  if (size === 0) return { bytes: Buffer.alloc(0), mode };
  for (let read = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSync(file, chunk, 0, CHUNK, null);
    if (count === 0) return { bytes: Buffer.concat(chunks), mode };
    read += count;
    if (read > limit) return { too: "large" };
    chunks.push(chunk.subarray(0, count));
  }
}

function kindOf(stat: Stats): string {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isFIFO()) return "pipe";
  return stat.isSocket() ? "socket" : "device";
}

/** Where a link points to; empty for everything else. */
export function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
