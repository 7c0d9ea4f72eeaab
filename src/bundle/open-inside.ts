/** Opens a file of the project that is really there: no part of its path is a link, and it is an ordinary file. */
import { constants, lstatSync, realpathSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";

export type Inside =
  | { readonly file: FileHandle; readonly stat: Stats }
  | { readonly missing: true }
  | { readonly refused: string };

/** `root` is a real path; `path` has passed `coverProblem`. The caller closes it. */
export async function openInside(root: string, path: string): Promise<Inside> {
  const place = join(root, path);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    if (!isPlainFolder(dirname(place))) return { refused: "a folder of its path is a link" };
    const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat();
    const why = refusal(place, stat);
    if (why === undefined) return { file, stat };
    await file.close();
    return { refused: why };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
    return { refused: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
  }
}

/** Asked again where it is: a folder may have been replaced by a link while it was opened. */
function refusal(place: string, stat: Stats): string | undefined {
  if (!stat.isFile()) return "it is no ordinary file";
  const now = lstatSync(place, { throwIfNoEntry: false });
  const isThere = now?.ino === stat.ino && now.dev === stat.dev && isPlainFolder(dirname(place));
  return isThere ? undefined : "it was replaced while it was opened";
}

function isPlainFolder(folder: string): boolean {
  return realpathSync.native(folder) === folder;
}
