/** Who is left of the demo's threads: processes that were started for one of them bear its name (Linux only). */
import { readdirSync, readFileSync } from "node:fs";

/** Their tools, and what they keep beside them. */
export function processesOf(threadIds: readonly string[]): number[] {
  const marks = threadIds.map((id) => `\0SELVAGE_THREAD=${id}\0`);
  if (process.platform !== "linux" || marks.length === 0) return [];
  return pids().filter((pid) => {
    const environment = environmentOf(pid);
    return marks.some((mark) => environment.includes(mark));
  });
}

/** By force: nobody will ask for what they do any more. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself, which is what was wanted.
    }
  }
}

function pids(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1 && pid !== process.pid);
  } catch {
    return []; // not mounted
  }
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
  } catch {
    return ""; // it has ended, or belongs to somebody else
  }
}
