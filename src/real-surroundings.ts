/** This machine and the folder of a project, as `selvage doctor` looks at them. Looking changes nothing. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { ignoreThreads, threadsAreIgnored } from "./config/init.ts";
import { lookAtProviders } from "./config/providers.ts";
import type { FolderFacts, Reached, RuntimeFacts, Surroundings } from "./core/surroundings.ts";
import { hasStore, storePath, threadsFolder } from "./real-store.ts";
import { isSafeLibrary, openDriver } from "./store/driver.ts";

const NODE_FLOOR = "20.19.0";
/** Whoever writes a file needs a moment: what is younger may be somebody's. */
const LEFT_AFTER_MS = 60_000;
const REACH_MS = 3_000;
/** Where the head of a database says how it is written and read, and what both are in WAL. */
const WRITE_VERSION_AT = 18;
const WAL = 2;

export const surroundings: Surroundings = {
  runtime,
  folder,
  providers: (trustedRoot) =>
    [...lookAtProviders(trustedRoot).providers.values()].map(({ id, baseUrl, keys, keyWithheld }) => ({
      id,
      address: baseUrl,
      keys: keys.map(({ variable }) => ({ variable, isSet: Boolean(process.env[variable]?.trim()) })),
      keyWithheld: keyWithheld ?? null,
    })),
  reach,
  mend: (root) => {
    const gone = leftoversIn(root).map((path) => {
      rmSync(join(root, path), { force: true });
      return `removed ${path}`;
    });
    const isOpen = isInGit(root) && !threadsAreIgnored(root);
    if (isOpen) ignoreThreads(join(root, ".gitignore"));
    return [...gone, ...(isOpen ? ["wrote .ai/threads/ into .gitignore"] : [])];
  },
};

function runtime(): RuntimeFacts {
  const driver = openDriver(":memory:");
  try {
    const sqlite = String(driver.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
    return {
      node: process.versions.node,
      nodeFloor: NODE_FLOOR,
      platform: `${process.platform} ${process.arch}`,
      sqlite,
      sqliteIsSafe: isSafeLibrary(sqlite),
    };
  } finally {
    driver.close();
  }
}

function folder(root: string): FolderFacts {
  const place = existsSync(threadsFolder(root)) ? threadsFolder(root) : join(root, ".ai");
  return {
    isWritable: isWritable(place),
    freeBytes: freeBytes(place),
    leftovers: leftoversIn(root),
    isIgnored: isInGit(root) ? threadsAreIgnored(root) : null,
    journalMode: hasStore(root) ? journalMode(storePath(root)) : null,
    storeBytes: hasStore(root) ? statSync(storePath(root)).size : 0,
  };
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // that it is not is the answer
  }
}

function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null; // not every file system tells
  }
}

/** As the head of the file has it: a connection that only reads, with no log beside the store, knows no better than `delete`. */
function journalMode(path: string): string | null {
  const versions = Buffer.alloc(2);
  const file = openSync(path, "r");
  try {
    if (readSync(file, versions, 0, 2, WRITE_VERSION_AT) < 2) return null;
  } finally {
    closeSync(file);
  }
  return versions.every((version) => version === WAL) ? "wal" : "rollback";
}

function leftoversIn(root: string): string[] {
  const folder = threadsFolder(root);
  if (!existsSync(folder)) return [];
  const now = Date.now();
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^\.selvage-.*\.tmp$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > LEFT_AFTER_MS)
    .map((path) => relative(root, path));
}

function isInGit(root: string): boolean {
  for (let at = root; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}

async function reach(address: string): Promise<Reached> {
  const startedAt = performance.now();
  try {
    const answer = await fetch(address, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(REACH_MS),
    });
    const date = Date.parse(answer.headers.get("date") ?? "");
    return { ms: Math.round(performance.now() - startedAt), date: Number.isNaN(date) ? null : date };
  } catch (error) {
    return { failed: whyUnreachable(error) };
  }
}

function whyUnreachable(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError") return `no answer within ${REACH_MS / 1_000} s`;
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? "no answer";
}
