/** Reads what somebody put into an inbox. It may be anything: a link, a pipe, half a text. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface InboxText {
  readonly text: string;
  readonly changedMs: number;
  /** False: it is larger than such a file may be, and the rest is left out. */
  readonly isWhole: boolean;
}

export type InboxRead = InboxText | { readonly problem: string } | { readonly missing: true };

export const MAX_INBOX_BYTES = 65_536;

/** Neither through a link nor from a pipe that nobody writes to. */
export function readInboxFile(path: string): InboxRead {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return { missing: true };
    return { problem: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { problem: "it is not a file" };
    const bytes = Buffer.alloc(MAX_INBOX_BYTES);
    const length = readSync(file, bytes, 0, MAX_INBOX_BYTES, 0);
    const text = bytes.toString("utf8", 0, length);
    return { text, changedMs: stat.mtimeMs, isWhole: stat.size <= MAX_INBOX_BYTES };
  } finally {
    closeSync(file);
  }
}

/** Undefined when it is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Whatever people write is text at first; the caller says what is wrong with it.
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
