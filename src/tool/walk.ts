/** Everything in a folder and below, in order, without following links and without what nobody looks for. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isOurs } from "./project-path.ts";

export interface Found {
  /** Real path. */
  readonly path: string;
  /** From where the walk began, with `/`. */
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface Walk {
  readonly root: string;
  readonly start: string;
  readonly signal: AbortSignal;
}

/** What the walk could not see; filled in while it goes. */
export interface Blanks {
  unreadable: number;
  isCut: boolean;
}

const SKIPPED = new Set([".git", "node_modules"]);
const MOST_ENTRIES = 200_000;

export async function* walk(job: Walk, blanks: Blanks): AsyncGenerator<Found> {
  const own = isOurs(job.root);
  const folders = [job.start];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    job.signal.throwIfAborted();
    const found = (await entriesOf(folder, job.start, blanks)).filter(({ path }) => !own(path));
    for (const entry of found) {
      seen += 1;
      blanks.isCut = seen > MOST_ENTRIES;
      if (blanks.isCut) return;
      yield entry;
    }
    const inner = found.filter(({ kind, path }) => kind === "folder" && !SKIPPED.has(lastPart(path)));
    folders.push(...inner.map(({ path }) => path).reverse());
  }
}

/** The entries of one folder by name. One that may not be read is counted, not a reason to stop. */
export async function entriesOf(folder: string, start: string, blanks: Blanks): Promise<Found[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .map((entry) => {
        const path = join(folder, entry.name);
        return { path, name: relative(start, path).split(sep).join("/"), kind: kindOf(entry) };
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    blanks.unreadable += 1;
    return [];
  }
}

export function noteOf({ unreadable, isCut }: Blanks): string[] {
  return [
    ...(unreadable > 0 ? [`${unreadable} that could not be read left out`] : []),
    ...(isCut ? [`stopped after ${MOST_ENTRIES} entries: name a folder`] : []),
  ];
}

function kindOf(entry: Dirent): Found["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1);
}
