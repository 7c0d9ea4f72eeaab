/** Makes a file that nobody has made yet. */
import { randomBytes } from "node:crypto";
import { linkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "./folder.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * False when something is there already, which stays as it is. Whoever reads it, even while several make it at once,
 * finds nothing or one whole text. The folder must be there.
 */
export function createFile(path: string, text: string, mode: number): boolean {
  const folder = dirname(path);
  const draft = join(folder, `.selvage-${randomBytes(8).toString("hex")}.new`);
  try {
    replaceFile(draft, text, { mode });
    // A link is refused where a rename would replace: of several, one wins.
    linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(folder);
  return true;
}
