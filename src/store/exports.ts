/**
 * Files in `.ai/threads/<thread_id>/` for people and other programs (F3). They are made from the store, never
 * believed over it, and may be deleted at any time. One thing they do prove: a transcript that is ahead of the
 * store shows that the store lost events.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Event } from "../core/event.ts";
import { toArray } from "../core/log.ts";
import type { Damage } from "../core/row.ts";
import type { Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { contextLines, stateFile, threadFile, transcriptMarkdown } from "./export-text.ts";
import { remakeProcessFiles } from "./process-files.ts";
import { remakeQuestionFiles } from "./question-files.ts";

const OPEN_FILES = 512;

/** A transcript that is open, and how long it was when we last wrote to it. */
interface Growing {
  readonly file: number;
  bytes: number;
}

/** They can be made again from the store, so they need not survive a power cut. */
const AS_EXPORT = { mode: 0o600, sync: false };

/** Failures to write an export are told once and never stop a thread: the store is what counts. */
export function openExports(threadsFolder: string, onFailure: (message: string) => void): Exports {
  const files = new Map<string, Growing>();
  /** A line is missing at the end of these: nothing is written after the gap until the store mends it. */
  const behind = new Set<string>();
  const folder = (threadId: string) => join(threadsFolder, threadId);
  const guarded = (what: () => void) => {
    try {
      what();
    } catch (error) {
      onFailure(`An export could not be written: ${(error as Error).message}`);
    }
  };
  const transcript = (threadId: string): Growing => {
    const open = files.get(threadId);
    if (open !== undefined) return open;
    const [oldest] = files;
    if (oldest && files.size >= OPEN_FILES) close(files, oldest[0]);
    const file = openIn(threadsFolder, join(threadId, "transcript.jsonl"));
    const found = { file, bytes: fstatSync(file).size };
    files.set(threadId, found);
    return found;
  };
  const write = (threadId: string, events: readonly Event[]) => {
    if (events.length === 0 || behind.has(threadId)) return;
    try {
      grow(transcript(threadId), Buffer.from(events.map(line).join("")));
    } catch (error) {
      behind.add(threadId);
      close(files, threadId);
      throw error;
    }
  };
  return {
    append: (events) => guarded(() => write(events[0]?.thread_id ?? "", events)),
    remake: (thread) => {
      guarded(() => {
        makeBeside(threadsFolder, folder(thread.id));
        remakeFiles(folder(thread.id), thread, "resting");
      });
      if (thread.status !== "running") close(files, thread.id);
    },
    isBehind: (threadId) => behind.has(threadId),
    reconcile: (threadId, events) => {
      close(files, threadId);
      behind.delete(threadId);
      const found = readTranscript(join(folder(threadId), "transcript.jsonl"));
      const last = events.length;
      if (found.lastSeq > last) return ahead(found.lastSeq, last);
      guarded(() => {
        if (found.torn) truncateSync(join(folder(threadId), "transcript.jsonl"), found.wholeBytes);
        write(threadId, events.slice(found.lastSeq));
      });
      return undefined;
    },
  };
}

/** The folder is nearly always there. */
function openIn(threadsFolder: string, name: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const path = join(threadsFolder, name);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  makeBeside(threadsFolder, dirname(path));
  return openSync(path, flags, 0o600);
}

/** Where the store is gone with its folder, nothing of it is made anew for the sake of an export. */
function makeBeside(threadsFolder: string, folder: string): void {
  if (!existsSync(threadsFolder)) throw new Error(`${threadsFolder} is gone`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whoever took the thread over meanwhile has written these lines. */
function grow(open: Growing, bytes: Buffer): void {
  if (fstatSync(open.file).size !== open.bytes) throw new Error("somebody else wrote to transcript.jsonl");
  for (let done = 0; done < bytes.length; ) done += writeSync(open.file, bytes, done);
  open.bytes += bytes.length;
}

function line(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}

function close(files: Map<string, Growing>, threadId: string): void {
  const open = files.get(threadId);
  files.delete(threadId);
  if (open) closeSync(open.file);
}

function ahead(found: number, stored: number): Damage {
  return {
    last_good: stored,
    why: `transcript.jsonl has ${found} events, the store only ${stored}: the store lost some`,
  };
}

export interface Transcript {
  /** Number of the last whole line. */
  readonly lastSeq: number;
  readonly torn: boolean;
  readonly wholeBytes: number;
}

/** Every line is one event and numbers rise by one, so the last whole line tells how far the file goes. */
export function readTranscript(path: string): Transcript {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY);
    return lastLine(file, fstatSync(file).size);
  } catch {
    return { lastSeq: 0, torn: false, wholeBytes: 0 };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const TAIL_BYTES = 65_536;

/** From the end, in ever larger pieces: the file is as long as the thread, its last lines seldom are. */
function lastLine(file: number, size: number): Transcript {
  for (let want = TAIL_BYTES; ; want *= 8) {
    const length = Math.min(want, size);
    const from = size - length;
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const read = readSync(file, bytes, done, length - done, from + done);
      if (read === 0) break;
      done += read;
    }
    const whole = bytes.lastIndexOf(10) + 1;
    const start = whole > 1 ? bytes.lastIndexOf(10, whole - 2) + 1 : 0;
    if (start === 0 && from > 0) continue;
    const seq = /"seq":(\d+)/.exec(bytes.subarray(start, whole).toString())?.[1];
    return { lastSeq: seq === undefined ? 0 : Number(seq), torn: whole < length, wholeBytes: from + whole };
  }
}

/** Made whole and put in place by rename; the conversation only when it rests. */
function remakeFiles(folder: string, thread: Thread, extent: "all" | "resting"): string[] {
  const put = (name: string, text: string) => replaceFile(join(folder, name), text, AS_EXPORT);
  const names = ["thread.json", "state.json"];
  put("thread.json", threadFile(thread));
  put("state.json", stateFile(thread));
  if (extent === "all" || (thread.status !== "running" && thread.status !== "created")) {
    put("context.jsonl", contextLines(toArray(thread.messages)));
    put("transcript.md", transcriptMarkdown(thread));
    names.push("context.jsonl", "transcript.md");
  }
  names.push(...remakeProcessFiles(folder, thread, put));
  // Last: whoever sees the question finds the rest beside it.
  return [...names, ...remakeQuestionFiles(folder, thread, put)];
}

/**
 * Everything once more from the store, also what does not change by itself any more (`export --files`). A live owner
 * keeps its transcript open and appends to it, so that file is left to it.
 */
export function exportAll(
  folder: string,
  thread: Thread,
  events: readonly Event[],
  owned: boolean,
): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = remakeFiles(folder, thread, "all");
  if (owned) return names;
  replaceFile(join(folder, "transcript.jsonl"), events.map(line).join(""), AS_EXPORT);
  return ["transcript.jsonl", ...names];
}
