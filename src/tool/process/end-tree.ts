/** Ends everybody who belongs to a process: TERM, and KILL for who is left after the grace. */
import { readFileSync } from "node:fs";
import { endGroup, groupExists } from "../group-kill.ts";
import type { Belonging } from "./marked.ts";

const LONGEST_PAUSE_MS = 100;
/** A keeper has this long to write down how it ended. */
const KEEPER_MS = 1_000;
/** Who starts others faster than they can be killed, for ever, wins. */
const MOST_ROUNDS = 200;

export type HowEnded = "none" | "stopped" | "killed";

/** `look` is asked before every round of signals, with the groups of the last: nobody is signalled on an old list. */
export async function endTree(
  look: (groups: readonly number[]) => Belonging,
  graceMs: number,
): Promise<HowEnded> {
  const told = new Set<number>();
  const deadline = performance.now() + graceMs;
  let how: HowEnded = "none";
  let emptySince: number | undefined;
  let theirs: readonly number[] = [];
  for (let round = 0, pauseMs = 5; round < MOST_ROUNDS; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const { members, keepers, groups } = look(theirs);
    theirs = groups;
    if (members.length === 0 && keepers.length === 0) return how;
    if (members.length === 0) {
      emptySince ??= performance.now();
      if (performance.now() - emptySince > KEEPER_MS) {
        round += 1;
        for (const pid of keepers) signal(pid, "SIGKILL");
      }
    } else {
      emptySince = undefined;
      const isOver = performance.now() >= deadline;
      if (isOver) round += 1;
      how = isOver ? "killed" : how === "none" ? "stopped" : how;
      if (isOver) for (const pid of members) signal(pid, "SIGKILL");
      else tellOnce(members, told);
    }
    // Not past the end of the grace: whoever keeps them ends them then as well, and it would not be known that they were killed.
    const left = deadline - performance.now();
    await new Promise((resolve) => setTimeout(resolve, left > 0 ? Math.min(pauseMs, left) : pauseMs));
  }
  return how;
}

/** Where the system does not tell who belongs together: the group that it leads. */
export async function endLeader(leader: number | undefined, graceMs: number): Promise<HowEnded> {
  if (leader === undefined || !groupExists(leader)) return "none";
  return endGroup(leader, graceMs);
}

/** The walls of a sandbox would fall on everybody inside, who are told one by one and shall have their time. */
function tellOnce(members: readonly number[], told: Set<number>): void {
  for (const pid of members.filter((found) => !told.has(found))) {
    told.add(pid);
    if (nameOf(pid) === "bwrap") continue;
    signal(pid, "SIGTERM");
    signal(pid, "SIGCONT"); // a stopped process would sit on its TERM until continued
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (!(pid > 1)) return; // 0 and -1 are everybody
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself, which is what was wanted.
  }
}
