/** `selvage export`: a run in one file for somebody else; with `--files`, a thread's own files anew from the store (F3). */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { type Form, handOver } from "../handed/hand.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import { resolveThreads } from "../resolve.ts";
import type { Session } from "../session.ts";

interface ExportOptions {
  readonly all?: boolean;
  readonly files?: boolean;
  readonly html?: boolean;
  readonly md?: boolean;
  readonly chain?: boolean;
  readonly redact?: boolean;
  readonly output?: string;
}

export function exportCommand(play: Play): Command {
  return new Command("export")
    .description("hand a run to someone else as one file; or make a thread's own files anew")
    .argument("[ids...]", "threads")
    .option("--html", "one page that asks nobody for anything")
    .option("--md", "Markdown")
    .option("--chain", "with all threads of its chain")
    .option("--redact", "also without what tools were given and said, and who answered")
    .option("-o, --output <file>", "into this file; - is stdout")
    .option("--files", "the files in .ai/threads/ID/, from the store")
    .option("--all", "with --files: of every thread")
    .action((ids: string[], options: ExportOptions) =>
      play((session) => {
        const form = formOf(session, options);
        return form === undefined ? exportThreads(session, ids, options) : hand(session, ids, form, options);
      }),
    );
}

/** `--jsonl` is a form here, not the format of an answer: without `--files` it means the journal as a file. */
function formOf({ terminal }: Session, { html, md, files }: ExportOptions): Form | undefined {
  const isJournal = terminal.look.format === "jsonl" && !files;
  const forms = [html ? "html" : [], md ? "md" : [], isJournal ? "jsonl" : []].flat() as Form[];
  if (forms.length + (files ? 1 : 0) > 1) throw usage("Two forms were asked for.", "One file has one form.");
  return forms[0];
}

function hand(session: Session, ids: readonly string[], form: Form, options: ExportOptions): Promise<Answer> {
  const [id, second] = ids;
  if (id === undefined || second !== undefined || options.all)
    throw usage("Which thread was not said.", "One file is about one thread, or one chain with --chain.");
  const { chain = false, redact = false, output } = options;
  return handOver(session, id, { form, chain, redact, output });
}

async function exportThreads(
  session: Session,
  ids: readonly string[],
  options: ExportOptions,
): Promise<Answer> {
  if (!options.files)
    throw usage("What to export was not said.", "There are --html, --md, --jsonl, and --files.");
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
    { cmd: "selvage export @last --html", why: "the last thread as one page" },
    { cmd: "selvage export --all --files", why: "the files of every thread" },
  ];
  return new Problem("E_USAGE", { what, why, next });
}
