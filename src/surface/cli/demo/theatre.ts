/**
 * The folder in which the demo plays, and its end: whatever happens, no process of it stays, and no folder that nobody
 * wanted to keep.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskWhy } from "../../../core/disk-error.ts";
import { Problem } from "../../../core/problem.ts";
import type { World } from "../../../core/world.ts";
import { DemoPlace } from "./child.ts";
import { endProcesses, processesOf } from "./leftovers.ts";
import { type Pace, writeDemoProject } from "./project.ts";

export class Theatre {
  readonly place: DemoPlace;
  readonly isKept: boolean;
  readonly #ours: Readonly<Record<string, string | undefined>>;

  /** `dir`: a folder of the user's, which is kept. */
  constructor({ dir, keep, pace }: { dir?: string | undefined; keep: boolean; pace: Pace }) {
    this.isKept = keep || dir !== undefined;
    const isTheirs = dir !== undefined && existsSync(dir);
    this.place = new DemoPlace(dir === undefined ? temporaryFolder() : emptyFolder(dir));
    try {
      mkdirSync(this.place.home, { recursive: true, mode: 0o700 });
      writeDemoProject(this.place.project, pace);
    } catch (cause) {
      takeBack(this.place.folder, isTheirs);
      throw noRoom(this.place.folder, cause);
    }
    const names = Object.keys(this.place.environment);
    this.#ours = Object.fromEntries(names.map((name) => [name, process.env[name]]));
    // The demo is its own user: it neither reads this one's settings nor writes into this one's trust record.
    Object.assign(process.env, this.place.environment);
  }

  /** Nobody goes on for a story that is over. Those who keep a process beside them are told first that it is. */
  async empty(world: World | undefined): Promise<void> {
    this.place.killAll();
    const rows = (await world?.store.find({})) ?? [];
    for (const { thread_id: threadId, chain_root_id: chainRootId } of rows)
      await world?.processes?.endAll({ chainRootId, threadId }, []);
    endProcesses(processesOf(rows.map(({ thread_id }) => thread_id)));
  }

  /** The short way, when there is no time: each thread has a folder of its name. */
  emptyNow(): void {
    this.place.killAll();
    const threads = join(this.place.project, ".ai/threads");
    endProcesses(processesOf(existsSync(threads) ? readdirSync(threads) : []));
    this.close();
  }

  close(): void {
    for (const [name, value] of Object.entries(this.#ours)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    if (!this.isKept) this.remove();
  }

  /** A tool that is just ending may still write. */
  remove(): void {
    rmSync(this.place.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** A folder of the user's that was empty is empty again, and stays. */
function takeBack(folder: string, isTheirs: boolean): void {
  try {
    const ours = isTheirs ? readdirSync(folder).map((name) => join(folder, name)) : [folder];
    for (const path of ours) rmSync(path, { recursive: true, force: true });
  } catch {
    // What takes no file may not let one go either; why it takes none is what is told.
  }
}

function temporaryFolder(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), "selvage-demo-")));
  } catch (cause) {
    throw noRoom(tmpdir(), cause);
  }
}

function emptyFolder(dir: string): string {
  if (existsSync(dir) && isTaken(dir))
    throw new Problem("E_EXISTS", {
      what: `There is something in ${dir} already.`,
      why: "The demo writes a project of its own and keeps it there; nothing was written over.",
      next: [{ cmd: "selvage demo --dir NEW-FOLDER", why: "a folder that is empty or not there yet" }],
    });
  try {
    mkdirSync(dir, { recursive: true });
    return realpathSync(dir);
  } catch (cause) {
    throw noRoom(dir, cause);
  }
}

function isTaken(dir: string): boolean {
  try {
    return readdirSync(dir).length > 0;
  } catch {
    return true; // it is a file, or nobody may look into it
  }
}

function noRoom(folder: string, cause: unknown): Problem {
  return new Problem("E_DISK", {
    what: "The demo has no place to play.",
    why: `${folder} cannot be written to: ${diskWhy(cause)}`,
    next: [{ cmd: "selvage demo --dir FOLDER", why: "another folder; it is kept afterwards" }],
    cause,
  });
}
