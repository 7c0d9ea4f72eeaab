/**
 * What left its process group by `setsid` is known by a mark in its environment (I3), which a process hands on to
 * all it starts. Linux only; a process that takes the mark off, and one whose number is lower than its ancestor's
 * because the system began to count anew, are not found.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export type Mark = { readonly SELVAGE_GROUP: string };

/** Between looking and killing one may start another; who does so for ever wins. */
const MOST_ROUNDS = 20;

export function newMark(): Mark {
  return { SELVAGE_GROUP: randomBytes(12).toString("hex") };
}

/** To be called when the group is gone: whoever bears the mark by then has left it. */
export function endStragglers(mark: Mark, leader: number): void {
  if (process.platform !== "linux") return;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const left = processesAfter(leader).filter((pid) => bears(pid, mark));
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
  }
}

/** Numbers are handed out upwards: what came before the leader need not be looked at. */
function processesAfter(leader: number): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > leader);
  } catch {
    return []; // not mounted
  }
}

/** False as well for what has ended, and for what belongs to somebody else. */
function bears(pid: number, { SELVAGE_GROUP: value }: Mark): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0SELVAGE_GROUP=${value}\0`);
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself, which is what was wanted.
  }
}
