/** What a project says about itself, for the system prompt. What is missing is left out without a word. */
import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { PromptPart } from "../core/system-prompt.ts";
import { namesOn } from "../yaml/file.ts";
import { MAX_PART_BYTES, readPromptFile } from "./prompt-file.ts";
import { skillLines } from "./skills.ts";

/** How a model gets at what is only listed: `load`, where its directive grants that. */
const BY_LOAD = {
  skills: "skills: load one by its path under .ai/skills before you use it",
  knowledge: "knowledge: load one by its path under .ai/knowledge, without .md",
};
const BY_FILE = {
  skills: "skills: read the file of one before you use it",
  knowledge: "knowledge: files that can be read",
};

/** Only for a trusted project: what stands in these files speaks to the model. */
export function readPromptParts(projectRoot: string, mayLoad = false): PromptPart[] {
  const root = realpathSync(projectRoot);
  const how = mayLoad ? BY_LOAD : BY_FILE;
  return [
    ...filePart("who you are", root, ".ai/identity.md"),
    ...filePart("what is to be remembered", root, ".ai/memory.md"),
    ...instructions(root),
    ...listPart(how.skills, ".ai/skills", skillLines(root)),
    ...listPart(how.knowledge, ".ai/knowledge", knowledgeLines(root)),
  ];
}

function filePart(about: string, root: string, source: string, within = root): PromptPart[] {
  const read = readPromptFile(join(root, source), within);
  if ("missing" in read) return [];
  if ("unreadable" in read) return [{ about, source, text: "", note: read.unreadable }];
  if (read.text.trim() === "" && read.note === undefined) return [];
  return [{ about, source, ...read }];
}

/** The nearest AGENTS.md on the way from the project to its repository; CLAUDE.md where there is no other. */
function instructions(root: string): PromptPart[] {
  const folders = foldersUp(root);
  const within = folders.at(-1) ?? root;
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const found = folders.map((folder) => join(folder, name)).find((path) => isThere(path));
    if (found) return filePart("instructions of the project", root, relative(root, found), within);
  }
  return [];
}

/**
 * From the project up to the repository it is in; the project alone where there is no repository. Another user's
 * folder ends the way: anybody can put a .git and an AGENTS.md into /tmp.
 */
function foldersUp(root: string): string[] {
  const owner = statSync(root).uid;
  const folders: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    if (statSync(folder, { throwIfNoEntry: false })?.uid !== owner) return [root];
    folders.push(folder);
    if (isThere(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [root];
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not for us to look at, or a link to itself: no part of the prompt comes from it.
    return false;
  }
}

function knowledgeLines(root: string): string[] {
  const names = namesOn({ folder: join(root, ".ai/knowledge"), extension: ".md" });
  return names.map((name) => `- .ai/knowledge/${name}.md`);
}

function listPart(about: string, source: string, lines: readonly string[]): PromptPart[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_PART_BYTES) break;
    shown.push(line);
  }
  if (shown.length === 0) return [];
  const left = lines.length - shown.length;
  return [
    { about, source, text: shown.join("\n"), ...(left > 0 ? { note: `${left} more are not shown` } : {}) },
  ];
}
