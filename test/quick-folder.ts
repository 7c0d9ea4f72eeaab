/**
 * A folder in memory, where the machine has such a place, and among the temporary files elsewhere. For tests that
 * open hundreds of databases and whose deaths end a world, never the machine: there the wait for a disk proves nothing.
 */
import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const IN_MEMORY = "/dev/shm";
const ROOM_BYTES = 512 * 1024 * 1024;

export function quickFolder(name: string): string {
  const folder = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), `selvage-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
