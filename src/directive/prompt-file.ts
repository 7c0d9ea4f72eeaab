/** A file for the prompt: read up to a cap, from inside one folder only, and never a reason to stop. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { sep } from "node:path";

export const MAX_PART_BYTES = 65_536;

export type PromptFile =
  | { readonly text: string; readonly note?: string }
  | { readonly missing: true }
  | { readonly unreadable: string };

/** `within` is a real path: a link may not lead out of it. */
export function readPromptFile(path: string, within: string): PromptFile {
  try {
    const real = realpathSync(path);
    if (!real.startsWith(within.endsWith(sep) ? within : within + sep))
      return { unreadable: "it is a link that leaves the project" };
    return readCapped(real);
  } catch (cause) {
    // The file system is an edge: a run must not end because a note for it cannot be read.
    const { code } = cause as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { missing: true }
      : { unreadable: `it cannot be read (${code})` };
  }
}

function readCapped(path: string): PromptFile {
  // Without O_NONBLOCK, a pipe in the place of the file would hold us for ever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { unreadable: "it is not a file" };
    const bytes = Buffer.alloc(Math.min(stat.size, MAX_PART_BYTES));
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(file, bytes, length, bytes.length - length, length);
    const isCut = stat.size > MAX_PART_BYTES;
    const text = decoded(bytes.subarray(0, length), isCut);
    if (text === undefined) return { unreadable: "it is not UTF-8 text" };
    return isCut ? { text, note: cutNote(stat.size) } : { text };
  } finally {
    closeSync(file);
  }
}

/** A cut may go through a character: what is left of that one is dropped. */
function decoded(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

function cutNote(size: number): string {
  return `only the first ${MAX_PART_BYTES} of ${size} bytes are shown`;
}
