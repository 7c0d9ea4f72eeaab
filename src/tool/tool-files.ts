/** The files under `.ai/tools/` that say they are tools. */
import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";

export interface ToolFile {
  readonly path: string;
  /** From the project's folder: how it is called in complaints. */
  readonly file: string;
  /** Its name without the ending: the name of a command tool. */
  readonly stem: string;
  readonly kind: "command" | "module" | "misnamed";
}

const KINDS: Readonly<Record<string, ToolFile["kind"]>> = {
  ".yaml": "command",
  ".yml": "misnamed",
  ".ts": "module",
  ".js": "module",
  ".mjs": "module",
};

/** Of a module's company: what it imports, its types and its tests. */
const LEFT_OUT = /^[._]|^node_modules$|\.(d|test)\.[a-z]+$/;

/** In order of their names. Links are not followed: what they lead to may be nobody's to trust. */
export function toolFiles(projectRoot: string): readonly ToolFile[] {
  const folder = join(projectRoot, ".ai", "tools");
  if (!existsSync(folder) || !isInside(projectRoot, folder)) return [];
  return filesUnder(folder).flatMap((path) => {
    const ending = extname(path);
    const kind = KINDS[ending];
    const file = relative(projectRoot, path).split(sep).join("/");
    return kind ? [{ path, file, kind, stem: basename(path, ending) }] : [];
  });
}

function isInside(projectRoot: string, folder: string): boolean {
  return realpathSync(folder).startsWith(realpathSync(projectRoot) + sep);
}

function filesUnder(folder: string): string[] {
  return entries(folder)
    .filter(({ name }) => !LEFT_OUT.test(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return entry.isFile() ? [path] : [];
    });
}

/** A folder that may not be read has no tools that could be run. */
function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
