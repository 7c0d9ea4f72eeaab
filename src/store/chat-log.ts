/**
 * `log.jsonl` of a chat, in the folder of the first thread of its chain. A line that a crash cut off is taken away before the next
 * one is written, and written again from the journal.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ChatLog, ChatLogLine, LogPlace } from "../core/chat-log.ts";

const FILE = "log.jsonl";
const TAIL_BYTES = 65_536;
const NEWLINE = 10;

export function chatLogIn(threadsFolder: string): ChatLog {
  const open = (chainRootId: string) => {
    const folder = join(threadsFolder, chainRootId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    return openSync(join(folder, FILE), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  };
  const within = <T>(chainRootId: string, act: (file: number) => T): T => {
    const file = open(chainRootId);
    try {
      return act(file);
    } finally {
      closeSync(file);
    }
  };
  return {
    last: (chainRootId) => within(chainRootId, (file) => lastOf(file).place),
    append: (chainRootId, line) => within(chainRootId, (file) => append(file, line)),
  };
}

function append(file: number, line: ChatLogLine): void {
  const { place, end } = lastOf(file);
  // Another process was faster.
  if (place?.thread_id === line.thread_id && place.seq >= line.seq) return;
  ftruncateSync(file, end);
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, end + done);
}

/** The last whole line, and where it ends. Read from the end, in ever larger pieces: lines are short, the file is not. */
function lastOf(file: number): { readonly place?: LogPlace | undefined; readonly end: number } {
  const { size } = fstatSync(file);
  for (let want = TAIL_BYTES; ; want *= 8) {
    const length = Math.min(want, size);
    const bytes = readAt(file, size - length, length);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    const start = whole > 1 ? bytes.lastIndexOf(NEWLINE, whole - 2) + 1 : 0;
    if (start === 0 && length < size) continue;
    return { place: placeIn(bytes.subarray(start, whole).toString()), end: size - length + whole };
  }
}

function readAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, done, length - done, from + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}

function placeIn(line: string): LogPlace | undefined {
  try {
    const { thread_id, seq } = JSON.parse(line);
    return typeof thread_id === "string" && Number.isSafeInteger(seq) ? { thread_id, seq } : undefined;
  } catch {
    return undefined; // none yet, or none of ours
  }
}
