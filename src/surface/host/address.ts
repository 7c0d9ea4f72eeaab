/**
 * Where the door of a host is: a small file beside the store. It is a hint: who reads it holds its owner against the
 * row of the host in the store, and its socket must be this user's.
 */
import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";

const address = z.object({
  /** As in the row of the host. */
  owner: z.string(),
  socket: z.string(),
  since: z.string(),
  version: z.string(),
  /** Platforms on which people can talk with it. */
  chat: z.optional(z.array(z.string())),
});

export type Address = z.infer<typeof address>;

const MOST_BYTES = 4_096;

export function threadsFolder(root: string): string {
  return join(root, ".ai", "threads");
}

/**
 * Where the door is. Processes in the sandbox do not see this folder: that they may not write there would not keep them
 * from coming in. No thread's folder can have this name.
 */
export function doorFolder(root: string): string {
  return join(threadsFolder(root), ".host");
}

/** False: it could not be written, and others will not find the door. */
export function writeAddress(root: string, said: Address): boolean {
  const path = addressPath(root);
  const fresh = `${path}.${process.pid}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(said)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
    return true;
  } catch {
    rmSync(fresh, { force: true });
    return false;
  }
}

/** Undefined: there is none, or it is not what a host of ours would have written. Looking opens no connection. */
export function readAddress(root: string): Address | undefined {
  try {
    const path = addressPath(root);
    const there = statSync(path);
    if (!there.isFile() || there.size > MOST_BYTES || !isOurs(there.uid)) return undefined;
    return address.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

export function removeAddress(root: string, owner: string): void {
  if (readAddress(root)?.owner === owner) rmSync(addressPath(root), { force: true });
}

/** Whoever could put another socket there would be told what we ask. */
export function isOurSocket(path: string): boolean {
  try {
    const there = lstatSync(path);
    return there.isSocket() && isOurs(there.uid);
  } catch {
    return false;
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function addressPath(root: string): string {
  return join(threadsFolder(root), "serve.json");
}
