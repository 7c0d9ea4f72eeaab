/**
 * What a yes to a project covers (F7, K5): everything in it that is run or obeyed, by content. Prose is not part of
 * it: the body of a directive may change without a question, its head may not.
 *   T1. What cannot be hashed cannot be agreed to: it counts as changed, always.
 *   T2. Taking stock neither waits nor runs anything, whatever the files are.
 */
import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UNHASHED } from "../core/trust-survey.ts";
import { linkOf, readBounded } from "./bounded-file.ts";
import { coveredCode } from "./covered-code.ts";
import { headOf } from "./directive-head.ts";

const TOOLS = ".ai/tools";
const CONFIG = ".ai/config";
const SINGLE = [".ai/settings.json", ".mcp.json"];
const DIRECTIVES = ".ai/directives";

const MODULE = /\.(?:ts|js|mjs)$/;
/** What readers of YAML and of directives refuse is not obeyed either. */
const MOST_READ = 1 << 20;
/** Of all together. */
const MOST_BYTES = 128 << 20;
const MOST_FILES = 20_000;

/** Project-relative path → hash of what counts in it. `root` is a real path. */
export function trustedFiles(root: string): Record<string, string> {
  const tools = under(root, TOOLS);
  const config = under(root, CONFIG);
  const directives = under(root, DIRECTIVES).filter((path) => path.endsWith(".md"));
  const single = SINGLE.filter((path) => exists(root, path));
  const heads = directives.map((path) => ({ path, head: headOf(textAt(root, path)) }));
  const saying = [...tools.filter((path) => /\.ya?ml$/.test(path)), ...config, ...single];
  const texts = [...saying.map((path) => textAt(root, path)), ...heads.flatMap(({ head }) => head)];
  const code = coveredCode(
    root,
    tools.filter((path) => MODULE.test(path)),
    texts,
  );
  const whole = [...new Set([...tools, ...config, ...single, ...code])];
  const hashAt = hasher(root);
  const found: [string, string][] = [
    ...whole.map((path): [string, string] => [path, hashAt(path)]),
    ...heads.map(({ path, head }): [string, string] => [path, hashed([JSON.stringify(head)])]),
  ];
  return Object.fromEntries(found.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Files that came, went or changed since the yes. */
export function changedFiles(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path] || now[path] === UNHASHED).sort();
}

/** The files of a folder and below it. Where there are more than anybody could agree to, the folder stands for the rest. */
function under(root: string, folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entries(join(root, next))) {
      const path = `${next}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else found.push(path);
      if (found.length + waiting.length > MOST_FILES) return [...found, folder];
    }
  }
  return found;
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not ours to read: then nothing in it is run either.
    return [];
  }
}

function exists(root: string, path: string): boolean {
  return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

/**
 * A link counts by where it points to and by what is there; what is no file, or not ours to read, counts as that.
 * A folder in the place of a file stands for what was left out (T1); a link to one is not followed by anybody.
 */
function hasher(root: string): (path: string) => string {
  let left = MOST_BYTES;
  return (path) => {
    const link = linkOf(join(root, path));
    const read = readBounded(join(root, path), left);
    if ("too" in read || ("none" in read && read.none === "folder" && link === "")) return UNHASHED;
    if ("bytes" in read) left -= read.bytes.length;
    return hashed([`${link}\n`, "bytes" in read ? read.bytes : "unreadable"]);
  };
}

function hashed(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 32);
}

/** Of a file that a reader would take; empty for every other. */
export function textAt(root: string, path: string): string {
  const read = readBounded(join(root, path), MOST_READ);
  return "bytes" in read ? read.bytes.toString("utf8") : "";
}
