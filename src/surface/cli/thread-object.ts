/** The thread object that every command returns (UX a.3). What nobody knows is null, never 0. */
import type { Statement } from "../../core/bookkeeping.ts";
import { chainOf, headOf } from "../../core/chain-links.ts";
import { costsOf } from "../../core/costs.ts";
import { livingChildren } from "../../core/family.ts";
import { livingOf } from "../../core/known-below.ts";
import { showDollars } from "../../core/money.ts";
import type { ProblemCode } from "../../core/problem.ts";
import { inFlight } from "../../core/recover.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { Loaded } from "../../core/store.ts";
import { foldThread, type Thread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import { resumesAt } from "./approval-object.ts";
import { type Correctable, correctable } from "./cost-lines.ts";
import { ownerShown } from "./owner.ts";
import { type ProcessObject, processObject, seeProcesses } from "./process-text.ts";
import { openQuestion } from "./question-first.ts";
import { shortIds } from "./short-id.ts";
import { type Sighting, surveyOne, uncaredText, withDamage } from "./survey.ts";

export interface Seen {
  readonly sighting: Sighting;
  readonly thread: Thread;
  /** Its account. */
  readonly statement: Statement | undefined;
  /** What was charged for want of a bill, while it lives. */
  readonly correctable: readonly Correctable[];
  /** Its processes that should run. */
  readonly processes: readonly ProcessObject[];
  /** In its chain, where there are several. */
  readonly place?: { readonly position: number; readonly length: number } | undefined;
}

/** Loads the journal as well: what a thread is doing now, and what it said, stand only there. */
export async function seeThread(world: World, sighting: Sighting): Promise<Seen> {
  const loaded = await world.store.load(sighting.row.thread_id);
  const seen = seenFrom(sighting, loaded, await world.store.balance(sighting.row.chain_root_id));
  return withProcesses(world, { ...seen, place: await placeOf(world, sighting.row) });
}

async function placeOf({ store }: World, row: ThreadRow): Promise<Seen["place"]> {
  if (row.continuation_of === null && row.continuation_thread_id === null) return undefined;
  const chain = await chainOf(store, row);
  return {
    position: chain.findIndex(({ thread_id }) => thread_id === row.thread_id) + 1,
    length: chain.length,
  };
}

/** Whether they run is seen on the machine, not in the store. */
export async function withProcesses(world: World, seen: Seen): Promise<Seen> {
  const processes = await seeProcesses(world, seen.thread, seen.sighting);
  return { ...seen, processes: processes.map((each) => processObject(each, world.clock.now())) };
}

/** Without its processes, which have to be asked for. */
export function seenFrom(sighting: Sighting, { events, damage }: Loaded, statement?: Statement): Seen {
  const { row } = sighting;
  const thread = foldThread(row.thread_id, events);
  const charges = thread.unbilled.length === 0 ? [] : costsOf(events).charges;
  return {
    sighting: withDamage(sighting, damage),
    thread,
    statement,
    correctable: correctable([{ row, charges }]),
    processes: [],
  };
}

/** The thread as it stands now; undefined if it does not exist. */
export async function seeById(world: World, threadId: string): Promise<Seen | undefined> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  return row && seeThread(world, await surveyOne(world, row));
}

/** As `seeById`, of a thread that is known to exist: the store forgets none. */
export async function requireSeen(world: World, threadId: string): Promise<Seen> {
  const seen = await seeById(world, threadId);
  if (!seen) throw new Error(`${threadId} is gone from the store`);
  return seen;
}

/** As `requireSeen`, of the thread in which its chain goes on. */
export async function requireHeadSeen(world: World, threadId: string): Promise<Seen> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  if (!row) throw new Error(`${threadId} is gone from the store`);
  return seeThread(world, await surveyOne(world, await headOf(world.store, row)));
}

export function threadObject({ sighting, thread, statement, processes, place }: Seen) {
  const { row, view, damage } = sighting;
  return {
    thread_id: row.thread_id,
    directive: row.directive,
    title: null,
    // A damaged thread counts as suspended whatever its last good event says (F5).
    status: damage && view === "suspended" ? "suspended" : row.status,
    view,
    suspend_reason: damage && view === "suspended" ? "corrupt" : row.suspend_reason,
    parent_id: row.parent_id,
    root_id: row.root_id,
    wave: null,
    chain: {
      chain_root_id: row.chain_root_id,
      ...(place ?? { position: 1, length: 1 }),
      continuation_of: row.continuation_of,
      continuation_thread_id: row.continuation_thread_id,
    },
    forked_from: thread.forkedFrom ?? null,
    model: row.model,
    host: hostOf(sighting),
    now: doing(sighting, thread),
    waits_for: waitOf(thread),
    cost: cost(sighting, thread),
    limits: row.limits,
    budget: budgetOf(row, statement),
    recoveries: row.recoveries,
    approval: openQuestion(row, sighting.requests),
    resumes_at: row.status === "suspended" ? resumesAt(row) : null,
    error:
      thread.error ?? (row.error === null ? null : { code: suspendCode(row, thread), message: row.error }),
    result: thread.result === undefined ? null : { text: thread.result, data: null },
    processes,
    damage,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_event_seq: row.seq,
  };
}

