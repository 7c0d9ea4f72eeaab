/**
 * Our own files, loaded with what an earlier start has compiled of them. Node below 22 keeps nothing of the kind, and
 * compiling is most of what a start costs.
 *   C1. Nothing here fails a start: what cannot be used is compiled, what cannot be written is not kept.
 *   C2. What is kept is run. It is read and written only where this user alone could have put it.
 *   C3. V8 looks at the length of a text and at nothing else, and not at all at what is kept of it. So that is held
 *       against a sum, and against the version, name, size and time of the file.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { type Kept, keepAll } from "./compiled-files.ts";

export interface CompiledPlaces {
  /** Where the files are: built as CommonJS, in ASCII, and asking for each other as `./name`. */
  readonly files: string;
  /** A folder of this user for what is compiled; nothing is kept while the one above it is not there. */
  readonly kept: string;
  /** Whatever makes what is compiled another: our version. Node's own and the processor's are added. */
  readonly version: string;
}

interface Loaded {
  readonly script: Script;
  /** What this file was when it was read. */
  readonly of: string;
  /** How often what is kept was written after which command; undefined where nothing could be used. */
  readonly after: Readonly<Record<string, number>> | undefined;
}

/** What is smaller than this is compiled faster than it is looked up. */
const WORTH_KEEPING = 20_000;

/** Each command needs other functions; from its first ends they are added to what is kept. */
const ENDS_OF_EACH = 3;

export class Compiled {
  readonly #places: CompiledPlaces;
  readonly #folder: string;
  readonly #isOurs: boolean;
  readonly #others: NodeJS.Require;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #loaded = new Map<string, Loaded>();

  constructor(places: CompiledPlaces) {
    this.#places = places;
    this.#folder = join(places.kept, `${places.version}-${process.version}-${process.arch}`);
    this.#isOurs = isOwn(join(places.kept, ".."));
    this.#others = createRequire(join(places.files, "any.js"));
  }

  /** What the file exports. */
  load(name: string): unknown {
    const known = this.#modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} as unknown };
    this.#modules.set(name, module);
    const path = join(this.#places.files, name);
    const ask = (id: string) => (id.startsWith("./") ? this.load(id.slice(2)) : this.#others(id));
    ask.importing = importing;
    try {
      const run = this.#compile(name, path).runInThisContext() as (...args: unknown[]) => void;
      run.call(module.exports, module.exports, ask, module, path, this.#places.files);
    } catch (error) {
      this.#modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  /** Once the command has shown what it needs. Says how many files were written. */
  keep(command: string): number {
    const gains = [...this.#loaded].filter(
      ([, { after }]) => after === undefined || (after[command] ?? 0) < ENDS_OF_EACH,
    );
    if (!this.#isOurs || gains.length === 0) return 0;
    // Of one that is new the others will have run more than before, too.
    const isNew = gains.some(([, { after }]) => after === undefined);
    const files = (isNew ? [...this.#loaded] : gains).map(([name, { script, of, after = {} }]): Kept => {
      const data = script.createCachedData();
      return {
        name,
        head: { of, sum: sumOf(data), after: { ...after, [command]: (after[command] ?? 0) + 1 } },
        data,
      };
    });
    return keepAll({
      folder: this.#folder,
      all: this.#places.kept,
      files,
      isStill: (name) => this.#isThere(name),
    });
  }

  #isThere(name: string): boolean {
    return existsSync(join(this.#places.files, name));
  }

  #compile(name: string, path: string): Script {
    const { text, of } = readSource(path);
    const isWorthIt = this.#isOurs && text.length >= WORTH_KEEPING;
    const kept = isWorthIt ? readKept(join(this.#folder, name), of) : undefined;
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
      filename: path,
      cachedData: kept?.data,
    });
    if (isWorthIt)
      this.#loaded.set(name, {
        script,
        of,
        after: script.cachedDataRejected === false ? kept?.after : undefined,
      });
    return script;
  }
}

/** A script of this kind cannot import a module; the build leaves that to whoever runs it (`scripts/chunks.ts`). */
const importing = (name: string): Promise<unknown> => import(name);

function readSource(path: string): { text: string; of: string } {
  const file = openSync(path, "r");
  try {
    const { size, mtimeMs } = fstatSync(file);
    return { text: readFileSync(file, "latin1"), of: `${size} ${mtimeMs}` };
  } finally {
    closeSync(file);
  }
}

/** Undefined where there is nothing, or nothing that can be trusted. */
function readKept(path: string, of: string): (Pick<Kept, "data"> & Kept["head"]) | undefined {
  try {
    const file = openSync(path, "r");
    try {
      if (!isPrivate(fstatSync(file))) return undefined;
      const bytes = readFileSync(file);
      const end = bytes.indexOf("\n");
      const head = JSON.parse(bytes.toString("latin1", 0, end)) as Kept["head"];
      const data = bytes.subarray(end + 1);
      return head.of === of && head.sum === sumOf(data) ? { ...head, data } : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Whoever runs this as somebody else than the owner of the folder, by `sudo` say, neither reads nor leaves anything. */
function isOwn(folder: string): boolean {
  try {
    return isPrivate(statSync(folder));
  } catch {
    return false;
  }
}

function isPrivate({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const { getuid } = process;
  return getuid === undefined || (uid === getuid() && (mode & 0o022) === 0);
}

function sumOf(data: Uint8Array): string {
  // Loaded here: who asks for help never gets this far.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(data).digest("base64");
}
