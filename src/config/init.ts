/** What `selvage init` writes. */
import { appendFileSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { unwritable, writing } from "../core/disk-error.ts";
import { makeFolder } from "../disk/folder.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { readText } from "../yaml/file.ts";
import { exampleFiles, type Template } from "./example.ts";

export interface Initialized {
  /** Paths from the root, in the order of writing. */
  readonly created: readonly string[];
  readonly skipped: readonly string[];
}

export interface InitOptions {
  /** Write the example files anew where they exist. */
  readonly force?: boolean;
  readonly template?: Template;
}

const IGNORED = ".ai/threads/";
/** Other ways to write the same line, or one that covers it. */
const IGNORING = [IGNORED, ".ai/threads", "/.ai/threads/", "/.ai/threads", ".ai/", ".ai", "/.ai/", "/.ai"];

export function initProject(
  root: string,
  { force = false, template = "minimal" }: InitOptions = {},
): Initialized {
  const files = exampleFiles(template).map(({ path, text }) => {
    // A look and then a rename: a file that appears in between is another init's, with the same text.
    const write = force || !exists(join(root, path));
    if (write) writeFile(join(root, path), text);
    return { path, write };
  });
  const all = [...files, { path: ".gitignore", write: ignoreThreads(join(root, ".gitignore")) }];
  return {
    created: all.filter(({ write }) => write).map(({ path }) => path),
    skipped: all.filter(({ write }) => !write).map(({ path }) => path),
  };
}

function exists(path: string): boolean {
  return writing(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

function writeFile(path: string, text: string): void {
  writing(path, () => {
    makeFolder(dirname(path));
    replaceFile(path, text);
  });
}

/** Whether a line of the project's own keeps its threads out of git. */
export function threadsAreIgnored(root: string): boolean {
  const read = readText(join(root, ".gitignore"));
  return "text" in read && ignores(read.text);
}

function ignores(text: string): boolean {
  return text.split(/\r?\n/).some((line) => IGNORING.includes(line.trim()));
}

/** Appends the line that keeps threads out of git; says whether it had to. */
export function ignoreThreads(path: string): boolean {
  const read = readText(path);
  if ("refused" in read) throw unwritable(path, read.refused);
  const text = "text" in read ? read.text : "";
  if (ignores(text)) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  writing(path, () => appendFileSync(path, `${gap}${IGNORED}\n`));
  return true;
}
