/** `selvage ps`: the threads, those that need somebody first. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { Problem } from "../../../core/problem.ts";
import { isTerminal, STATUSES, type Status } from "../../../core/status.ts";
import type { ThreadQuery } from "../../../core/store.ts";
import { oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import { projectHost } from "../../host/project-host.ts";
import { VIEW_ORDER, type View } from "../glyph.ts";
import { hostName, hostObject } from "../host-text.ts";
import type { OpenProject } from "../house.ts";
import { parseCount } from "../number.ts";
import type { Play } from "../program.ts";
import { type Listed, plainThread, psSummary, psTable } from "../ps-text.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { looker, type Sighting, surveyLive } from "../survey.ts";
import { seeThread, type ThreadObject, threadObject } from "../thread-object.ts";
import { type Watched, watch } from "../watching.ts";
import { pastTime } from "../when.ts";

interface PsOptions {
  readonly all?: boolean;
  readonly status?: string;
  readonly n: number;
  readonly tree?: boolean;
  readonly root?: string;
  readonly since?: string;
  readonly sort?: string;
  readonly watch?: boolean;
}

const SORTS = ["need", "age", "spend", "turns"] as const;
type Sort = (typeof SORTS)[number];

export function psCommand(play: Play): Command {
  return new Command("ps")
    .description("list threads, those that need you first")
    .argument("[filters...]", "only those with one of these in their id")
    .option("-a, --all", "finished ones too")
    .option("-s, --status <status>", "only these: a status or what is shown under STATE")
    .option("--root <id>", "only the tree that this thread is in")
    .option("--since <time>", "only those that something happened in since then: 2h, 7d, 2026-11-16")
    .option("--sort <what>", `by ${SORTS.join(", ")}`, "need")
    .option("--tree", "each below the thread that started it")
    .option("-n <count>", "at most this many", parseCount, 50)
    .option("-w, --watch", "again whenever something changes")
    .action((filters: string[], options: PsOptions) =>
      play((session) => {
        if (options.status !== undefined) requireOneOf("status", options.status, VIEW_ORDER);
        const sort = requireOneOf("order", options.sort ?? "need", SORTS);
        const project = session.open();
        const look = () => ps(session, project, filters, { ...options, sort });
        return options.watch ? watch(session, project.world, look) : look().then(({ answer }) => answer);
      }),
    );
}

async function ps(
  session: Session,
  { world, root }: OpenProject,
  filters: readonly string[],
  options: PsOptions & { readonly sort: Sort },
): Promise<Watched> {
  const host = await projectHost(world);
  const live = await surveyLive(world);
  const counts = countViews(live, await world.store.tally());
  const choice = await chosenBy(world, filters, options);
  const ended = await surveyEnded(world, choice, options);
  const chosen = [...live.filter(isAmong(choice)), ...ended].sort(ORDERS[options.sort]);
  const shown = chosen.slice(0, options.n);
  const threads: ThreadObject[] = [];
  for (const sighting of shown) threads.push(threadObject(await seeThread(world, sighting)));
  const listed: Listed[] = options.tree ? asTree(threads) : threads.map((thread) => ({ thread, depth: 0 }));
  const truncated = chosen.length > shown.length;
  const data = {
    threads: options.tree ? nested(threads) : threads,
    counts,
    truncated,
    host: hostObject(root, host),
  };
  const hosted = host ? ` · hosted by ${hostName(root, host, world.clock.now())}` : "";
  const hint = `${psSummary(counts, truncated, options.all === true)}${hosted}`;
  const text = textOf(session, listed, hint, world.clock.now());
  return {
    answer: { kind: "thread.list", exit: 0, data, ...text },
    // What is waited for counts down by itself: that is no change.
    lines: threads.map((thread) =>
      plainThread(thread, Date.parse(thread.now.retry?.wake_at ?? thread.updated_at)),
    ),
  };
}

/** What was asked for, of those that live and of those that have ended. */
interface Choice extends Pick<ThreadQuery, "rootId" | "since" | "words"> {
  readonly view?: string;
  /** None: only those that live. */
  readonly ends: readonly Status[];
}

