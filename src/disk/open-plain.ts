/** Opens a file to read, neither through a link nor from a pipe that nobody writes to. */
import { constants, openSync } from "node:fs";

export type Opened = { readonly file: number } | { readonly missing: true } | { readonly refused: string };

/** Whether it is a file at all is for the caller to see, by `fstat` on what was opened. */
export function openPlain(path: string): Opened {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return { file: openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return { missing: true };
    return { refused: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
  }
}
