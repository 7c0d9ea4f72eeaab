/** `selvage proc ls|logs|stop`: the processes that threads keep. A person may stop any of them. */
import type { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import { isTerminal } from "../../../core/status.ts";
import { oneLine } from "../../../core/text.ts";
import { foldThread, type Thread } from "../../../core/thread.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { counted } from "../moment.ts";
import { parseCount } from "../number.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import { endedProcesses, type ProcessSeen, processObject, seeProcesses, stateText } from "../process-text.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyLive } from "../survey.ts";
import { table } from "../table.ts";
import { verbFamily } from "../verb-family.ts";

interface ListOptions {
  readonly all?: boolean;
  readonly thread?: string;
}

interface LogOptions {
  readonly follow?: boolean;
  readonly n: number;
}

export function procCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "proc",
    description: "processes that threads keep: list them, read them, stop them",
    usage: "ls | logs HANDLE | stop HANDLE",
    about: "processes",
  });
  family
    .command("ls")
    .description("those that run")
    .option("-a, --all", "those that ended too")
    .option("--thread <id>", "only of this thread")
    .action((options: ListOptions) => play((session) => list(session, options)));
  family
    .command("logs")
    .description("what a process said last")
    .argument("<handle>", "a process: its handle or a unique beginning of it")
    .option("-f, --follow", "go on as it grows, until it ends")
    .option("-n <count>", "this many lines", parseCount, 50)
    .action((handle: string, options: LogOptions) => play((session) => logs(session, handle, options)));
  family
    .command("stop")
    .description("stop a process with all it started; its thread goes on")
    .argument("<handle>", "a process: its handle or a unique beginning of it")
    .action((handle: string) => play((session) => stop(session, handle)));
  return family;
}

async function list(session: Session, { all, thread }: ListOptions): Promise<Answer> {
  const { world } = session.open();
  const seen = await seeAll(world, { ended: all === true, thread });
  const processes = seen.map((each) => processObject(each, world.clock.now()));
  const { flags, terminal } = session;
  const rows = processes.map((each) => [
    ...[each.handle_id, each.thread_id, String(each.pid), stateText(each), oneLine(each.command, 60)],
  ]);
  const answer = { kind: "process.list", exit: EXIT.ok, data: { processes } };
  if (flags.quiet) return { ...answer, text: processes.map(({ handle_id }) => handle_id).join("\n") };
  if (flags.plain) return { ...answer, text: rows.map((row) => row.join("\t")).join("\n") };
  if (rows.length === 0)
    return { ...answer, text: "", hint: `No process runs${all ? " or ran" : ": selvage proc ls -a"}.` };
  const [head = "", ...lines] = table(
    [["HANDLE", "THREAD", "PID", "STATE", "COMMAND"], ...rows],
    terminal.columns,
  );
  const left = processes.filter(({ left_over }) => left_over).length;
  const hint = left === 0 ? {} : { hint: `${left} left over, kept for their threads: selvage recover` };
  return { ...answer, text: [terminal.out.dim(head), ...lines].join("\n"), ...hint };
}

async function logs(session: Session, text: string, { follow, n }: LogOptions): Promise<Answer> {
  const { world } = session.open();
  const seen = await resolveProcess(world, text);
  const ref = refOf(seen);
  const { terminal } = session;
  const shown: string[] = [];
  const print = (lines: readonly string[]) => {
    shown.push(...lines);
    if (!terminal.isMachine && lines.length > 0) terminal.print(lines.join("\n"));
  };
  const exit = follow
    ? await followOn(session, world, seen, (lines, isFirst) => print(isFirst ? lines.slice(-n) : lines))
    : EXIT.ok;
  if (!follow) print(world.processes?.tail(ref, n) ?? []);
  const process = processObject(seen, world.clock.now());
  return { kind: "process.log", exit, data: { process, lines: shown } };
}

const LOOK_EVERY_MS = 200;

async function followOn(
  session: Session,
  world: World,
  seen: ProcessSeen,
  print: (lines: readonly string[], isFirst: boolean) => void,
): Promise<number> {
  const log = world.processes?.follow(refOf(seen));
  if (!log) return EXIT.ok;
  const interruption = session.interruption();
  const signal = AbortSignal.any([interruption.signal, session.terminal.gone]);
  try {
    for (let isFirst = true; ; isFirst = false) {
      const state = await world.processes?.look(refOf(seen)); // before the last lines are read
      print(log.next(), isFirst);
      if (state?.type !== "running" || signal.aborted) return interruption.exit ?? EXIT.ok;
      await world.clock.sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    log.close();
  }
}

/** Its thread learns of it when it looks: what it asks of a process that is gone is answered. */
async function stop(session: Session, text: string): Promise<Answer> {
  requirePerson("proc stop");
  const { world } = session.openTrusted();
  const seen = await resolveProcess(world, text);
  const over = await world.processes?.stop(refOf(seen), person());
  const { why = "gone", exitCode = null } = over ?? {};
  const { handle } = seen.kept;
  const isSeen = why !== "elsewhere";
  const data = { handle_id: handle, thread_id: seen.thread.id, stopped: isSeen, why, exit_code: exitCode };
  const code = exitCode === null ? "" : ` (exit code ${exitCode})`;
  const words = isSeen
    ? `${handle} ${why === "killed" ? "did not stop and was killed" : why === "stopped" ? "stopped" : "had ended"}${code}.`
    : `${handle} was started on another machine: it was not touched.`;
  return { kind: "process.stopped", exit: isSeen ? EXIT.ok : EXIT.failed, data, text: words };
}

export function refOf({ thread, kept }: ProcessSeen) {
  return { handle: kept.handle, chainRootId: thread.chainRootId, identity: kept.identity };
}

export async function resolveProcess(world: World, text: string): Promise<ProcessSeen> {
  const all = await seeAll(world, { ended: true, thread: undefined });
  const exact = all.find(({ kept }) => kept.handle === text);
  const beginning = all.filter(({ kept }) => kept.handle.startsWith(text) || kept.handle === `proc_${text}`);
  const [only] = beginning;
  if (exact) return exact;
  if (only && beginning.length === 1) return only;
  throw new Problem("E_PROCESS_NOT_FOUND", {
    what: `There is no process ${oneLine(text, 40)}.`,
    why: only
      ? `${counted(beginning.length, "handle")} begin with it.`
      : "No thread has, or had, one with this handle.",
    next: [{ cmd: "selvage proc ls -a", why: "lists all of them" }],
  });
}

export async function seeAll(
  world: World,
  { ended, thread }: { readonly ended: boolean; readonly thread: string | undefined },
): Promise<ProcessSeen[]> {
  const rows =
    thread === undefined
      ? await world.store.find({ onlyHeads: true })
      : [await resolveHead(world.store, thread)];
  const sightings = new Map((await surveyLive(world)).map((each) => [each.row.thread_id, each]));
  const seen: ProcessSeen[] = [];
  for (const row of rows) {
    if (isTerminal(row.status) && !ended) continue;
    const { events } = await world.store.load(row.thread_id);
    const fold: Thread = foldThread(row.thread_id, events);
    const running = await seeProcesses(world, fold, sightings.get(row.thread_id));
    seen.push(...running, ...(ended ? endedProcesses(fold) : []));
  }
  return seen;
}
