/** Which files a bundle of some paths covers. Nothing is left out in silence: what no bundle can cover is told. */
import { type Dirent, lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { coverProblem, MOST_FILES, manifestPath } from "../core/bundle-path.ts";

export interface Listing {
  /** In order, each once. */
  readonly files: readonly string[];
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

export interface ListOptions {
  readonly root: string;
  readonly id: string;
  /** Where Selvage keeps its keys: nothing of it belongs to any project. */
  readonly home: string;
}

export function listFiles(paths: readonly string[], options: ListOptions): Listing {
  const files = new Set<string>();
  const refused = new Map<string, string>();
  const waiting = paths.map((path) => ({ path, isAsked: true }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, isAsked } = next;
    if (!isAsked && isLeftOut(path, options)) continue;
    const seen = look(path, options);
    if ("why" in seen) refused.set(path, seen.why);
    else if ("names" in seen)
      waiting.push(
        ...seen.names.map((name) => ({ path: path === "." ? name : `${path}/${name}`, isAsked: false })),
      );
    else files.add(path);
    if (files.size + refused.size > MOST_FILES) {
      refused.set(path, `there are more than ${MOST_FILES} files`);
      break;
    }
  }
  return {
    files: [...files].sort(),
    refused: [...refused].map(([path, why]) => ({ path, why })).sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Found on the way and never meant: history, threads, the manifest itself, our keys, what a crash left of a write. */
function isLeftOut(path: string, { root, id, home }: ListOptions): boolean {
  if (path === ".git" || path === ".ai/threads" || path === manifestPath(id)) return true;
  return join(root, path) === home || /(?:^|\/)\.selvage-[^/]*\.(?:tmp|new)$/.test(path);
}

function look(
  path: string,
  { root, id, home }: ListOptions,
): { why: string } | { names: string[] } | { file: true } {
  const problem = path === "." ? undefined : coverProblem(path);
  if (problem !== undefined) return { why: problem };
  if (path === manifestPath(id)) return { why: "a manifest cannot name itself" };
  const place = join(root, path);
  if (place === home || place.startsWith(`${home}/`)) return { why: "it belongs to Selvage itself" };
  try {
    if (path !== "." && realpathSync(dirname(place)) !== dirname(place))
      return { why: "a folder of its path is a link" };
    const stat = lstatSync(place);
    if (stat.isFile()) return { file: true };
    if (stat.isDirectory()) return { names: readdirSync(place, { withFileTypes: true }).map(nameOf) };
    return { why: stat.isSymbolicLink() ? "it is a link" : "it is no ordinary file" };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return {
      why: code === "ENOENT" || code === "ENOTDIR" ? "there is no such file" : `it cannot be read (${code})`,
    };
  }
}

function nameOf({ name }: Dirent): string {
  return name;
}
