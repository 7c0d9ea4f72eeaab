/** Reads what somebody put into an inbox. It may be anything: a link, a pipe, half a text. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openPlain } from "../disk/open-plain.ts";

export interface InboxText {
  readonly text: string;
  readonly changedMs: number;
  /** False: it is larger than such a file may be, and the rest is left out. */
  readonly isWhole: boolean;
}

export type InboxRead = InboxText | { readonly problem: string } | { readonly missing: true };

export const MAX_INBOX_BYTES = 65_536;
/** Somebody may be in the middle of writing a file that changed so lately. */
const SETTLED_MS = 1_000;

export function readInboxFile(path: string): InboxRead {
  const opened = openPlain(path);
  if ("missing" in opened) return opened;
  if ("refused" in opened) return { problem: opened.refused };
  const { file } = opened;
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

/** It does not parse yet, and was touched a moment ago: taken now, it would be refused for being half written. */
export function isHalfWritten(path: string): boolean {
  const read = readInboxFile(path);
  if (!("text" in read) || !read.isWhole || parseObject(read.text) !== undefined) return false;
  return Math.abs(Date.now() - read.changedMs) < SETTLED_MS;
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