export type ThreadObject = ReturnType<typeof threadObject>;

/** Who runs it; while it is parked nobody owns it, and who hosts its root will go on with it. */
function hostOf({ row, owner, host }: Sighting) {
  if (row.owner !== null) return { ...ownerShown(row.owner), alive: owner !== "dead" };
  return host && !isTerminal(row.status) ? { ...ownerShown(host.owner), alive: true } : null;
}

/** Those it waits for, and how many of them have to complete. */
function waitOf({ wait, stopping, status, children, further }: Thread) {
  if (status !== "running" || (!wait && !stopping)) return null;
  const living = livingChildren({ children }).map(({ id }) => id);
  const { ids = living, require = 0, until = null, since = null } = wait ?? {};
  const open = livingOf({ children, further }, ids);
  return { thread_ids: ids, open, require, since, until };
}

function cost({ row }: Sighting, { spawns }: Thread) {
  const { turns, input_tokens, output_tokens } = row;
  return {
    turns,
    tokens: input_tokens + output_tokens,
    input_tokens,
    output_tokens,
    spend: spendOf(row),
    spawns,
    duration_seconds: Math.round(row.active_ms / 100) / 10,
  };
}

/** Null: it used tokens without a limit, and nobody knows what they cost. */
export function spendOf({ spent, limits, input_tokens, output_tokens }: ThreadRow): string | null {
  const isUnknown = spent === 0 && limits["spend"] === undefined && input_tokens + output_tokens > 0;
  return isUnknown ? null : showDollars(spent);
}

/** Of its own account; null for who has no limit, or draws on another's. */
function budgetOf(row: ThreadRow, statement: Statement | undefined) {
  const { cap = null, spent = 0, held = 0 } = statement?.account ?? {};
  if (cap === null) return null;
  const free = cap - spent - held;
  return {
    max: showDollars(cap),
    spent: showDollars(spent),
    reserved: showDollars(held),
    // Of those that have ended; what those that live may spend is in what is reserved.
    children: showDollars(spent - row.spent),
    free: showDollars(Math.max(0, free)),
    over: showDollars(Math.max(0, -free)),
  };
}

function doing(sighting: Sighting, thread: Thread) {
  const { row, view } = sighting;
  const tool = inFlight(thread).at(0)?.tool ?? null;
  const atWork = thread.wait?.since ?? thread.step?.startedAt ?? row.updated_at;
  const since = row.status === "running" ? atWork : row.updated_at;
  return { doing: doingText(sighting, thread, tool), since, tool, retry: retryOf(view, thread) };
}

function retryOf(view: Sighting["view"], thread: Thread) {
  const wait = thread.step?.retry;
  if (view !== "retrying" || !wait) return null;
  const { attempt, maxAttempts: max, delayMs: delay_ms, wakeAt: wake_at, error } = wait;
  return { attempt, max, delay_ms, wake_at, category: thread.step?.lastCategory ?? null, error };
}

/** The page that explains why a thread is suspended; null when its message alone has to. */
function suspendCode({ suspend_reason }: ThreadRow, thread: Thread): ProblemCode | null {
  switch (suspend_reason) {
    case "limit":
      return "E_LIMIT_HIT";
    case "quota":
      return "E_QUOTA";
    case "error":
      return thread.step?.lastCategory === "context_overflow" ? "E_CONTEXT_OVERFLOW" : "E_RETRIES_USED";
    default:
      return null;
  }
}

/** Every wait says what it waits for (P12). */
function doingText(sighting: Sighting, thread: Thread, tool: string | null): string {
  const { row, view, damage } = sighting;
  switch (view) {
    case "orphaned":
      return uncaredText(sighting);
    case "suspended":
      if (damage) return `damaged after event ${damage.last_good}: ${damage.why}`;
      return row.waits_for?.kind === "person" ? `waits for ${row.waits_for.what}` : "waits for a person";
    case "stopping":
      return stoppingText(thread, tool);
    case "retrying":
      return [
        thread.step?.retry?.error ?? "waits for another try",
        ...(sighting.isAbandoned ? ["nobody runs it: selvage recover"] : []),
      ].join(" · ");
    case "running":
      return tool ?? "asking the model";
    case "waiting":
      return waitingText(thread);
    case "created":
      return "not started";
    case "error":
      return row.error ?? "failed";
    case "completed":
    case "cancelled":
      return view;
    case "continued":
      return `goes on in ${row.continuation_thread_id}`;
  }
}

function stoppingText(thread: Thread, tool: string | null): string {
  const living = livingChildren(thread).map(({ id }) => id);
  if (tool) return `stopping: ${tool}`;
  return living.length > 0 ? `stopping: waits for ${shortIds(living)} to end` : "stopping";
}

/** Those that the wait is still about. */
function waitingText(thread: Thread): string {
  const waits = waitOf(thread);
  if (thread.waitsFor?.kind === "message") return `waits for ${thread.waitsFor.what}`;
  if (!waits) return "waiting";
  const of = waits.thread_ids.length > 1 ? ` (${waits.open.length} of ${waits.thread_ids.length} open)` : "";
  return `waits for ${shortIds(waits.open)}${of}`;
}
