/**
 * The SQLite library, loaded by the shortest way: what its package does to find the binary takes ten times as long as to
 * load it. Wherever anything is not as we know it (another platform, one built here, a variable that its finder reads),
 * the package decides. Its version is exact, and a test holds the two ways against each other.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Sqlite from "@photostructure/sqlite";

type Library = Pick<typeof Sqlite, "DatabaseSync">;

const PACKAGE = "@photostructure/sqlite";
/** What the finder of the package lets decide which binary it is. */
const VARIABLES = [
  "@PHOTOSTRUCTURE/SQLITE_PREBUILD",
  "npm_config_arch",
  "npm_config_platform",
  "LIBC",
  "PREBUILDS_ONLY",
];

let load: NodeJS.Require | undefined;

export function sqliteLibrary(): Library {
  load ??= createRequire(import.meta.url);
  return straight(load) ?? (load(PACKAGE) as typeof Sqlite);
}

function straight(load: NodeJS.Require): Library | undefined {
  const { platform, arch, env } = process;
  if (platform !== "linux" || VARIABLES.some((name) => env[name] !== undefined)) return undefined;
  try {
    const folder = folderAbove(import.meta.dirname);
    if (folder === undefined || existsSync(join(folder, "build"))) return undefined;
    const file = join(
      folder,
      "prebuilds",
      `${platform}-${arch}`,
      `${PACKAGE.replace("/", "+")}.${libc()}.node`,
    );
    return load(file) as Library;
  } catch {
    return undefined;
  }
}

/** Where Node would find the package, without all that it does to look there. */
function folderAbove(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", PACKAGE);
    if (existsSync(folder)) return folder;
    if (at === dirname(at)) return undefined;
  }
}

/** As the finder of the package tells them apart. */
function libc(): "glibc" | "musl" {
  return existsSync("/etc/alpine-release") ? "musl" : "glibc";
}
