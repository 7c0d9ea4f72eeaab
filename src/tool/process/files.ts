/**
 * Files of a process, in the folder of its chain, where a sandbox cannot write: its output, that it was begun, how it
 * ended. Nobody is signalled on their word: they tell what a process said and how it ended, never who it is (I1).
 */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { isThreadId } from "../../core/id.ts";
import { stripControls } from "../../core/text.ts";
import { openPlain } from "../../disk/open-plain.ts";

export interface ProcessFiles {
  readonly folder: string;
  /** Made once, by whoever starts the process or by whoever makes sure that nobody does. */
  readonly begun: string;
  readonly exit: string;
  /** The person who asked for its end, and how it came: its thread tells of it when it looks. */
  readonly stop: string;
  readonly log: string;
  /** What the log was before it grew too long. */
  readonly older: string;
}

const HANDLE = /^proc_[0-9a-f]{16}$/;
const SMALL = 4_096;
const TAIL_BYTES = 256 * 1_024;
const LONGEST_LINE = 4_000;

/** Both are names of ours: anything else is a mistake, and no path is made of it (I10). */
export function filesOf(threadsFolder: string, chainRootId: string, handle: string): ProcessFiles {
  if (!isThreadId(chainRootId) || !HANDLE.test(handle)) throw new Error(`no handle of ours: ${handle}`);
  const folder = join(threadsFolder, chainRootId, "processes");
  const file = (ending: string) => join(folder, `${handle}.${ending}`);
  return {
    folder,
    ...{
      begun: file("begun"),
      exit: file("exit"),
      stop: file("stop"),
      log: file("log"),
      older: file("1.log"),
    },
  };
}

/** While it is there, nothing is started for the thread. */
export function overFile(threadsFolder: string, threadId: string): string {
  return join(threadsFolder, threadId, "processes", "over");
}

/** Not through a link: it could lead anywhere. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is a link`);
}

/** True for the one who makes it. */
export function seize(path: string): boolean {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

/** As `seize`, with its folder; a disk that takes nothing more keeps nobody from being stopped. */
export function seizeIfPossible(path: string): void {
  try {
    makeFolder(dirname(path));
    seize(path);
  } catch {
    // see above: a host that wakes up late might then start it, and find it by its mark when the thread is looked at
  }
}

/** What whoever keeps the process wrote; undefined when there is nothing, or nothing of its making. */
export function readNote(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = endOf(path, SMALL)?.toString("utf8");
  try {
    const value = text ? JSON.parse(text) : undefined;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // half of it: it is still being written, or somebody else's
  }
}

export function exitCodeIn({ exit }: ProcessFiles): number | null | undefined {
  const note = readNote(exit);
  if (!note) return undefined;
  const { code } = note;
  return typeof code === "number" && Number.isInteger(code) ? code : null;
}

/** The last lines, as a person may read them. */
export function tailOf({ log, older }: ProcessFiles, lines: number): string[] {
  const recent = linesOf(endOf(log, TAIL_BYTES));
  const before = recent.length < lines ? linesOf(endOf(older, TAIL_BYTES)) : [];
  return [...before, ...recent].slice(-lines);
}

function linesOf(bytes: Buffer | undefined): string[] {
  if (!bytes || bytes.length === 0) return [];
  const text = bytes.toString("utf8").replace(/\n$/, "");
  return text.split("\n").map((line) => stripControls(line).slice(0, LONGEST_LINE));
}

function endOf(path: string, most: number): Buffer | undefined {
  const opened = openPlain(path);
  if (!("file" in opened)) return undefined;
  try {
    const stat = fstatSync(opened.file);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stat.size, most));
    const got = readSync(opened.file, bytes, 0, bytes.length, stat.size - bytes.length);
    return bytes.subarray(0, got);
  } finally {
    closeSync(opened.file);
  }
}