async function chosenBy(
  { store, clock }: World,
  filters: readonly string[],
  { status, all, root, since }: PsOptions,
): Promise<Choice> {
  const ends = STATUSES.filter(isTerminal);
  return {
    ends: status === undefined ? (all ? ends : []) : ends.filter((end) => end === status),
    ...(status === undefined ? {} : { view: status }),
    ...(since === undefined ? {} : { since: pastTime(since, clock.now(), "ps") }),
    ...(root === undefined ? {} : { rootId: (await resolveThread(store, root)).root_id }),
    ...(filters.length === 0 ? {} : { words: filters }),
  };
}

function isAmong({ view, rootId, since = "", words }: Choice): (sighting: Sighting) => boolean {
  return (sighting) =>
    (view === undefined || sighting.view === view || sighting.row.status === view) &&
    (rootId === undefined || sighting.row.root_id === rootId) &&
    sighting.row.updated_at >= since &&
    (words === undefined || words.some((word) => sighting.row.thread_id.includes(word)));
}

/** As many as can be shown, and one more, which tells that there are more: there may be very many. */
async function surveyEnded(
  world: World,
  { view: _, ends, ...query }: Choice,
  { n, sort }: PsOptions & { readonly sort: Sort },
): Promise<Sighting[]> {
  if (ends.length === 0) return [];
  const order = sort === "need" ? "age" : sort;
  const rows = await world.store.find({ ...query, statuses: ends, order, limit: n + 1 });
  const look = await looker(world);
  return rows.map((row) => look(row));
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

function requireOneOf<T extends string>(what: string, wanted: string, known: readonly T[]): T {
  const found = known.find((each) => each === wanted);
  if (found) return found;
  const [meant] = closest(wanted.slice(0, 40), known);
  const flag = what === "status" ? "-s" : "--sort";
  throw new Problem("E_USAGE", {
    what: `"${oneLine(wanted, 40)}" is no ${what}.`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${known.join(", ")}.`,
    next: [
      {
        cmd: `selvage ps ${flag} ${meant ?? known[0]}`,
        why: `${what === "order" ? "an" : "a"} ${what} there is`,
      },
    ],
  });
}

/** Those that live as they are seen; those that have ended by their number alone. */
function countViews(
  live: readonly Sighting[],
  tally: Readonly<Record<Status, number>>,
): Record<View, number> {
  const counts = Object.fromEntries(VIEW_ORDER.map((view) => [view, 0])) as Record<View, number>;
  for (const status of STATUSES) if (isTerminal(status)) counts[status] = tally[status];
  for (const { view } of live) counts[view] += 1;
  return counts;
}

/** Ended threads by age alone: nobody has to do anything about them. */
function byNeed(left: Sighting, right: Sighting): number {
  const rank = ({ row, view }: Sighting) =>
    isTerminal(row.status) ? VIEW_ORDER.length : VIEW_ORDER.indexOf(view);
  return rank(left) - rank(right) || byAge(left, right);
}

/** Of the same moment, they stay as they were found. */
function byAge({ row: left }: Sighting, { row: right }: Sighting): number {
  if (left.created_at === right.created_at) return 0;
  return left.created_at < right.created_at ? 1 : -1;
}
const byMost = (figure: (row: Sighting["row"]) => number) => (left: Sighting, right: Sighting) =>
  figure(right.row) - figure(left.row) || byAge(left, right);

const ORDERS: Readonly<Record<Sort, (left: Sighting, right: Sighting) => number>> = {
  need: byNeed,
  age: byAge,
  spend: byMost(({ spent, below }) => spent + below),
  turns: byMost(({ turns }) => turns),
};

function textOf(
  { flags, terminal }: Session,
  listed: readonly Listed[],
  hint: string,
  now: number,
): { text: string; hint?: string } {
  const threads = listed.map(({ thread }) => thread);
  if (flags.quiet) return { text: threads.map((thread) => thread.thread_id).join("\n") };
  if (flags.plain) return { text: threads.map((thread) => plainThread(thread, now)).join("\n") };
  if (threads.length === 0) return { text: "", hint };
  return { text: psTable(listed, terminal, now), hint };
}
