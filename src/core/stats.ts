/**
 * What threads did, counted from their journals: one thread at a time, so that nothing of a journal is kept but sums.
 * Money comes from the same fold as `cost`, and adds up to the ledger to the last unit. Each fact counts for the tree
 * and directive of its thread, the model that was asked then, and the day (UTC) on which it happened.
 */
import { addCharge, addCost, CostFold, type CostSum, noCost } from "./costs.ts";
import type { Event } from "./event.ts";
import type { Category } from "./failure.ts";
import type { ThreadRow } from "./row.ts";

export const STATS_WAYS = ["tree", "model", "directive", "day"] as const;
export type StatsWay = (typeof STATS_WAYS)[number];

/** How the calls of one tool went. */
export interface ToolTally {
  calls: number;
  errors: number;
  /** Nobody knows what became of it: its process died. */
  unknown: number;
  stopped: number;
  totalMs: number;
  longestMs: number;
}

export interface Tally {
  threads: number;
  cost: CostSum;
  /** Of the input: read from a provider's cache, and written to it. */
  cacheRead: number;
  cacheWrite: number;
  turns: number;
  retries: number;
  failures: Map<Exclude<Category, "cancelled">, number>;
  tools: Map<string, ToolTally>;
  recoveries: number;
  handOffs: number;
  /** Times that it stood still for a person, and how long that took. */
  stops: number;
  waitedMs: number;
}

export interface StatsAsk {
  readonly by: StatsWay;
  /** Only what happened since then. */
  readonly since?: string | undefined;
  /** How long a wait is that nobody has ended yet. */
  readonly now: string;
}

/** What a damaged journal does not tell. */
const UNREADABLE = "(unreadable)";

export class Stats {
  readonly #ask: StatsAsk;
  readonly #tallies = new Map<string, Tally>();
  /** Nano-dollars that the registry has and damaged journals do not tell, by thread. */
  readonly unreadable = new Map<string, number>();

  constructor(ask: StatsAsk) {
    this.#ask = ask;
  }

  /** The journal of one thread up to its row: what it wrote since the row was read is not counted. */
  take(row: ThreadRow, events: Iterable<Event>): void {
    const counting = new ThreadCount(row, this.#ask, this.#tallies);
    for (const event of events) if (event.seq <= row.seq) counting.take(event);
    const missing = counting.end();
    if (missing !== 0) this.unreadable.set(row.thread_id, missing);
  }

  /** Days in order; the rest with what cost most first. */
  lines(): { readonly key: string; readonly tally: Tally }[] {
    return [...this.#tallies]
      .map(([key, tally]) => ({ key, tally }))
      .sort((left, right) =>
        this.#ask.by === "day"
          ? compare(left.key, right.key)
          : right.tally.cost.amount - left.tally.cost.amount || compare(left.key, right.key),
      );
  }
}

/** Nothing that is told of a thread which has done nothing since then. */
export function isBefore({ updated_at, status }: ThreadRow, since: string | undefined): boolean {
  return since !== undefined && updated_at < since && status !== "suspended";
}

class ThreadCount {
  readonly #row: ThreadRow;
  readonly #ask: StatsAsk;
  readonly #tallies: Map<string, Tally>;
  readonly #costs = new CostFold();
  readonly #touched = new Set<string>();
  /** Since when it stands still for a person. */
  #stoppedAt: string | undefined;

  constructor(row: ThreadRow, ask: StatsAsk, tallies: Map<string, Tally>) {
    this.#row = row;
    this.#ask = ask;
    this.#tallies = tallies;
  }

  take(event: Event): void {
    this.#costs.take(event);
    this.#rest(event);
    const { since } = this.#ask;
    if (since === undefined || event.ts >= since) this.#count(event);
  }

  /** Money that the registry counts and the journal does not tell. */
  end(): number {
    const { since, now, by } = this.#ask;
    if (this.#stoppedAt !== undefined) this.#waited(this.#stoppedAt, now);
    for (const charge of this.#costs.charges) {
      if (since !== undefined && charge.at < since) continue;
      const tally = this.#at(charge.at, charge.model);
      tally.cost = addCharge(tally.cost, charge);
    }
    const told = this.#costs.charges.reduce((sum, { amount }) => sum + (amount ?? 0), this.#costs.carried);
    const missing = since === undefined ? this.#row.spent - told : 0;
    if (missing !== 0) {
      const tally = by === "tree" || by === "directive" ? this.#at("", "") : this.#tally(UNREADABLE);
      tally.cost = addCost(tally.cost, { ...noCost, amount: missing });
    }
    return missing;
  }

  #count(event: Event): void {
    const here = () => this.#at(event.ts, this.#costs.model);
    switch (event.type) {
      case "cognition_out": {
        const tally = this.#at(event.ts, event.model ?? this.#costs.model);
        tally.turns += 1;
        tally.cacheRead += event.usage.cache_read;
        tally.cacheWrite += event.usage.cache_write;
        return;
      }
      case "auto_retry_start":
        // Written again when a person cuts the wait short: the same retry.
        if (event.by === undefined) here().retries += 1;
        return;
      case "error_classified":
        // What we stopped ourselves is no failure of anybody's.
        if (event.category !== "cancelled") more(this.#at(event.ts, event.model).failures, event.category);
        return;
      case "tool_call_result":
        return called(here(), event);
      case "crash_recovered":
        here().recoveries += 1;
        return;
      case "thread_continued":
        if (event.why === "context") here().handOffs += 1;
        return;
      default:
        return;
    }
  }

  /** It stands still for a person, until it goes on, ends, or comes to wait for a time alone. */
  #rest(event: Event): void {
    const isStop = event.type === "thread_suspended" && isForPerson(event);
    const isOver =
      event.type === "thread_suspended" ||
      event.type === "thread_resumed" ||
      event.type === "thread_failed" ||
      event.type === "thread_cancelled";
    if (isStop) this.#stoppedAt ??= event.ts;
    else if (isOver && this.#stoppedAt !== undefined) {
      this.#waited(this.#stoppedAt, event.ts);
      this.#stoppedAt = undefined;
    }
  }

  /** It counts for the day on which it began; of what began before the time that is looked at, the part after. */
  #waited(from: string, to: string): void {
    const { since } = this.#ask;
    const start = since !== undefined && from < since ? since : from;
    if (to < start) return;
    const tally = this.#at(start, this.#costs.model);
    tally.stops += 1;
    tally.waitedMs += Date.parse(to) - Date.parse(start);
  }

  #at(ts: string, model: string): Tally {
    const { root_id, directive } = this.#row;
    const keys = { tree: root_id, model, directive, day: ts.slice(0, 10) };
    return this.#tally(keys[this.#ask.by]);
  }

