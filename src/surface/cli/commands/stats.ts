/** `selvage stats`: what threads did, counted from their journals; the money is the ledger's, to the last unit. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { showShort } from "../../../core/money.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { isBefore, STATS_WAYS, Stats, type StatsWay, statsTotal } from "../../../core/stats.ts";
import { grouped, oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { plainStats, statsCsv, statsObject, statsTable } from "../stats-text.ts";
import { pastTime } from "../when.ts";

interface StatsOptions {
  readonly by: string;
  readonly since?: string;
  readonly root?: string;
  readonly csv?: boolean;
}

const TELL_AFTER_MS = 1_000;

export function statsCommand(play: Play): Command {
  return new Command("stats")
    .description("what threads did: money, tokens, turns, retries, failures, calls, waits for people")
    .option("--by <what>", `a line for each ${STATS_WAYS.join(", ")}`, "tree")
    .option("--since <time>", "only what happened since then: 2h, 7d, 2026-11-16, 2026-11-16T01:20:00Z")
    .option("--root <id>", "only the tree that this thread is in")
    .option("--csv", "for a spreadsheet; amounts in dollars, times in ms")
    .action((options: StatsOptions) => play((session) => stats(session, options)));
}

async function stats(session: Session, options: StatsOptions): Promise<Answer> {
  const by = requireWay(options.by);
  const { world } = session.open();
  const now = world.clock.now();
  const since = options.since === undefined ? undefined : pastTime(options.since, now, "stats");
  const root = options.root === undefined ? undefined : await resolveThread(world.store, options.root);
  const found = new Stats({ by, since, now: new Date(now).toISOString() });
  const exit = await readAll(session, world, found, { since, rootId: root?.root_id });
  for (const [id, amount] of found.unreadable) session.warn(damaged(id, amount));
  const lines = found.lines();
  const total = statsTotal(lines.map(({ tally }) => tally));
  const data = {
    by,
    since: since ?? null,
    root: root?.root_id ?? null,
    complete: exit === EXIT.ok,
    rows: lines.map(({ key, tally }) => ({ key, threads: tally.threads, ...statsObject(tally) })),
    total: statsObject(total),
  };
  const answer = { kind: "stats", exit, data };
  const { flags, terminal } = session;
  if (options.csv) return { ...answer, text: statsCsv(lines, by) };
  if (flags.plain) return { ...answer, text: lines.map(plainStats).join("\n") };
  if (lines.length === 0)
    return {
      ...answer,
      hint: since === undefined ? "Nothing was done yet." : `Nothing was done since ${since}.`,
    };
  return { ...answer, text: statsTable(lines, by, terminal) };
}

/** One journal after the other; stopped on the way, what was counted by then is told as such. */
async function readAll(
  session: Session,
  { store, clock }: World,
  found: Stats,
  { since, rootId }: { readonly since: string | undefined; readonly rootId: string | undefined },
): Promise<number> {
  const rows = await store.find(rootId === undefined ? {} : { rootId });
  const interruption = session.interruption();
  const { terminal, flags } = session;
  const signal = AbortSignal.any([interruption.signal, terminal.gone]);
  let toldAt = clock.monotonic();
  for (const [at, row] of rows.entries()) {
    if (signal.aborted) return interruption.exit ?? EXIT.failed;
    if (isBefore(row, since)) continue;
    found.take(row, (await store.load(row.thread_id)).events);
    // The store answers at once: without a pause nobody would hear a signal.
    await new Promise((resolve) => setImmediate(resolve));
    if (flags.quiet || clock.monotonic() - toldAt < TELL_AFTER_MS) continue;
    toldAt = clock.monotonic();
    const looked = `${grouped(at + 1)} of ${grouped(rows.length)} threads`;
    terminal.say(terminal.err.dim(`counted ${looked} …`));
  }
  return EXIT.ok;
}

function requireWay(text: string): StatsWay {
  const found = STATS_WAYS.find((way) => way === text);
  if (found) return found;
  const [meant] = closest(text.slice(0, 40), STATS_WAYS);
  throw new Problem("E_USAGE", {
    what: `What threads did cannot be told by "${oneLine(text, 40)}".`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${STATS_WAYS.join(", ")}.`,
    next: [{ cmd: `selvage stats --by ${meant ?? "tree"}`, why: "a line for each" }],
  });
}

function damaged(id: string, amount: number): string {
  return `The journal of ${id} is damaged: ${showShort(amount)} of what it spent cannot be told apart. selvage verify`;
}
