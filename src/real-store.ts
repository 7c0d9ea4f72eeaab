/** The store of a project on this machine: where it is, whose it is, and how it may be opened. */

import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { operatorRefusal } from "./config/operator.ts";
import { isListed, readTrust, type Trust, trustProject } from "./config/trust.ts";
import { diskWhy } from "./core/disk-error.ts";
import { randomName } from "./core/id.ts";
import { Problem } from "./core/problem.ts";
import type { Settings } from "./core/settings.ts";
import type { Store } from "./core/store.ts";
import type { Machine, World } from "./core/world.ts";
import { randomBytes, realClock, sha256 } from "./machine/index.ts";
import { openExports } from "./store/exports.ts";
import { openInbox } from "./store/inbox.ts";
import { type LaterExports, laterExports } from "./store/later-exports.ts";
import { peekRewrite, peekStoreId } from "./store/peek.ts";
import { memoryDisk, openMemoryStore } from "./store/stores/memory.ts";
import type { StoreNeeds } from "./store/stores/needs.ts";
import { openSqliteStore } from "./store/stores/sqlite.ts";
import type { TrustState } from "./surface/cli/house.ts";

export function threadsFolder(root: string): string {
  return join(root, ".ai", "threads");
}

export function storePath(root: string): string {
  return join(threadsFolder(root), "registry.db");
}

/** Whoever opens a pipe waits for the other end, and a device may never end: neither is a store. */
export function hasStore(root: string): boolean {
  try {
    return statSync(storePath(root)).isFile();
  } catch {
    return false; // it is not there, or not ours to look at
  }
}

/** A project on a disk that is mounted to be read, or of somebody else: who only looks at it need not write. */
export function isWritable(root: string): boolean {
  try {
    for (const path of [threadsFolder(root), storePath(root)]) accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"; // then it is made, or found out why not
  }
}

/** Whether this user said yes to this project as it is; finding out changes nothing and runs nothing (F7). */
export function trustOf(root: string): Trust {
  // The store of a stranger may be damaged, and of ours a copy would be kept: it is not opened to find that out.
  const storeId = hasStore(root) && isListed(root) ? peekStoreId(storePath(root)) : undefined;
  return storeId === undefined ? { type: "unknown" } : readTrust(root, storeId);
}

/** The same, as the surfaces have it. */
export function trustStateOf(root: string): TrustState {
  const trust = trustOf(root);
  return { trusted: trust.type === "trusted", changedFiles: trust.type === "changed" ? trust.files : [] };
}

/**
 * For a file that we wrote ourselves into a project that was trusted a moment ago: nobody should be asked about it.
 * If something else has changed meanwhile, that is asked about.
 */
export function trustAgain(root: string, file: string): void {
  const trust = trustOf(root);
  const storeId = peekStoreId(storePath(root));
  if (trust.type !== "changed" || storeId === undefined) return;
  if (!trust.files.every((changed) => changed === file)) return;
  try {
    trustProject(root, storeId, realClock.now());
  } catch (cause) {
    // The file is as it was asked for; who only heard of the record would take it for unchanged.
    throw new Problem("E_DISK", {
      what: `${file} was changed, but that you trust the change could not be noted.`,
      why: cause instanceof Problem ? `${cause.message} ${cause.why ?? ""}` : diskWhy(cause),
      next: [{ cmd: "selvage trust --yes", why: "once there is room again" }],
      cause,
    });
  }
}

export function openStore(
  root: string,
  durability: Settings["durability"],
  machine: Machine,
  notify: World["notify"],
): Store {
  const path = storePath(root);
  const bytes = peekRewrite(path);
  if (bytes !== undefined) notify({ type: "rewriting", bytes });
  return openSqliteStore({ ...storeNeeds(machine), path, durability });
}

/** Somebody else's store is read and never written; where there is none, none is made. */
export function openAsGuest(root: string, machine: Pick<Machine, "ownerState">): Store {
  const needs = storeNeeds(machine);
  if (!hasStore(root)) return openMemoryStore(memoryDisk(""), needs);
  return openSqliteStore({ ...needs, path: storePath(root), durability: "strict", readOnly: true });
}

function storeNeeds(machine: Pick<Machine, "ownerState">): StoreNeeds {
  return {
    now: realClock.now,
    sha256,
    newId: () => randomName(randomBytes(20)),
    ownerState: (owner) => machine.ownerState(owner),
  };
}

/** The files beside the store: exports, and what somebody puts there to be asked. */
export function openFiles(
  root: string,
  notify: World["notify"],
): Pick<World, "inbox"> & { readonly exports: LaterExports } {
  const folder = threadsFolder(root);
  return {
    exports: laterExports(openExports(folder, (message) => notify({ type: "export_failed", message }))),
    inbox: openInbox(folder, (token) => operatorRefusal(token) ?? true),
  };
}