  #tally(key: string): Tally {
    const tally = this.#tallies.get(key) ?? noTally();
    this.#tallies.set(key, tally);
    if (!this.#touched.has(key)) tally.threads += 1;
    this.#touched.add(key);
    return tally;
  }
}

/** Some suspensions end by themselves: who waits for a quota waits for nobody. */
function isForPerson({ waits_for: waits }: Event<"thread_suspended">): boolean {
  return waits.kind === "person" && waits.follows !== "resume";
}

function called({ tools }: Tally, { tool, status, duration_ms: ms }: Event<"tool_call_result">): void {
  const found = tools.get(tool) ?? noCalls();
  found.calls += 1;
  if (status === "error") found.errors += 1;
  if (status === "unknown") found.unknown += 1;
  if (status === "stopped") found.stopped += 1;
  found.totalMs += ms;
  found.longestMs = Math.max(found.longestMs, ms);
  tools.set(tool, found);
}

/** All of them together. */
export function statsTotal(tallies: readonly Tally[]): Tally {
  const sum = noTally();
  for (const tally of tallies) {
    sum.cost = addCost(sum.cost, tally.cost);
    for (const key of NUMBERS) sum[key] += tally[key];
    for (const [category, count] of tally.failures) more(sum.failures, category, count);
    for (const [tool, each] of tally.tools) {
      const found = sum.tools.get(tool) ?? noCalls();
      for (const key of ["calls", "errors", "unknown", "stopped", "totalMs"] as const)
        found[key] += each[key];
      found.longestMs = Math.max(found.longestMs, each.longestMs);
      sum.tools.set(tool, found);
    }
  }
  return sum;
}

const NUMBERS = [
  ...(["cacheRead", "cacheWrite", "turns", "retries"] as const),
  ...(["recoveries", "handOffs", "stops", "waitedMs"] as const),
];

/** `threads` is told by whoever counts: one thread may stand in several lines. */
function noTally(): Tally {
  const counts = { threads: 0, cacheRead: 0, cacheWrite: 0, turns: 0, retries: 0, recoveries: 0 };
  return {
    ...counts,
    handOffs: 0,
    stops: 0,
    waitedMs: 0,
    cost: noCost,
    failures: new Map(),
    tools: new Map(),
  };
}

function noCalls(): ToolTally {
  return { calls: 0, errors: 0, unknown: 0, stopped: 0, totalMs: 0, longestMs: 0 };
}

function more<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
