/**
 * How the package is cut into files. A start pays for every file and for every byte of it, so each way in loads few
 * files with little in them that it does not need. What depends on what decides, and no list that somebody has to keep.
 */
import type { Plugin } from "rolldown";
import { inserted, walk } from "./code-text.ts";
import { PARTS, partOf } from "./later.ts";

type Context = { getModuleInfo(id: string): Info | null };
type Info = { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] };
type Group = { readonly priority: number; name(id: string, context: Context): string | null };

/** What both need of the house and its commands is in one file, what each needs besides in another. */
const FRONT = "src/command-line.ts";
const HOUSE = "src/main.ts";
const LIBRARY = "src/index.ts";
const PROGRAM = "src/surface/cli/play.ts";
/** The command that is waited for most. */
const FIRST = "src/surface/cli/commands/run.ts";
const COMMANDS = /\/src\/surface\/cli\/commands\/[\w-]+\.ts$/;
/** What so many commands need is in one file for all of them. */
const SHARED_BY = 4;

/**
 * The files, and which module is in which of them; what only few need is left to the bundler. Of each there are three:
 * what a start needs, and what is loaded when it is used (`later.ts`). They may need each other.
 */
export function chunkGroups(root: string): { includeDependenciesRecursively: false; groups: Group[] } {
  let names: Map<string, string> | undefined;
  const files = FILES.flatMap((name) => (name === "front" ? [name] : PARTS.map((part) => `${name}${part}`)));
  const groups = files.map((wanted, place) => ({
    priority: files.length - place,
    name: (id: string, context: Context) => {
      names ??= namesOf(root, (module) => context.getModuleInfo(module));
      return names.get(id) === wanted ? wanted : null;
    },
  }));
  return { includeDependenciesRecursively: false, groups };
}

/** In this order: what is in one needs nothing that is only in a later one. */
const FILES = ["front", "engine", "commands", "library"] as const;

function namesOf(root: string, infoOf: (id: string) => Info | null): Map<string, string> {
  const loadedWith = (entry: string) => reached([`${root}${entry}`], infoOf);
  const library = loadedWith(LIBRARY);
  const commands = new Set([...loadedWith(HOUSE), ...sharedByCommands(root, infoOf)]);
  const engine = [...library].filter((id) => commands.has(id));
  const names = new Map<string, string>();
  [loadedWith(FRONT), engine, commands, library].forEach((ids, place) => {
    const name = FILES[place] ?? "";
    const isWhole = name === "front";
    for (const id of ids) if (!names.has(id)) names.set(id, isWhole ? name : `${name}${partOf(root, id)}`);
  });
  // Where a way in begins is a file of its own, named after it.
  for (const entry of [FRONT, HOUSE, LIBRARY]) names.delete(`${root}${entry}`);
  return names;
}

function sharedByCommands(root: string, infoOf: (id: string) => Info | null): Set<string> {
  const program = reached([`${root}${PROGRAM}`], infoOf);
  const named = [...program].flatMap((id) => infoOf(id)?.dynamicallyImportedIds ?? []);
  const shares = new Map<string, number>();
  for (const command of new Set(named.filter((id) => COMMANDS.test(id)))) {
    for (const id of reached([command], infoOf)) shares.set(id, (shares.get(id) ?? 0) + 1);
  }
  const shared = [...shares].flatMap(([id, count]) => (count >= SHARED_BY ? [id] : []));
  const needed = [PROGRAM, FIRST].flatMap((entry) => infoOf(`${root}${entry}`)?.importedIds ?? []);
  return reached([...shared, ...needed], infoOf);
}

/** Everything that is loaded with these. */
function reached(from: readonly string[], infoOf: (id: string) => Info | null): Set<string> {
  const found = new Set(from);
  for (const id of found) for (const next of infoOf(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** Of the entities of HTML nobody asks for any: directives are XML, which has five of its own. */
export function withoutHtmlEntities(): Plugin {
  const id = "\0no-html-entities";
  return {
    name: "without html entities",
    resolveId: (source) => (source.endsWith("/decode-data-html.js") ? id : null),
    load: (asked) => (asked === id ? "export const htmlDecodeTree = new Uint16Array([0]);" : null),
  };
}

/**
 * A line for each statement. Where nobody catches an error, Node prints the line that threw it: that must not be the
 * whole file.
 */
export function lineForEachStatement(): Plugin {
  return {
    name: "a line for each statement",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") chunk.code = inAscii(broken(chunk.code, this.parse(chunk.code)));
      }
    },
  };
}

function broken(code: string, tree: unknown): string {
  const ends = new Set<number>();
  walk(tree, (node) => {
    for (const list of [node.body, node.consequent]) {
      if (Array.isArray(list)) for (const { end } of list) ends.add(end);
    }
  });
  return inserted(code, new Map([...ends].map((end) => [end, "\n"])));
}

/** A text in which every letter is one byte is read and kept in half the time and room. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Everything in the folder is CommonJS, whatever the package itself says. A script that is run with what was compiled
 * before cannot import a module by itself: whoever runs it does it (`machine/compiled.ts`).
 */
export function asCommonJs(): Plugin {
  return {
    name: "as CommonJS",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") chunk.code = importing(chunk.code, this.parse(chunk.code));
      }
      this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
    },
  };
}

const ASKS = "(require.importing??(name=>import(name)))";

function importing(code: string, tree: unknown): string {
  const places = new Map<number, string>();
  walk(tree, ({ type, start }) => {
    if (type === "ImportExpression") places.set(Number(start), ASKS);
  });
  return inserted(code, places).replaceAll(`${ASKS}import(`, `${ASKS}(`);
}
