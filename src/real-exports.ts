/** The files of one thread, made anew from the store (F3). */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { writing } from "./core/disk-error.ts";
import { foldThread } from "./core/thread.ts";
import type { ThreadFiles } from "./core/thread-files.ts";
import type { World } from "./core/world.ts";
import { threadsFolder } from "./real-store.ts";
import { attachmentsFolder } from "./store/chat-files.ts";
import { exportAll } from "./store/exports.ts";
import { exportedSeq, forgetFolder, markExported, weighFolder } from "./store/thread-folder.ts";

/** Their paths, from the project's root. */
export async function exportThread(
  { store, machine }: Pick<World, "store" | "machine">,
  root: string,
  threadId: string,
): Promise<string[]> {
  const { events } = await store.load(threadId);
  const [row] = await store.find({ threadId });
  const owned = row?.owner != null && machine.ownerState(row.owner) !== "dead";
  const folder = join(threadsFolder(root), threadId);
  const thread = foldThread(threadId, events);
  const names = writing(folder, () => exportAll(folder, thread, events, owned));
  return names.map((name) => relative(root, join(folder, name)));
}

export function threadFilesOf(root: string): ThreadFiles {
  const folder = threadsFolder(root);
  const attached = attachmentsFolder(root);
  const weigh = (id: string) => weighFolder(folder, id) + weighFolder(attached, id);
  return {
    weigh: (threadIds) => threadIds.reduce((sum, id) => sum + weigh(id), 0),
    forget: (threadIds) =>
      threadIds.flatMap((id) => {
        try {
          forgetFolder(folder, id);
          if (existsSync(attached)) forgetFolder(attached, id);
          return [];
        } catch (error) {
          return [`The files of ${id} could not be removed: ${(error as Error).message}`];
        }
      }),
    exportedSeq: (threadId) => exportedSeq(folder, threadId),
    noteExported: (threadId, seq) => markExported(folder, threadId, seq),
  };
}
