/** Who may be taken up before what woke it is durable. */
import type { Candidate } from "./claim.ts";
import { runningProcesses } from "./managed.ts";
import { inFlight } from "./recover.ts";
import type { Request } from "./request.ts";
import type { Thread } from "./thread.ts";

type Woken = Pick<Candidate, "requests"> & { readonly row: Pick<Candidate["row"], "corrupt"> };

/**
 * Whether all that a thread at rest can do with what it is told is to write it down: no call of it is in doubt, which a
 * tool might be asked about, and no process of it runs, which its end would stop. Everything else waits for a commit.
 * What is said in a channel is not so urgent: words that come one after the other are heard together.
 */
export function onlyWrites({ row, requests }: Woken, thread: Thread): boolean {
  if (row.corrupt || thread.step?.doubted || requests.some(isHeard)) return false;
  return inFlight(thread).length === 0 && runningProcesses(thread).length === 0;
}

function isHeard(request: Request): boolean {
  return request.kind === "outcome" && request.outcome.type === "channel_heard";
}
