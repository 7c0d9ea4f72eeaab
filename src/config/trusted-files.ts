/**
 * What a yes to a project covers (F7, K5): everything in it that is run or obeyed, by content. Prose is not part of
 * it: the body of a directive may change without a question, its head may not.
 */
import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const WHOLE = [".ai/tools", ".ai/config"];
const SINGLE = [".ai/settings.json", ".mcp.json"];
const DIRECTIVES = ".ai/directives";

/** Project-relative path → hash of what counts in it. */
export function trustedFiles(root: string): Record<string, string> {
  const found: [string, string][] = [
    ...WHOLE.flatMap((folder) => under(root, folder)).map(
      (path) => [path, contentOf(root, path)] as [string, string],
    ),
    ...SINGLE.flatMap((path) =>
      exists(root, path) ? [[path, contentOf(root, path)] as [string, string]] : [],
    ),
    ...under(root, DIRECTIVES)
      .filter((path) => path.endsWith(".md"))
      .map((path) => [path, headOf(contentOf(root, path))] as [string, string]),
  ];
  const hashed = found.map(([path, text]) => [
    path,
    createHash("sha256").update(text).digest("hex").slice(0, 32),
  ]);
  return Object.fromEntries(hashed.sort(([left = ""], [right = ""]) => (left < right ? -1 : 1)));
}

/** Files that came, went or changed since the yes. */
export function changedFiles(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path]).sort();
}

function under(root: string, folder: string): string[] {
  return entries(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? under(root, path) : [path];
  });
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

/** A link counts by where it points to and by what is there; what cannot be read counts as that. */
function contentOf(root: string, path: string): string {
  return `${linkOf(join(root, path))}\n${textOf(join(root, path))}`;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // no link
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "unreadable";
  }
}

const FRONT_MATTER = /^\n\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const XML_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*xml[^\n]*\n([\s\S]*?)\n {0,3}\1/gim;

function headOf(text: string): string {
  const fences = [...text.matchAll(XML_FENCE)].map((found) => found[2] ?? "");
  return JSON.stringify([FRONT_MATTER.exec(text)?.[1] ?? "", ...fences]);
}
