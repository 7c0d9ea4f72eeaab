/** A thread whose journal is damaged cannot go on; it can be ended. */
import { Problem } from "../../core/problem.ts";
import type { Damage } from "../../core/row.ts";

export function damagedThread(threadId: string, damage: Damage): Problem {
  return new Problem("E_CORRUPT", {
    what: `${threadId} is damaged and cannot go on.`,
    why: `Event ${damage.last_good} is its last good one: ${damage.why}.`,
    next: [
      { cmd: `selvage recover ${threadId} --mark-error`, why: "ends it; what is stored stays" },
      { cmd: `selvage fork ${threadId}`, why: "a new thread goes on from its last turn that can be read" },
      { cmd: `selvage logs ${threadId}`, why: "what is left of it" },
    ],
    threadId,
  });
}
