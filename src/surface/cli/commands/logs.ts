/** `selvage logs`: a thread's journal, line by line, and as it grows with -f. */
import { Command } from "commander";
import { subtreeOf } from "../../../core/cost-tree.ts";
import type { Event } from "../../../core/event.ts";
import { Problem } from "../../../core/problem.ts";
import type { Damage, ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { LogLines } from "../event-line.ts";
import { follow } from "../follow.ts";
import { logText } from "../log-text.ts";
import { standstill } from "../needs-you.ts";
import { parseCount } from "../number.ts";
import type { Play } from "../program.ts";
import { openQuestion } from "../question-first.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyOne } from "../survey.ts";
import { ThreadNames } from "../thread-names.ts";
import { seeById, threadObject } from "../thread-object.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly n?: number;
  readonly raw?: boolean;
  readonly children?: boolean;
}

const FOLLOW_FROM = 100;

export function logsCommand(play: Play): Command {
  return new Command("logs")
    .description("a thread's journal as a log")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("-f, --follow", "go on as it grows, until the thread ends or needs you")
    .option("-n <count>", "only the last events (with -f: 100)", parseCount)
    .option("--children", "those of everyone below it too, each line with its thread")
    .option("--raw", "the stored records, one JSON object a line")
    .action((id: string, options: LogsOptions) => play((session) => logs(session, id, options)));
}

async function logs(session: Session, id: string, options: LogsOptions): Promise<Answer> {
  const { world } = session.open();
  const { store } = world;
  const row = await resolveThread(store, id);
  const cursor = await store.feedEnd();
  const journals = await readJournals(world, row, options.children === true);
  const { events, damage } = journals;
  const shown: Event[] = [];
  const show = printer(session, options, shown, journals.names);
  const most = options.n ?? (options.follow ? FOLLOW_FROM : events.length);
  const skipped = Math.max(0, events.length - most);
  for (const [index, event] of events.entries()) show(event, index < skipped ? "skip" : "show");
  if (damage) throw damaged(row.thread_id, damage);
  const { known, names } = journals;
  const exit = options.follow ? await followOn(session, world, { row, cursor, known, names, show }) : 0;
  if (options.follow && exit === 0) await tellNeeds(session, world, row.thread_id);
  const seen = await seeById(world, row.thread_id);
  const thread = seen ? threadObject(seen) : null;
  // In a stream the events went before: the last record is about the thread (UX a.3).
  if (session.terminal.look.format === "jsonl") return { kind: "thread.result", exit, data: thread };
  return { kind: "thread.log", exit, data: { thread_id: row.thread_id, events: shown } };
}

interface Journals {
  readonly events: readonly Event[];
  readonly damage: Damage | undefined;
  /** Whose journals these are, and the last event of each. */
  readonly known: Map<string, number>;
  /** Only where there may be several threads. */
  readonly names: ThreadNames | undefined;
}

/** In the order of their times; those of one thread in the order of its journal. */
async function readJournals({ store }: World, row: ThreadRow, withChildren: boolean): Promise<Journals> {
  const family = withChildren
    ? subtreeOf(await store.find({ rootId: row.root_id }), row.chain_root_id)
    : [row];
  const names = new ThreadNames();
  const known = new Map<string, number>();
  const events: Event[] = [];
  let damage: Damage | undefined;
  for (const { thread_id, parent_id } of family.toReversed()) {
    const loaded = await store.load(thread_id);
    names.add(thread_id, parent_id);
    known.set(thread_id, loaded.events.at(-1)?.seq ?? 0);
    events.push(...loaded.events);
    if (thread_id === row.thread_id) damage = loaded.damage;
  }
  if (withChildren) events.sort((left, right) => (left.ts < right.ts ? -1 : left.ts > right.ts ? 1 : 0));
  return { events, damage, known, names: withChildren ? names : undefined };
}

type Show = (event: Event, how: "show" | "skip") => void;

function printer(
  session: Session,
  options: LogsOptions,
  shown: Event[],
  names: ThreadNames | undefined,
): Show {
  const { terminal } = session;
  const ofThread = new Map<string, LogLines>();
  return (event, how) => {
    const lines = ofThread.get(event.thread_id) ?? new LogLines();
    ofThread.set(event.thread_id, lines);
    // Also for what is not shown: a result is named after its call.
    const line = lines.line(event);
    names?.note(event);
    if (how === "skip") return;
    if (terminal.look.format === "jsonl") return terminal.record(event);
    if (terminal.look.format === "json") shown.push(event);
    else if (options.raw) terminal.print(JSON.stringify(event));
    else if (line) {
      const name = names?.of(event.thread_id);
      terminal.print(logText(event.ts, line, { colours: terminal.out, name }));
    }
  };
}

interface Following {
  readonly row: ThreadRow;
  readonly cursor: number;
  readonly known: Map<string, number>;
  readonly names: ThreadNames | undefined;
  readonly show: Show;
}

async function followOn(
  session: Session,
  world: World,
  { row, cursor, known, names, show }: Following,
): Promise<number> {
  const interruption = session.interruption();
  const quiet = quietWatch(session, world, row.thread_id);
  await follow(world, {
    threadIds: [row.thread_id],
    cursor,
    known,
    signal: AbortSignal.any([interruption.signal, session.terminal.gone]),
    onEvent: (event) => {
      if (names && event.type === "child_thread_started" && !known.has(event.child_id))
        known.set(event.child_id, 0);
      show(event, "show");
    },
    onQuiet: quiet,
  });
  return interruption.exit ?? 0;
}

/** It waits for somebody who needs a person: whom, and what to do. */
async function tellNeeds(session: Session, world: World, threadId: string): Promise<void> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  for (const { row: child, requests } of row ? await standstill(world, row) : []) {
    const question = openQuestion(child, requests);
    const next = question === null ? `selvage show ${child.thread_id}` : `selvage approve ${question}`;
    session.warn(`${threadId} waits for ${child.thread_id}, which needs you: ${next}`);
  }
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
