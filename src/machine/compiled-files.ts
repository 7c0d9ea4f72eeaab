/** Writes what was compiled beside what is there, and clears away what nobody will ask for again. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Kept {
  readonly name: string;
  readonly head: {
    /** The file that it was compiled from, as it was then. */
    readonly of: string;
    readonly sum: string;
    readonly after: Readonly<Record<string, number>>;
  };
  readonly data: Uint8Array;
}

interface Keeping {
  readonly folder: string;
  /** Where the folders of all versions are. */
  readonly all: string;
  readonly files: readonly Kept[];
  /** Whether there is a file of this name to compile. */
  isStill(name: string): boolean;
}

const FORGOTTEN_AFTER_MS = 30 * 24 * 3_600_000;

/** How many were written. */
export function keepAll({ folder, all, files, isStill }: Keeping): number {
  try {
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    for (const file of files) write(folder, file);
    if (isNew) forgetVersions(all, folder);
    for (const name of readdirSync(folder)) if (!isStill(name)) rmSync(join(folder, name), { force: true });
    return files.length;
  } catch {
    return 0;
  }
}

/** Whoever reads it meanwhile finds the old one whole or the new one whole. */
function write(folder: string, { name, head, data }: Kept): void {
  const draft = join(folder, `${name}.${process.pid}`);
  try {
    const line = Buffer.from(`${JSON.stringify(head)}\n`, "latin1");
    writeFileSync(draft, Buffer.concat([line, data]), { mode: 0o600, flag: "wx" });
    renameSync(draft, join(folder, name));
  } catch (cause) {
    rmSync(draft, { force: true });
    throw cause;
  }
}

/** A version that somebody still starts writes its own anew; that costs them one slow start. */
function forgetVersions(all: string, but: string): void {
  for (const entry of readdirSync(all)) {
    const folder = join(all, entry);
    if (folder === but || Date.now() - statSync(folder).mtimeMs < FORGOTTEN_AFTER_MS) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}
