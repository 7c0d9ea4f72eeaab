/**
 * Code of a project that is run although it stands in no folder of tools: what module tools import, and the scripts that
 * command tools, hooks and MCP servers name. Nothing is run to find out; what is put together when it runs is not found.
 */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { readBounded } from "./bounded-file.ts";

/** Larger ones are still hashed by `trustedFiles`; nothing is looked for in them. */
const MOST_READ = 1 << 20;
const MOST_FILES = 2_000;
const MOST_WORDS = 5_000;

const MODULE = /\.[cm]?[jt]sx?$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|sh|bash|zsh|fish|py|rb|pl|php|lua|ps1|r|awk)$/i;
const IMPORTED = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}["'](\.{1,2}\/[^"'\n]{1,300})["']/g;
const ENDINGS = [
  "",
  ".ts",
  ".js",
  ".mjs",
  ".cjs",
  ".mts",
  ".cts",
  ".tsx",
  ".jsx",
  ".json",
  "/index.ts",
  "/index.js",
  "/index.mjs",
];

/** Project-relative paths of files that `texts` name and `modules` import, and of what these import, all the way. */
export function coveredCode(root: string, modules: readonly string[], texts: readonly string[]): string[] {
  const found = new Set<string>();
  const waiting = [...modules, ...texts.flatMap((text) => scriptsIn(root, text))];
  for (let path = waiting.pop(); path !== undefined && found.size < MOST_FILES; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (MODULE.test(path)) waiting.push(...importsOf(root, path));
  }
  return [...found];
}

function importsOf(root: string, path: string): string[] {
  const read = readBounded(join(root, path), MOST_READ);
  if (!("bytes" in read)) return [];
  const folder = dirname(join(root, path));
  const named = [...read.bytes.toString("utf8").matchAll(IMPORTED)].map(([, name = ""]) => name);
  return named.flatMap((name) => {
    const target = resolve(folder, name);
    // TypeScript is imported under the name of what it becomes.
    const stems = [target, target.replace(/\.([cm]?)js$/, ".$1ts")];
    const file = stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending)).find(isFile);
    return file === undefined || file.includes(`${sep}node_modules${sep}`) ? [] : [relative(root, file)];
  });
}

/** Words, and whatever stands in quotes, that are the path of a script inside the project. */
function scriptsIn(root: string, text: string): string[] {
  const words = text.match(/[\w@.+~/-]{1,300}/g) ?? [];
  const quoted = [...text.matchAll(/"([^"\n]{1,300})"|'([^'\n]{1,300})'/g)].map(
    ([, one, two]) => one ?? two ?? "",
  );
  const mayBe = mayBeIn(namesIn(root));
  return [...new Set([...words, ...quoted])]
    .slice(0, MOST_WORDS)
    .filter((word) => mayBe(word) && isScript(root, word))
    .map((word) => relative(root, resolve(root, word)));
}

/**
 * Nearly every word is just a word: one look into the folder says that nothing in it is called so, instead of one for
 * each of them. It may say yes too often and never no: some disks take several spellings for the same name, so only
 * plain ones are compared, and without regard to case.
 */
export function mayBeIn(names: readonly string[] | undefined): (word: string) => boolean {
  if (!names?.every((name) => ASCII.test(name))) return () => true;
  const there = new Set(names.map((name) => name.toLowerCase()));
  return (word) => {
    const first = word.includes("..") ? undefined : PLAIN.exec(word)?.[1];
    return first === undefined || there.has(first.toLowerCase());
  };
}

const ASCII = /^[\x20-\x7e]*$/;
/** The first part of a path that begins in the folder itself. */
const PLAIN = /^([\w@+-][\w@.+-]*)(?:\/|$)/;

function namesIn(folder: string): readonly string[] | undefined {
  try {
    // Windows knows files by short names, too.
    return sep === "/" ? readdirSync(folder) : undefined;
  } catch {
    return undefined;
  }
}

/** A file that only changes because something was written to it is none: that would be asked about after every run. */
function isScript(root: string, word: string): boolean {
  const path = resolve(root, word);
  if (!path.startsWith(root + sep) || !isInside(root, path)) return false;
  const read = readBounded(path, MOST_READ);
  if ("none" in read) return false;
  if (SCRIPT.test(path)) return true;
  if ("too" in read) return extname(path) === "";
  return read.bytes.subarray(0, 2).toString() === "#!" || (extname(path) === "" && (read.mode & 0o111) !== 0);
}

function isInside(root: string, path: string): boolean {
  try {
    // Nearly every word is none: that is found out at once, without looking at each folder above it.
    if (!lstatSync(path, { throwIfNoEntry: false })) return false;
    return realpathSync(path).startsWith(root + sep);
  } catch {
    return false; // it is not there
  }
}

function isFile(path: string): boolean {
  return !("none" in readBounded(path, 0));
}
