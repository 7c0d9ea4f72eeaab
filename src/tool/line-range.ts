/** A range of lines out of a file of any size: what stands before it is passed over, what stands after is not read. */
import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 262_144;
const NEWLINE = 10;

export interface Range {
  /** Counted from 1. */
  readonly first: number;
  readonly most: number;
  readonly maxBytes: number;
}

export interface RangeRead {
  readonly bytes: Buffer;
  /** Lines that were passed, the range included; all lines of the file when the end was reached. */
  readonly passed: number;
  readonly reachedEnd: boolean;
}

export async function readRange(handle: FileHandle, range: Range, signal: AbortSignal): Promise<RangeRead> {
  const last = range.first + range.most - 1;
  const pieces: Buffer[] = [];
  let [kept, passed, position] = [0, 0, 0];
  for (let isOpenLine = false; ; ) {
    signal.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0)
      return { bytes: Buffer.concat(pieces), passed: passed + (isOpenLine ? 1 : 0), reachedEnd: true };
    if (passed === last || kept > range.maxBytes)
      return { bytes: Buffer.concat(pieces), passed, reachedEnd: false };
    const chunk = buffer.subarray(0, bytesRead);
    const from = endOfLines(chunk, range.first - 1 - passed);
    const to = endOfLines(chunk, last - passed);
    pieces.push(chunk.subarray(from.at, to.at));
    kept += to.at - from.at;
    passed += to.lines;
    position += to.at; // the next read, if it finds something, tells that there is more
    isOpenLine = chunk[to.at - 1] !== NEWLINE;
  }
}

/** Where the first `count` lines of the chunk end, and how many of them it has. */
function endOfLines(chunk: Buffer, count: number): { at: number; lines: number } {
  let [at, lines] = [0, 0];
  while (lines < count) {
    const next = chunk.indexOf(NEWLINE, at);
    if (next < 0) return { at: chunk.length, lines };
    at = next + 1;
    lines += 1;
  }
  return { at, lines };
}
