/** Files people write, found by name in one folder and never read from outside it. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { idProblem } from "../core/id.ts";

const MAX_BYTES = 1_048_576;

export type FileRead = { readonly text: string } | { readonly missing: true } | { readonly refused: string };

/** A kind of file: `folder`/`name``extension`. */
export interface Shelf {
  readonly folder: string;
  readonly extension: string;
}

/** `name` must have passed `idProblem`. */
export function readFrom(shelf: Shelf, name: string): FileRead {
  return reading(() => {
    const path = realpathSync(join(shelf.folder, name + shelf.extension));
    if (!path.startsWith(realpathSync(shelf.folder) + sep))
      return { refused: "it is a link that leaves its folder" };
    return readWhole(path);
  });
}

export function readText(path: string): FileRead {
  return reading(() => readWhole(path));
}

/** Names in the folder and below, in order. What could not be asked for by name is left out. */
export function namesOn({ folder, extension }: Shelf, above = ""): string[] {
  const found = entries(join(folder, above)).flatMap((entry) => {
    const name = above + entry.name;
    if (entry.isDirectory()) return idProblem(name) ? [] : namesOn({ folder, extension }, `${name}/`);
    const bare = name.slice(0, -extension.length);
    return name.endsWith(extension) && !idProblem(bare) && isReadable(join(folder, name)) ? [bare] : [];
  });
  return found.sort();
}

/** The others with this ending: nobody can ask for them by name. What is hidden is meant to be. */
export function namelessOn({ folder, extension }: Shelf, above = ""): string[] {
  const shown = entries(join(folder, above)).filter((entry) => !entry.name.startsWith("."));
  const found = shown.flatMap((entry) => {
    const name = above + entry.name;
    if (entry.isDirectory()) return namelessOn({ folder, extension }, `${name}/`);
    const bare = name.slice(0, -extension.length);
    return name.endsWith(extension) && idProblem(bare) ? [bare] : [];
  });
  return found.sort();
}

function readWhole(path: string): FileRead {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { missing: true };
  if (!stat.isFile()) return { refused: "it is not a file" };
  // Files of the kernel claim to be empty, and reading some of them waits.
  if (stat.size === 0) return { text: "" };
  if (stat.size > MAX_BYTES) return { refused: `it is larger than ${MAX_BYTES} bytes` };
  const bytes = readFileSync(path);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // Decoding loosely would hand the model a changed text.
    return { refused: "it is not UTF-8 text" };
  }
}

/** The file system is an edge: what it refuses is a value here, and the caller knows which words fit. */
function reading(read: () => FileRead): FileRead {
  try {
    return read();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { missing: true }
      : { refused: `it cannot be read (${code})` };
  }
}

function entries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Names are a help for people: a folder that is not there has none.
    return [];
  }
}

function isReadable(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A link to itself, say: nothing that could be read under this name.
    return false;
  }
}
