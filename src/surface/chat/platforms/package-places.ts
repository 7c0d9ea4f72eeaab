/**
 * Where packages for chat platforms are: beside Selvage, or in the project's node_modules.
 *   - Beside Selvage comes first: what stands there only its user has put there.
 *   - The Chat SDK is the one that the adapter itself uses: two of them would not know each other's messages.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Load } from "./chat-sdk-packages.ts";

type Manifest = Readonly<Record<string, unknown>>;

interface Found {
  readonly folder: string;
  readonly manifest: Manifest;
}

const CONDITIONS = ["node", "import", "module", "default"];

/** `root`: the project's folder. `adapter`: the name of the package that speaks to the platform. */
export function loadNear(root: string, adapter: string, ours = import.meta.url): Load {
  const near = [ours, pathToFileURL(join(root, "package.json")).href];
  return async (name) => {
    const by = name === adapter ? undefined : foundFrom(near, adapter);
    const from = by ? [pathToFileURL(join(by.folder, "package.json")).href, ...near] : near;
    const found = foundFrom(from, name);
    if (!found) throw missing(name, root);
    return import(pathToFileURL(entryOf(found)).href);
  };
}

function foundFrom(places: readonly string[], name: string): Found | undefined {
  for (const place of places) {
    for (const folder of createRequire(place).resolve.paths(name) ?? []) {
      const manifest = manifestIn(join(folder, name));
      if (manifest) return { folder: join(folder, name), manifest };
    }
  }
  return undefined;
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined; // none there, or none that anybody could load
  }
}

/** As Node finds it for an `import`; a `require` would not see what is there for imports alone. */
function entryOf({ folder, manifest }: Found): string {
  const { exports, module, main } = manifest;
  const root = isMapping(exports) && "." in exports ? exports["."] : exports;
  const entry = [conditional(root), module, main].find((one) => typeof one === "string");
  return join(folder, typeof entry === "string" ? entry : "index.js");
}

function conditional(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isMapping(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = CONDITIONS.includes(condition) ? conditional(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In Node's own words, by which it is known. */
function missing(name: string, root: string): Error {
  const error = new Error(`Cannot find package '${name}' from ${root}`);
  return Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
}
