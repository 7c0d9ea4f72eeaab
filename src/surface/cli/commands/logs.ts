/** `selvage logs`: a thread's journal, line by line, and as it grows with -f. */
import { Command } from "commander";
import type { Event } from "../../../core/event.ts";
import { Problem } from "../../../core/problem.ts";
import type { Damage, ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { LogLines } from "../event-line.ts";
import { follow } from "../follow.ts";
import { logText } from "../log-text.ts";
import { parseCount } from "../number.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyOne } from "../survey.ts";
import { seeById, threadObject } from "../thread-object.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly n?: number;
  readonly raw?: boolean;
}

const FOLLOW_FROM = 100;

export function logsCommand(play: Play): Command {
  return new Command("logs")
    .description("a thread's journal as a log")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("-f, --follow", "go on as it grows, until the thread ends or needs you")
    .option("-n <count>", "only the last events (with -f: 100)", parseCount)
    .option("--raw", "the stored records, one JSON object a line")
    .action((id: string, options: LogsOptions) => play((session) => logs(session, id, options)));
}

async function logs(session: Session, id: string, options: LogsOptions): Promise<Answer> {
  const { world } = session.open();
  const { store } = world;
  const row = await resolveThread(store, id);
  const cursor = await store.feedEnd();
  const { events, damage } = await store.load(row.thread_id);
  const shown: Event[] = [];
  const show = printer(session, options, shown);
  const most = options.n ?? (options.follow ? FOLLOW_FROM : events.length);
  const skipped = Math.max(0, events.length - most);
  for (const [index, event] of events.entries()) show(event, index < skipped ? "skip" : "show");
  if (damage) throw damaged(row.thread_id, damage);
  const exit = options.follow ? await followOn(session, world, { row, cursor, events, show }) : 0;
  const seen = await seeById(world, row.thread_id);
  const thread = seen ? threadObject(seen) : null;
  // In a stream the events went before: the last record is about the thread (UX a.3).
  if (session.terminal.look.format === "jsonl") return { kind: "thread.result", exit, data: thread };
  return { kind: "thread.log", exit, data: { thread_id: row.thread_id, events: shown } };
}

type Show = (event: Event, how: "show" | "skip") => void;

function printer(session: Session, options: LogsOptions, shown: Event[]): Show {
  const { terminal } = session;
  const lines = new LogLines();
  return (event, how) => {
    // Also for what is not shown: a result is named after its call.
    const line = lines.line(event);
    if (how === "skip") return;
    if (terminal.look.format === "jsonl") return terminal.record(event);
    if (terminal.look.format === "json") shown.push(event);
    else if (options.raw) terminal.print(JSON.stringify(event));
    else if (line) terminal.print(logText(event.ts, line, { colours: terminal.out }));
  };
}

interface Following {
  readonly row: ThreadRow;
  readonly cursor: number;
  readonly events: readonly Event[];
  readonly show: Show;
}

async function followOn(
  session: Session,
  world: World,
  { row, cursor, events, show }: Following,
): Promise<number> {
  const interruption = session.interruption();
  const quiet = quietWatch(session, world, row.thread_id);
  await follow(world, {
    threadId: row.thread_id,
    cursor,
    lastSeq: events.at(-1)?.seq ?? 0,
    signal: AbortSignal.any([interruption.signal, session.terminal.gone]),
    onEvent: (event) => show(event, "show"),
    onQuiet: quiet,
  });
  return interruption.exit ?? 0;
}

const QUIET_LOOK_MS = 1_000;

/** Nobody is there to write: better said than waited for. */
function quietWatch(session: Session, world: World, threadId: string): () => Promise<void> {
  let nextLook = world.clock.monotonic() + QUIET_LOOK_MS;
  return async () => {
    if (world.clock.monotonic() < nextLook) return;
    nextLook = world.clock.monotonic() + QUIET_LOOK_MS;
    const [row] = await world.store.find({ threadId, limit: 1 });
    if (!row || !(await surveyOne(world, row)).isAbandoned) return;
    session.warn(`Nobody runs ${threadId} at the moment: selvage recover ${threadId}`);
  };
}

function damaged(threadId: string, damage: Damage): Problem {
  return new Problem("E_CORRUPT", {
    what: `The journal of ${threadId} is damaged.`,
    why: `Event ${damage.last_good} is its last good one: ${damage.why}.`,
    next: [
      { cmd: "selvage verify", why: "names everything that is damaged" },
      { cmd: `selvage recover ${threadId} --mark-error`, why: "ends the thread; what is stored stays" },
    ],
    threadId,
  });
}
