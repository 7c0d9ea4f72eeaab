/** `selvage export --files`: makes the files of a thread anew from the store (F3). */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import { resolveThreads } from "../resolve.ts";
import type { Session } from "../session.ts";

interface ExportOptions {
  readonly all?: boolean;
  readonly files?: boolean;
}

export function exportCommand(play: Play): Command {
  return new Command("export")
    .description("make a thread's files anew from the store")
    .argument("[ids...]", "threads")
    .option("--all", "every thread")
    .option("--files", "the files in .ai/threads/ID/")
    .action((ids: string[], options: ExportOptions) =>
      play((session) => exportThreads(session, ids, options)),
    );
}

async function exportThreads(
  session: Session,
  ids: readonly string[],
  options: ExportOptions,
): Promise<Answer> {
  if (!options.files) throw usage("What to export was not said.", "This version writes files: --files.");
  if (!options.all && ids.length === 0) throw usage("Which thread was not said.", "Name one, or --all.");
  const project = session.openTrusted();
  const { store } = project.world;
  const rows = options.all ? await store.find({}) : await resolveThreads(store, ids);
  const files: string[] = [];
  let exported = 0;
  for (const row of rows) {
    if (options.all && (await isDamaged(project.world, row))) {
      session.warn(`${row.thread_id} is damaged: its files were left as they are, they may be all there is.`);
      continue;
    }
    await requireWhole(project.world, row);
    files.push(...(await project.exportFiles(row.thread_id)));
    exported += 1;
  }
  const text = files.length === 0 ? "Nothing to export." : files.join("\n");
  const hint = `${counted(exported, "thread")}, ${counted(files.length, "file")}`;
  return { kind: "export", exit: 0, data: { threads: exported, files }, text, hint };
}

async function isDamaged({ store, exports }: World, row: ThreadRow): Promise<boolean> {
  if (row.corrupt !== null) return true;
  const { events, damage } = await store.load(row.thread_id);
  // Whoever owns a thread keeps its transcript; any other is compared with the store before it is replaced.
  return (
    damage !== undefined || (row.owner === null && exports.reconcile(row.thread_id, events) !== undefined)
  );
}

/** The old files of a damaged thread may hold what the store lost: they are not written over. */
async function requireWhole(world: World, row: ThreadRow): Promise<void> {
  if (!(await isDamaged(world, row))) return;
  throw new Problem("E_CORRUPT", {
    what: `${row.thread_id} is damaged, so its files were left as they are.`,
    why: "They may hold what the store lost.",
    next: [{ cmd: "selvage verify", why: "what is damaged" }],
    threadId: row.thread_id,
  });
}

function usage(what: string, why: string): Problem {
  const next = [
    { cmd: "selvage export @last --files", why: "the last thread" },
    { cmd: "selvage export --all --files", why: "every thread" },
  ];
  return new Problem("E_USAGE", { what, why, next });
}
