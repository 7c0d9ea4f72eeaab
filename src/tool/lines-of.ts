/** The lines of a text file of any size, some at a time. A binary file has none. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { binaryKind, HEAD_BYTES } from "./file-kind.ts";
import { requirePlace } from "./same-place.ts";

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const CHUNK_BYTES = 262_144;
/** What has no line break for so long is taken for a line. */
const LONGEST_LINE = 1_048_576;

/** Not blocking, and never through a link: what was a file a moment ago may be a pipe by now. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<readonly Line[]> {
  const handle = await open(path, FLAGS);
  try {
    requirePlace(handle.fd, path);
    if (!(await handle.stat()).isFile()) return;
    const decoder = new StringDecoder("utf8");
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let [number, rest] = [0, ""];
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      const chunk = buffer.subarray(0, bytesRead);
      if (number === 0 && rest === "" && binaryKind(chunk.subarray(0, HEAD_BYTES))) return;
      const isEnd = bytesRead === 0;
      const texts = (rest + (isEnd ? decoder.end() : decoder.write(chunk))).split("\n");
      const last = texts.at(-1) ?? "";
      const isLine = last !== "" && (isEnd || last.length > LONGEST_LINE);
      if (!isLine) texts.pop();
      rest = isLine ? "" : last;
      yield texts.map((text, index) => ({ number: number + index + 1, text: text.replace(/\r$/, "") }));
      number += texts.length;
      if (isEnd) return;
    }
  } finally {
    await handle.close();
  }
}
