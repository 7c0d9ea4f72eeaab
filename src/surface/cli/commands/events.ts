/** `selvage events`: what happens in the whole project, in the order in which it was stored. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { EVENTS, type Event } from "../../../core/event.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { LogLines } from "../event-line.ts";
import { another } from "../limits-given.ts";
import { clockTime } from "../moment.ts";
import { parseCount, parseCursor } from "../number.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { shortId } from "../short-id.ts";

interface EventsOptions {
  readonly follow?: boolean;
  readonly from?: number;
  readonly n?: number;
  readonly type?: readonly string[];
  readonly thread?: string;
}

const LAST = 100;
const PAGE = 500;
const LOOK_EVERY_MS = 60;

export function eventsCommand(play: Play): Command {
  return new Command("events")
    .description("what happens in the whole project, event by event")
    .option("-f, --follow", "go on as more come")
    .option("--from <cursor>", "everything after this place; 0 is the beginning", parseCursor)
    .option("-n <count>", `the last so many (without --from: ${LAST})`, parseCount)
    .option("--type <type>", "only events of this type (again, or with commas, for more)", another)
    .option("--thread <id>", "only events of this thread")
    .action((options: EventsOptions) => play((session) => events(session, options)));
}

interface Record {
  readonly cursor: number;
  readonly event: Event;
}

async function events(session: Session, options: EventsOptions): Promise<Answer> {
  const types = (options.type ?? []).flatMap((text) => text.split(","));
  for (const type of types) requireType(type);
  const { world } = session.open();
  const thread = options.thread === undefined ? undefined : await resolveThread(world.store, options.thread);
  const isMeant = ({ event }: Record) =>
    (types.length === 0 || types.includes(event.type)) &&
    (thread === undefined || thread.thread_id === event.thread_id);
  const found: object[] = [];
  const show = printer(session, found);
  const cursor = await readOn(session, world, options, (record) => {
    if (isMeant(record)) show(record);
  });
  const exit = options.follow ? (session.interruption().exit ?? EXIT.ok) : EXIT.ok;
  const isStream = session.terminal.look.format === "jsonl";
  return { kind: "events", exit, data: { cursor, ...(isStream ? {} : { events: found }) } };
}

/** Reads the feed to its end, and on if that is asked for; returns where to go on another time. */
async function readOn(
  session: Session,
  { store, clock }: World,
  { follow, from, n }: EventsOptions,
  each: (record: Record) => void,
): Promise<number> {
  const signal = follow
    ? AbortSignal.any([session.interruption().signal, session.terminal.gone])
    : session.terminal.gone;
  let cursor = from ?? Math.max(0, (await store.feedEnd()) - (n ?? LAST));
  for (;;) {
    const version = store.version();
    for (let isMore = true; isMore && !signal.aborted; ) {
      const page = await store.feed(cursor, PAGE);
      for (const record of page.events) each(record);
      cursor = page.cursor;
      isMore = page.events.length === PAGE;
    }
    if (!follow || signal.aborted) return cursor;
    while (store.version() === version && !signal.aborted) await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** `1841 10:02:11 plan_db-k3v9qa thread_suspended limit · …` */
function printer({ terminal }: Session, found: object[]): (record: Record) => void {
  const lines = new Map<string, LogLines>();
  return ({ cursor, event }) => {
    if (terminal.look.format === "jsonl") return terminal.record({ cursor, ...event });
    if (terminal.look.format === "json") return void found.push({ cursor, ...event });
    const of = lines.get(event.thread_id) ?? new LogLines();
    lines.set(event.thread_id, of);
    const text = of.line(event)?.text ?? "";
    const { dim } = terminal.out;
    const head = `${dim(`${cursor} ${clockTime(event.ts)}`)} ${shortId(event.thread_id)} ${event.type}`;
    terminal.print(`${head} ${text}`.trimEnd());
  };
}

function requireType(type: string): void {
  const known = Object.keys(EVENTS);
  if (known.includes(type)) return;
  const [meant] = closest(type.slice(0, 60), known);
  throw new Problem("E_USAGE", {
    what: `"${oneLine(type, 60)}" is no type of event.`,
    why: meant ? `Did you mean ${meant}?` : "docs/events.md lists them.",
    next: [{ cmd: `selvage events --type ${meant ?? "thread_completed"}`, why: "a type there is" }],
  });
}
