/** Who may be taken up before what woke it is durable. */
import { runningProcesses } from "./managed.ts";
import { inFlight } from "./recover.ts";
import type { ThreadRow } from "./row.ts";
import type { Thread } from "./thread.ts";

/**
 * Whether all that a thread at rest can do with what it is told is to write it down: no call of it is in doubt, which a
 * tool might be asked about, and no process of it runs, which its end would stop. Everything else waits for a commit.
 */
export function onlyWrites({ corrupt }: Pick<ThreadRow, "corrupt">, thread: Thread): boolean {
  if (corrupt || thread.step?.doubted) return false;
  return inFlight(thread).length === 0 && runningProcesses(thread).length === 0;
}
