/** Signals to a whole process group. None of this fails: a group that is gone is what was wanted. */
import { readdirSync, readFileSync } from "node:fs";
import type { Guard } from "./guard.ts";
import { descendantsOf } from "./process-tree.ts";

const LONGEST_PAUSE_MS = 100;

/** One member that does not count: it stays to the end, whatever it is told. */
type Watcher = Pick<Guard, "isThere" | "dismiss">;

const NOBODY: Watcher = { isThere: () => false, dismiss: () => {} };

/** How a group was ended: told to, or by force because it was still there after the grace. */
export type GroupEnded = "stopped" | "killed";

/** TERM, and KILL for what is left after the grace. Returns when the group is gone or killed. */
export async function endGroup(
  pgid: number,
  graceMs: number,
  guard: Watcher = NOBODY,
  term: () => void = termOnce(pgid),
): Promise<GroupEnded> {
  const deadline = performance.now() + graceMs;
  let how: GroupEnded = "stopped";
  term();
  if (processNames().length === 0) guard.dismiss(); // who cannot count must do without it for the grace
  for (let pauseMs = 5; othersLive(pgid, guard); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) {
      how = "killed";
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    term();
  }
  // Also who stayed to the end and does not count, and zombies.
  if (groupExists(pgid)) signalGroup(pgid, "SIGKILL");
  return how;
}

function termOnce(pgid: number): () => void {
  let isTold = false;
  return () => {
    if (isTold) return;
    isTold = true;
    signalGroup(pgid, "SIGTERM");
    signalGroup(pgid, "SIGCONT"); // a stopped process would sit on its TERM until continued
  };
}

/**
 * For a group that consists of the sandbox: its leader would die of a TERM and take along everybody inside, who have
 * left the group. So these are told one by one, each once; one that was just being started, a round later.
 */
export function termInside(leader: number): () => void {
  const told = new Set<number>();
  return () => {
    for (const pid of descendantsOf(leader).filter((found) => !told.has(found))) {
      told.add(pid);
      signalOne(pid, "SIGTERM");
      signalOne(pid, "SIGCONT");
    }
  };
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself, which is what was wanted.
  }
}

export function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  sent(pgid, signal);
}

/** Zombies belong to their group until somebody reaps them, and in a container often nobody does: they do not count. */
function othersLive(pgid: number, guard: Watcher): boolean {
  if (!groupExists(pgid)) return false;
  const names = processNames();
  return names.length === 0 || liveMembers(names, pgid) > (guard.isThere() ? 1 : 0);
}

/** None where the system does not tell. */
function processNames(): string[] {
  if (process.platform !== "linux") return [];
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // not mounted
  }
}

function liveMembers(names: readonly string[], pgid: number): number {
  return names.filter((name) => isLiveMember(name, pgid)).length;
}

export function groupExists(pgid: number): boolean {
  return sent(pgid, 0);
}

function sent(pgid: number, signal: NodeJS.Signals | 0): boolean {
  if (!(pgid > 1)) return false; // kill(-1) would reach every process of the user
  try {
    return process.kill(-pgid, signal);
  } catch {
    return false;
  }
}

/** In /proc/PID/stat state and group are the 1st and 3rd field after the name, which may itself hold `) `. */
function isLiveMember(name: string, pgid: number): boolean {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    const [state, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return Number(group) === pgid && state !== "Z" && state !== "X";
  } catch {
    return false; // ended while we looked
  }
}
