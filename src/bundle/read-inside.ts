/** Reading files of a project that anybody may have written: to the end or up to a limit, and the same bytes throughout. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openInside } from "./open-inside.ts";

const CHUNK = 1 << 20;

export type Unread = { readonly missing: true } | { readonly refused: string };
export type Hashed = { readonly sha256: string; readonly bytes: number };

/** However large it is, one piece is in memory at a time. `expected`: of another size it need not be read. */
export async function hashInside(root: string, path: string, expected?: number): Promise<Hashed | Unread> {
  const hash = createHash("sha256");
  const read = await eachChunk(
    root,
    path,
    (chunk) => hash.update(chunk),
    expected ?? Number.POSITIVE_INFINITY,
  );
  if (!("bytes" in read)) return read;
  if (expected !== undefined && read.bytes !== expected) return { ...read, sha256: "" };
  return { ...read, sha256: hash.digest("hex") };
}

export type TextRead = { readonly text: string; readonly mode: number };

/** Byte for byte: a text that is not UTF-8 would come back changed. */
export async function textInside(root: string, path: string, limit: number): Promise<TextRead | Unread> {
  const chunks: Buffer[] = [];
  const read = await eachChunk(root, path, (chunk) => chunks.push(Buffer.from(chunk)), limit);
  if (!("bytes" in read)) return read;
  if (read.bytes > limit) return { refused: `it is larger than ${limit} bytes` };
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(Buffer.concat(chunks)), mode: read.mode };
  } catch {
    return { refused: "it is not UTF-8 text" };
  }
}

/** Nothing is read of what is larger than `limit`: its size is told. */
async function eachChunk(
  root: string,
  path: string,
  take: (chunk: Buffer) => void,
  limit: number,
): Promise<{ readonly bytes: number; readonly mode: number } | Unread> {
  const opened = await openInside(root, path);
  if (!("file" in opened)) return opened;
  const { file, stat } = opened;
  try {
    if (stat.size <= limit && !(await readAll(file, stat, take)))
      return { refused: "it changed while it was read" };
    return { bytes: stat.size, mode: stat.mode & 0o7777 };
  } catch (cause) {
    return { refused: `it cannot be read (${(cause as NodeJS.ErrnoException).code})` };
  } finally {
    await file.close();
  }
}

/** False when it was written to meanwhile: what was read may be half of one state and half of another. */
async function readAll(file: FileHandle, before: Stats, take: (chunk: Buffer) => void): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, before.size + 1));
  let done = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    done += bytesRead;
    if (done > before.size) return false;
    take(buffer.subarray(0, bytesRead));
  }
  const after = await file.stat();
  return done === before.size && after.mtimeMs === before.mtimeMs && after.ctimeMs === before.ctimeMs;
}
