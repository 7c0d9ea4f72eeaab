/** Skills of a project: what each is for. Their bodies are read when one is chosen, not before. */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod/mini";
import { oneLine } from "../core/text.ts";
import { parseYaml } from "../yaml/parse.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { readPromptFile } from "./prompt-file.ts";

const FOLDER = ".ai/skills";
const FILE = "SKILL.md";
/** Against folders that go on for ever; nobody has that many. */
const MAX_DEPTH = 8;
const MAX_SKILLS = 500;

/** By the convention of SKILL.md; its other keys are for those who load the skill. */
const Metadata = z.object({
  name: z.string().check(z.maxLength(64), z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)),
  description: z.string().check(z.minLength(1), z.maxLength(1024)),
});

/** One line each: name, description, where its body is. */
export function skillLines(projectRoot: string): string[] {
  return skillFolders(projectRoot, FOLDER, 0)
    .slice(0, MAX_SKILLS)
    .flatMap((folder) => {
      const file = `${folder}/${FILE}`;
      const read = readPromptFile(join(projectRoot, file), projectRoot);
      if ("missing" in read) return [];
      const about = "text" in read ? describe(read.text, basename(folder)) : read.unreadable;
      return [`- ${oneLine(basename(folder), 64)}: ${about} (${oneLine(file, 300)})`];
    });
}

function describe(text: string, folder: string): string {
  const split = splitFrontMatter(text);
  const yaml = "head" in split ? parseYaml({ file: FILE, text: split.head }) : undefined;
  const metadata = yaml && "value" in yaml ? z.safeParse(Metadata, yaml.value).data : undefined;
  if (!metadata) return "its front matter has no valid name and description";
  if (metadata.name !== folder)
    return `it calls itself ${metadata.name}, which is not the name of its folder`;
  return oneLine(metadata.description, 1024);
}

function skillFolders(projectRoot: string, folder: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  const entries = entriesOf(join(projectRoot, folder));
  const isSkill = depth > 0 && entries.some(({ name }) => name === FILE);
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => skillFolders(projectRoot, `${folder}/${name}`, depth + 1));
  return isSkill ? [folder, ...below] : below;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Skills are a help: a folder that is not there, or not for us, has none.
    return [];
  }
}
