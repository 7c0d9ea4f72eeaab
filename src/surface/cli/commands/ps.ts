/** `selvage ps`: the threads, those that need somebody first. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { Problem } from "../../../core/problem.ts";
import { isTerminal, STATUSES } from "../../../core/status.ts";
import { oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import { projectHost } from "../../host/project-host.ts";
import type { Answer } from "../answer.ts";
import { VIEW_ORDER, VIEWS, type View } from "../glyph.ts";
import { hostName, hostObject } from "../host-text.ts";
import { usedText } from "../limit-text.ts";
import { age, shortTime } from "../moment.ts";
import { parseCount } from "../number.ts";
import { underThread } from "../process-text.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { looker, type Sighting, surveyLive } from "../survey.ts";
import { table } from "../table.ts";
import { seeThread, type ThreadObject, threadObject } from "../thread-object.ts";

interface PsOptions {
  readonly all?: boolean;
  readonly status?: string;
  readonly n: number;
  readonly tree?: boolean;
}

export function psCommand(play: Play): Command {
  return new Command("ps")
    .description("list threads, those that need you first")
    .option("-a, --all", "finished ones too")
    .option("-s, --status <status>", "only these: a status or what is shown under STATE")
    .option("--tree", "each below the thread that started it")
    .option("-n <count>", "at most this many", parseCount, 50)
    .action((options: PsOptions) => play((session) => ps(session, options)));
}

async function ps(session: Session, options: PsOptions): Promise<Answer> {
  const wanted = options.status;
  if (wanted !== undefined) requireStatus(wanted);
  const { world, root } = session.open();
  const host = await projectHost(world);
  const everything = await surveyAll(world);
  const counts = countViews(everything);
  const chosen = everything.filter(({ row, view }) =>
    wanted === undefined ? options.all || !isTerminal(row.status) : view === wanted || row.status === wanted,
  );
  const shown = chosen.sort(byNeed).slice(0, options.n);
  const threads: ThreadObject[] = [];
  for (const sighting of shown) threads.push(threadObject(await seeThread(world, sighting)));
  const listed: Listed[] = options.tree ? asTree(threads) : threads.map((thread) => ({ thread, depth: 0 }));
  const data = {
    threads: options.tree ? nested(threads) : threads,
    counts,
    truncated: chosen.length > shown.length,
    host: hostObject(root, host),
  };
  const hosted = host ? ` · hosted by ${hostName(root, host, world.clock.now())}` : "";
  const hint = `${summary(data, options.all === true)}${hosted}`;
  return { kind: "thread.list", exit: 0, data, ...textOf(session, world, listed, hint) };
}

interface Listed {
  readonly thread: ThreadObject;
  readonly depth: number;
}

/** In the order of their tops; children in the order of their birth. */
function asTree(threads: readonly ThreadObject[]): Listed[] {
  return tops(threads).flatMap((thread) => withBelow(threads, thread, 0));
}

function withBelow(threads: readonly ThreadObject[], thread: ThreadObject, depth: number): Listed[] {
  const below = childrenOf(threads, thread).flatMap((child) => withBelow(threads, child, depth + 1));
  return [{ thread, depth }, ...below];
}

interface Nested extends ThreadObject {
  readonly children: readonly Nested[];
}

function nested(threads: readonly ThreadObject[]): Nested[] {
  const nest = (thread: ThreadObject): Nested => ({
    ...thread,
    children: childrenOf(threads, thread).map(nest),
  });
  return tops(threads).map(nest);
}

/** Whoever's parent is not listed stands at the top. */
function tops(threads: readonly ThreadObject[]): ThreadObject[] {
  const ids = new Set(threads.map(({ chain }) => chain.chain_root_id));
  return threads.filter(({ parent_id }) => parent_id === null || !ids.has(parent_id));
}

/** They belong to the chain: they stand below the thread in which it goes on. */
function childrenOf(threads: readonly ThreadObject[], { chain, status }: ThreadObject): ThreadObject[] {
  if (status === "continued") return [];
  return threads
    .filter(({ parent_id }) => parent_id === chain.chain_root_id)
    .sort((left, right) => (left.created_at < right.created_at ? -1 : 1));
}

async function surveyAll(world: World): Promise<Sighting[]> {
  const ended = await world.store.find({ statuses: STATUSES.filter(isTerminal) });
  const look = await looker(world);
  return [...(await surveyLive(world)), ...ended.map((row) => look(row))];
}

