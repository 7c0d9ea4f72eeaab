/** Which project a folder belongs to. */
import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Problem } from "../core/problem.ts";

export interface Project {
  /** Real path of the folder that has `.ai/`. */
  readonly root: string;
}

export function findProject(from: string): Project {
  const start = realFolder(from);
  let searched = 0;
  for (let folder = start; ; folder = dirname(folder)) {
    searched += 1;
    if (isFolder(join(folder, ".ai"))) return { root: folder };
    if (dirname(folder) === folder) break;
  }
  const folders = searched === 1 ? "1 folder was" : `${searched} folders were`;
  throw noProject(`There is no .ai/ folder in ${start} or above it.`, `${folders} searched.`);
}

function realFolder(from: string): string {
  if (!isFolder(from)) throw noProject(`There is no folder ${resolve(from)}.`, "No folder was searched.");
  return realpathSync(from);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not for us to look at: either way no project can be read from it.
    return false;
  }
}

function noProject(what: string, why: string): Problem {
  return new Problem("E_NO_PROJECT", {
    what,
    why,
    next: [
      { cmd: "selvage init", why: "make a project here" },
      { cmd: "selvage -C DIR status", why: "name another folder" },
    ],
  });
}
