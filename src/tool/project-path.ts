/**
 * Which paths a file tool may touch (D1): inside the project by real path, and nothing of Selvage's own. It guards
 * against mistakes and planted links; against a command that swaps folders meanwhile, what is opened is asked again
 * where it is (same-place.ts).
 */
import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";

export type Resolved =
  | { readonly path: string; readonly complaint?: undefined }
  | { readonly complaint: string };

/** A file, there or not. */
export function resolveInProject(projectRoot: string, asked: string): Resolved {
  if (asked.endsWith("/")) return { complaint: "it names a folder" };
  const resolved = resolvePlace(projectRoot, asked);
  const isRoot = resolved.complaint === undefined && resolved.path === realpathSync(projectRoot);
  return isRoot ? { complaint: "it names the project's own folder" } : resolved;
}

/** A file or a folder; the project's own folder as well. */
export function resolvePlace(projectRoot: string, asked: string): Resolved {
  const malformed = textComplaint(asked);
  if (malformed) return { complaint: malformed };
  try {
    const root = realpathSync(projectRoot);
    const path = realOf(isAbsolute(asked) ? normalize(asked) : join(root, asked));
    if (!isWithin(root, path)) return { complaint: "it leads out of the project" };
    return isOurs(root)(path) ? { complaint: "it belongs to Selvage itself" } : { path };
  } catch (cause) {
    return { complaint: problemOf(cause as NodeJS.ErrnoException) }; // the file system's no is an answer too
  }
}

/** For whoever walks through folders: which paths are left out because they are Selvage's own. */
export function isOurs(root: string): (path: string) => boolean {
  // Case is ignored here, since many file systems ignore it: refusing a twin in capitals costs nothing.
  const folders = ownFolders(root).map((folder) => folder.toLowerCase());
  return (path) => folders.some((folder) => isWithin(folder, path.toLowerCase()));
}

function textComplaint(asked: string): string | undefined {
  if (asked === "") return "it is empty";
  if (asked.includes("\0")) return "it holds a NUL character";
  if (asked.split(/[/\\]/).includes("..")) return "it holds `..`";
  return undefined;
}

/** Real path of what exists, the rest as written. A link that leads nowhere throws: it could come to lead anywhere. */
function realOf(asked: string): string {
  const path = asked.replace(/(?<=.)\/+$/, "");
  if (lstatSync(path, { throwIfNoEntry: false })) return realpathSync(path);
  return join(realOf(dirname(path)), basename(path));
}

/** As written and as linked; our state (trust, operator token) only matters where it lies within the project. */
function ownFolders(root: string): string[] {
  const named = process.env.XDG_STATE_HOME;
  // A relative path is to be ignored, says the XDG specification; so does whoever writes our state.
  const state = named !== undefined && isAbsolute(named) ? named : join(homedir(), ".local", "state");
  const folders = [join(root, ".ai", "threads"), join(state, "selvage")];
  return folders.flatMap((folder) => [folder, realIfThere(folder)]);
}

function realIfThere(folder: string): string {
  try {
    return realOf(folder);
  } catch {
    return folder;
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function problemOf(failure: NodeJS.ErrnoException): string {
  switch (failure.code) {
    case "ENOENT":
      return "it is a link that leads nowhere";
    case "ENOTDIR":
      return "a part of it is a file, not a folder";
    case "ELOOP":
      return "its links go round in a circle";
    default:
      return failure.message;
  }
}
