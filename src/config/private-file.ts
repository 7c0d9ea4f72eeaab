/** Files that only their user may read: a secret that others could have read or written counts for nothing. */
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { openPlain } from "../disk/open-plain.ts";

export type PrivateRead =
  | { readonly text: string }
  | { readonly missing: true }
  | { readonly refused: string };

export function readPrivate(path: string): PrivateRead {
  const opened = openPlain(path);
  if (!("file" in opened)) return opened;
  const { file } = opened;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { refused: "it is not a file" };
    if ((stat.mode & 0o077) !== 0) return { refused: "others than its owner may read or write it" };
    if (stat.uid !== process.getuid?.()) return { refused: "it belongs to somebody else" };
    return { text: readFileSync(file, "utf8") };
  } finally {
    closeSync(file);
  }
}
