/**
 * Processes of threads that are over are stopped by the next host (R5, P16). There should be none: whoever writes an end
 * stops them first. But a disk that took no note, or a host that woke up after its thread had ended, may have left one.
 * Those of threads that have not ended stay: whoever recovers the thread takes them on, whoever ends it stops them.
 * It costs one look at the machine, and one at the store for each thread that something is there of.
 */
import { isTerminal } from "../core/status.ts";
import type { World } from "../core/world.ts";

/** Never fails: the next host looks again. */
export async function sweepProcesses({ processes, store, notify }: World): Promise<void> {
  try {
    const found = await processes?.strays(async (threadId) => {
      const [row] = await store.find({ threadId, limit: 1 });
      return row && isTerminal(row.status) ? row.chain_root_id : undefined;
    });
    await Promise.all(
      (found ?? []).map(async ({ threadId, ...stray }) => {
        const { why } = (await processes?.stop(stray)) ?? {};
        // A keeper that is just about to go needs no word.
        if (why === "stopped" || why === "killed")
          notify({ type: "process_reaped", threadId, handle: stray.handle });
      }),
    );
  } catch {
    // see above
  }
}
