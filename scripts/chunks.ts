/**
 * How the package is cut into files. A start pays for every file and for every byte of it, so each way in loads few
 * files with little in them that it does not need. What depends on what decides, and no list that somebody has to keep.
 */
import type { Plugin } from "rolldown";

type Context = { getModuleInfo(id: string): Info | null };
type Info = { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] };
type Group = { readonly priority: number; name(id: string, context: Context): string | null };

/** In this order: what an earlier one needs is not in a later one, so that no two of them need each other. */
const LAYERS: readonly (readonly [name: string, entry: string])[] = [
  ["door", "src/cli.ts"],
  ["engine", "src/index.ts"],
  ["house", "src/main.ts"],
  ["parser", "src/surface/cli/play.ts"],
];
const COMMANDS = /\/src\/surface\/cli\/commands\/[\w-]+\.ts$/;
/** What so many commands need is in one file for all of them. */
const SHARED_BY = 4;

/** The files, and which module is in which of them; what only few need is left to the bundler. */
export function chunkGroups(root: string): Group[] {
  let names: Map<string, string> | undefined;
  return [...LAYERS.map(([name]) => name), "commands"].map((wanted, place) => ({
    // Whatever a module needs goes where it goes, so the first has to be first.
    priority: LAYERS.length - place,
    name: (id, context) => {
      names ??= namesOf(root, (module) => context.getModuleInfo(module));
      return names.get(id) === wanted ? wanted : null;
    },
  }));
}

function namesOf(root: string, infoOf: (id: string) => Info | null): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, entry] of LAYERS) {
    for (const id of reached([`${root}${entry}`], infoOf)) if (!names.has(id)) names.set(id, name);
  }
  const shares = new Map<string, number>();
  for (const command of commandsOf(`${root}src/surface/cli/play.ts`, infoOf)) {
    for (const id of reached([command], infoOf)) shares.set(id, (shares.get(id) ?? 0) + 1);
  }
  const shared = [...shares].flatMap(([id, count]) => (count >= SHARED_BY ? [id] : []));
  for (const id of reached(shared, infoOf)) if (!names.has(id)) names.set(id, "commands");
  // Where a way in begins is a file of its own, named after it.
  for (const [, entry] of LAYERS) names.delete(`${root}${entry}`);
  return names;
}

function commandsOf(program: string, infoOf: (id: string) => Info | null): string[] {
  const found = reached([program], infoOf).flatMap((id) => [...(infoOf(id)?.dynamicallyImportedIds ?? [])]);
  return [...new Set(found)].filter((id) => COMMANDS.test(id));
}

/** Everything that is loaded with these. */
function reached(from: readonly string[], infoOf: (id: string) => Info | null): string[] {
  const found = new Set(from);
  for (const id of found) for (const next of infoOf(id)?.importedIds ?? []) found.add(next);
  return [...found];
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
        if (chunk.type === "chunk") chunk.code = broken(chunk.code, this.parse(chunk.code));
      }
    },
  };
}

function broken(code: string, tree: unknown): string {
  const ends = new Set<number>();
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (Array.isArray(value)) {
        if (key === "body" || key === "consequent") for (const { end } of value) ends.add(end);
        for (const each of value) walk(each);
      } else walk(value);
    }
  };
  walk(tree);
  const lines: string[] = [];
  let from = 0;
  for (const end of [...ends].sort((left, right) => left - right)) {
    lines.push(code.slice(from, end));
    from = end;
  }
  return [...lines, code.slice(from)].join("\n");
}
