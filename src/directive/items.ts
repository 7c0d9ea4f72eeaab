/** Items of a project that are files (F1), as models look at them. Links are not followed, whatever they lead to. */
import { constants, type Dirent, realpathSync } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { itemIdProblem } from "../core/item.ts";
import type { FiledType, ItemHead, ItemRead, Items } from "../core/items.ts";
import { oneLine } from "../core/text.ts";
import { parseYaml } from "../yaml/parse.ts";
import { splitFrontMatter } from "./front-matter.ts";

const SKILL = "SKILL.md";
const ENDING = ".md";

/** Where the files of each type are, and what stands in a folder. */
const SHELVES: Readonly<
  Record<FiledType, { readonly folder: string; readonly file: (id: string) => string }>
> = {
  directive: { folder: ".ai/directives", file: (id) => `${id}${ENDING}` },
  knowledge: { folder: ".ai/knowledge", file: (id) => `${id}${ENDING}` },
  skill: { folder: ".ai/skills", file: (id) => `${id}/${SKILL}` },
};

/** Against folders that go on for ever. */
const MAX_DEPTH = 16;
const MOST_ITEMS = 20_000;
/** A head that is longer is none. */
const HEAD_CHARS = 16_384;

export function itemsOf(projectRoot: string, tools: () => readonly string[]): Items {
  return {
    list: (type) => listed(join(realpathSync(projectRoot), SHELVES[type].folder), type),
    read: (type, id, most) => {
      const { folder, file } = SHELVES[type];
      return read(realpathSync(projectRoot), `${folder}/${file(id)}`, most);
    },
    tools,
  };
}

async function listed(folder: string, type: FiledType): Promise<{ ids: string[]; isCut: boolean }> {
  const ids: string[] = [];
  const waiting = [{ above: "", depth: 0 }];
  let isCut = false;
  for (let next = waiting.pop(); next !== undefined && !isCut; next = waiting.pop()) {
    const { above, depth } = next;
    for (const entry of await entriesOf(join(folder, above))) {
      const name = above === "" ? entry.name : `${above}/${entry.name}`;
      const id = idOf(type, entry, name, above);
      if (id !== undefined && itemIdProblem(id) === undefined) ids.push(id);
      else if (entry.isDirectory() && depth < MAX_DEPTH) waiting.push({ above: name, depth: depth + 1 });
      isCut ||= ids.length >= MOST_ITEMS || waiting.length >= MOST_ITEMS;
    }
  }
  return { ids: ids.slice(0, MOST_ITEMS).sort(), isCut };
}

function idOf(type: FiledType, entry: Dirent, name: string, above: string): string | undefined {
  if (!entry.isFile()) return undefined;
  if (type === "skill") return entry.name === SKILL && above !== "" ? above : undefined;
  return name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : undefined;
}

/** A folder that is not there, or not for us, has none. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function read(root: string, source: string, most: number): Promise<ItemRead> {
  const path = join(root, source);
  try {
    // As it is really spelled, too: where capitals do not count, another spelling is another item's name.
    if ((await realpath(path)) !== path) return { refused: "it is a link, or in a folder that is one" };
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { refused: "it is no ordinary file" };
      const bytes = Buffer.alloc(Math.min(stat.size, most));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      const isCut = stat.size > most;
      const text = decoded(bytes.subarray(0, bytesRead), isCut);
      if (text === undefined) return { refused: "it is not UTF-8 text" };
      const note = isCut ? { note: `only the first ${most} of ${stat.size} bytes were read` } : {};
      return { source, text, ...note, about: () => headOf(source, text) };
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
    return { refused: code === "ELOOP" ? "it is a link" : `it cannot be read (${code})` };
  }
}

/** A cut may go through a character: what is left of that one is dropped. */
function decoded(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

const Head = z.object({ description: z.optional(z.string()) });

/** Without a description, the first line that says something stands for one. */
function headOf(file: string, text: string): ItemHead {
  const split = splitFrontMatter(text);
  if ("unclosed" in split) return { ...firstLine(text), problem: "its front matter is not closed" };
  const { head, body } = split;
  if (head === "") return firstLine(body);
  const yaml = head.length > HEAD_CHARS ? undefined : parseYaml({ file, text: head });
  const said = yaml && "value" in yaml ? z.safeParse(Head, yaml.value ?? {}).data : undefined;
  if (!said) return { ...firstLine(body), problem: "its front matter does not validate" };
  return said.description === undefined ? firstLine(body) : { description: said.description, body };
}

function firstLine(body: string): ItemHead {
  const lines = body.slice(0, 4_000).split("\n");
  const said = lines.map((line) => line.replace(/^[#\s]+/, "")).find((line) => line !== "") ?? "";
  return { description: oneLine(said, 200), body };
}