function requireStatus(wanted: string): void {
  if ((VIEW_ORDER as readonly string[]).includes(wanted)) return;
  const [meant] = closest(wanted, VIEW_ORDER);
  throw new Problem("E_USAGE", {
    what: `"${oneLine(wanted, 40)}" is no status.`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${VIEW_ORDER.join(", ")}.`,
    next: [{ cmd: `selvage ps -s ${meant ?? "suspended"}`, why: "a status there is" }],
  });
}

function countViews(sightings: readonly Sighting[]): Record<View, number> {
  const counts = Object.fromEntries(VIEW_ORDER.map((view) => [view, 0])) as Record<View, number>;
  for (const { view } of sightings) counts[view] += 1;
  return counts;
}

/** Ended threads by age alone: nobody has to do anything about them. */
function byNeed(left: Sighting, right: Sighting): number {
  const rank = ({ row, view }: Sighting) =>
    isTerminal(row.status) ? VIEW_ORDER.length : VIEW_ORDER.indexOf(view);
  return rank(left) - rank(right) || (left.row.created_at < right.row.created_at ? 1 : -1);
}

interface Listing {
  readonly counts: Record<View, number>;
  readonly truncated: boolean;
}

function textOf(
  session: Session,
  world: World,
  listed: readonly Listed[],
  hint: string,
): { text: string; hint?: string } {
  const { flags, terminal } = session;
  const threads = listed.map(({ thread }) => thread);
  if (flags.quiet) return { text: threads.map((thread) => thread.thread_id).join("\n") };
  const now = world.clock.now();
  if (flags.plain) return { text: threads.map((thread) => plainLine(thread, now)).join("\n") };
  if (threads.length === 0) return { text: "", hint };
  const rows = [
    ["", "THREAD", "STATE", "FOR", "TURN", "TOKENS", "NOW"],
    ...listed.map(({ thread, depth }) => [
      terminal.look.ascii ? VIEWS[thread.view].ascii : VIEWS[thread.view].glyph,
      `${"  ".repeat(Math.min(depth, 10))}${thread.thread_id}`,
      thread.view,
      age(now - Date.parse(thread.now.since)),
      usedText(thread.cost.turns, thread.limits["turns"]),
      thread.cost.tokens.toLocaleString("en-US"),
      note(thread, now),
    ]),
  ];
  const [head, ...lines] = table(rows, terminal.columns);
  const painted = lines.flatMap((line, index) => [
    paint(line, threads[index]?.view ?? "running", terminal.out),
    ...(threads[index]?.processes ?? []).map(underThread),
  ]);
  return { text: [terminal.out.dim(head ?? ""), ...painted].join("\n"), hint };
}

function paint(line: string, view: View, colours: Session["terminal"]["out"]): string {
  const end = line.indexOf(" ");
  return `${colours[VIEWS[view].colour](line.slice(0, end))}${line.slice(end)}`;
}

function note(thread: ThreadObject, now: number): string {
  const text = oneLine(thread.now.doing, 60);
  const { resumes_at, approval, suspend_reason } = thread;
  if (thread.view === "suspended") {
    if (resumes_at !== null) return `resumes ${shortTime(resumes_at, now)} · ${suspend_reason}: ${text}`;
    return `needs you: ${approval === null ? "" : `${approval} `}${suspend_reason}: ${text}`;
  }
  if (thread.view === "orphaned") return `${text}: selvage recover`;
  if (thread.view === "completed") return oneLine(thread.result?.text ?? "", 60);
  if (thread.view === "cancelled") return "";
  const { retry } = thread.now;
  if (!retry) return text;
  const seconds = Math.max(0, Math.ceil((Date.parse(retry.wake_at) - now) / 1000));
  return `${retry.attempt}/${retry.max} in ${seconds}s · ${text}`;
}

/** Fixed columns: id, status, view, since, turns, max_turns, spend, reserved, max_spend, note. */
function plainLine(thread: ThreadObject, now: number): string {
  const { thread_id, status, view, cost, limits } = thread;
  const columns = [
    thread_id,
    status,
    view,
    thread.now.since,
    cost.turns,
    limits["turns"],
    cost.spend,
    thread.budget?.reserved,
    limits["spend"],
    note(thread, now),
  ];
  return columns.map((column) => (column === null || column === undefined ? "-" : String(column))).join("\t");
}

function summary({ counts, truncated }: Listing, isAll: boolean): string {
  const finished = counts.completed + counts.error + counts.cancelled + counts.continued;
  const live = VIEW_ORDER.reduce((sum, view) => sum + counts[view], 0) - finished;
  const parts = [
    live === 0 ? "No live threads" : `${live} live`,
    ...(counts.suspended > 0
      ? [`${counts.suspended} ${counts.suspended === 1 ? "needs" : "need"} you: selvage approvals`]
      : []),
    ...(counts.orphaned > 0 ? [`${counts.orphaned} orphaned: selvage recover`] : []),
    ...(finished > 0 ? [isAll ? `${finished} finished` : `selvage ps -a for ${finished} finished`] : []),
    ...(truncated ? ["more with -n"] : []),
  ];
  return parts.join(" · ");
}
