/** How `write` and `edit` put a file in its place: whole, with its mode, and never over what may not be written. */
import { accessSync, constants, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../disk/folder.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { inFolder } from "./same-place.ts";

/** The path must have been resolved; a repeated call with the same key clears away what a crash left of it. */
export function putFile(path: string, content: string, callKey: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  if (realpathSync(folder) !== folder)
    throw new Error("a folder of the path was replaced by a link meanwhile");
  inFolder(folder, (held) => {
    const place = join(held, basename(path));
    const mode = modeToKeep(place);
    replaceFile(place, content, { tag: callKey, ...(mode !== undefined && { mode }) });
  });
}

/** Undefined for a new file. A rename would also replace what may not be written, and devices: so ask first. */
function modeToKeep(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) throw new Error("it is a folder");
  if (!found.isFile()) throw new Error("it is not an ordinary file");
  accessSync(path, constants.W_OK);
  return found.mode & 0o7777;
}
