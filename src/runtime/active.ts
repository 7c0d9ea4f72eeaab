/**
 * One activation of a thread in this process, and `record`, the only way a fact comes into being.
 *   A1. Every fact is committed, then folded, then published; nothing awaits between fold and publish.
 *   A2. A refused commit (stale epoch) ends the activation at once and silently: somebody else owns the thread.
 *   A3. A storage failure starts no further effect; the batch is kept and written when the disk takes it again.
 */

import { type Batch, type Lease, type Refusal, yieldsToRequests } from "../core/commit.ts";
import type { Moment } from "../core/decide.ts";
import { afterChildren } from "../core/ending.ts";
import type { Event } from "../core/event.ts";
import { StorageFailure } from "../core/failure.ts";
import type { Hook } from "../core/hook.ts";
import { type CallId, randomName } from "../core/id.ts";
import { isoTime } from "../core/iso-time.ts";
import type { ProcessOver } from "../core/processes.ts";
import { type AskingNeeds, suspend } from "../core/question.ts";
import type { Request } from "../core/request.ts";
import { retryCancelled } from "../core/retry.ts";
import type { Committed, Store } from "../core/store.ts";
import { reduce, type Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { afterProcesses } from "./end-processes.ts";
import { systemOf } from "./fresh-system.ts";
import { interrupt } from "./interrupting.ts";
import { requestCost } from "./request-cost.ts";
import { targetOf } from "./target.ts";

export interface Active {
  readonly world: World;
  readonly lease: Lease;
  /** Aborts model streams and sleeps of this activation; nothing starts any more. */
  effects: AbortController;
  /** Aborts its tools. */
  tools: AbortController;
  /** Why they were aborted. */
  readonly interruptions: Set<unknown>;
  readonly patienceMs: number;
  /** Hooks of its directive, its project, its user and its machine, as they were when the activation began. */
  readonly hooks: readonly Hook[];
  /** Inputs of calls that are not kept as they were given: with secrets, for the tool alone. */
  readonly given: Map<CallId, unknown>;
  /** Processes that were told to stop before the end, and how that went. */
  readonly stops: Map<string, Promise<ProcessOver | undefined>>;
  /** Tells the host that others in its scope have something to do. */
  readonly look?: (() => void) | undefined;
  /** Takes up whom a commit woke; see `Store.commit`. */
  readonly handOver?: Parameters<Store["commit"]>[2];
  /** Requests that were answered: who looked a moment earlier may take one for open. */
  readonly taken: Set<string>;
  thread: Thread;
  /** Requests the last look at the store found unanswered. */
  open: readonly Request[];
  parked: boolean;
  /** Why the last step could not begin, when it was for money. */
  shortage?: Committed["shortage"];
  /** Time at work on the open step: what earlier activations put in, and since when this one is at it. */
  work: { readonly carriedMs: number; readonly since: number };
  /** It was woken by its timer: a retry may go ahead whatever the wall clock says. */
  timerFired: boolean;
}

export class Fenced extends Error {
  constructor(threadId: string) {
    super(`${threadId} is owned by somebody else now`);
    this.name = "Fenced";
  }
}

/** Why effects are aborted when a host leaves in order: its threads are parked and stay claimable. */
export class HostStops extends Error {
  constructor() {
    super("the host stops");
    this.name = "HostStops";
  }
}

/** The thread was suspended because the disk takes no writes: its activation is over. */
export class Surrendered extends Error {
  constructor() {
    super("the disk takes no writes");
    this.name = "Surrendered";
  }
}

export async function record(active: Active, asked: Batch): Promise<Committed> {
  const wanted = await afterProcesses(active, asked);
  const ts = isoTime(active.world.clock.now());
  const ending = afterChildren(active.thread, wanted.events, ts);
  const stops = [...(wanted.stops ?? []), ...(ending?.stops ?? [])];
  const batch = ending ? { ...wanted, events: ending.events, stops } : wanted;
  const answer = await persist(active, batch);
  if ("refused" in answer) {
    if (answer.refused !== "requests_open") throw new Fenced(active.lease.threadId);
    const at = batch.events.findIndex(yieldsToRequests);
    // What comes before an end that yields lands all the same.
    return at < 0
      ? lookAgain(active)
      : record(active, { ...batch, events: batch.events.slice(0, at), tail: [] });
  }
  absorb(active, answer);
  return answer;
}

/** Nothing of it landed: a cancel was stored first, and is answered first. */
async function lookAgain(active: Active): Promise<Committed> {
  active.open = await active.world.store.openRequests(active.lease.chainRootId);
  return { events: [], tailLanded: false, parked: false, open: active.open };
}

/** What the decisions of `core` need to know of this moment. */
export function momentOf({ world, hooks, timerFired, work }: Active): Moment {
  const { clock, settings } = world;
  const workedMs = work.carriedMs + clock.monotonic() - work.since;
  return {
    now: clock.now(),
    timerFired,
    workedMs,
    hooks,
    askAfter: settings.loop.ask_after,
    requestOf: (fold) => requestCost(world, fold, targetOf({ world, thread: fold })),
    windowOf: (fold) => world.model(targetOf({ world, thread: fold }).model)?.window,
    threshold: settings.continuation.trigger_threshold,
    resultChars: settings.tool.model_output_chars,
    systemOf: systemOf(world),
  };
}

/** What a question to a person needs. */
export function askingNeeds({ clock, random, sha256, settings }: World): AskingNeeds {
  const { timeout_seconds: timeoutSeconds, on_timeout: onTimeout } = settings.approvals;
  const newApprovalId = () => `ap_${randomName(random(12))}`;
  return { now: clock.now(), newApprovalId, sha256, timeoutSeconds, onTimeout };
}

function absorb(active: Active, answer: Committed): void {
  const { world } = active;
  const before = active.thread.status;
  for (const event of answer.events) {
    active.thread = reduce(active.thread, event);
    if (event.type === "step_start") active.work = { carriedMs: 0, since: world.clock.monotonic() };
  }
  active.open = answer.open;
  active.shortage = answer.shortage;
  active.parked = answer.parked;
  if (answer.wakes) active.look?.();
  publish(world, answer.events);
  const changed = active.thread.status !== before || answer.events.some(isAboutProcess);
  if (changed || answer.parked) world.exports.remake(active.thread);
}

function isAboutProcess({ type }: Event): boolean {
  return type === "process_started" || type === "process_stopped";
}

export function publish(world: World, events: readonly Event[]): void {
  world.exports.append(events);
  for (const event of events) world.notify({ type: "event", event });
}

async function persist(active: Active, batch: Batch): Promise<Committed | Refusal> {
  const { store } = active.world;
  try {
    return await withPatience(active, async (isAgain) => {
      const landed = isAgain ? await landedAfterAll(active, batch) : undefined;
      return landed ?? store.commit(active.lease, batch, active.handOver);
    });
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    return surrender(active, error);
  }
}

/** Tries again while the disk does not take writes, and says so; in the end the failure is thrown. */
export async function withPatience<T>(
  { world, lease, patienceMs }: Pick<Active, "world" | "lease" | "patienceMs">,
  act: (isAgain: boolean) => Promise<T>,
): Promise<T> {
  const deadline = world.clock.monotonic() + patienceMs;
  for (let pauseMs = 100, isAgain = false; ; pauseMs = Math.min(pauseMs * 2, 5_000), isAgain = true) {
    try {
      return await act(isAgain);
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
      world.notify({ type: "storage", threadId: lease.threadId, message: error.message });
      if (world.clock.monotonic() >= deadline) throw error;
    }
    await world.clock.sleep(pauseMs);
  }
}

/** A commit that failed may have landed all the same; the journal tells, as long as the thread is still ours. */
async function landedAfterAll(active: Active, batch: Batch): Promise<Committed | Refusal | undefined> {
  const { store } = active.world;
  const { threadId, chainRootId, epoch } = active.lease;
  const [row] = await store.find({ threadId, limit: 1 });
  if (row?.epoch !== epoch) return { refused: "stale" };
  const { events } = await store.load(threadId);
  const fresh = events.filter((event) => event.seq > active.thread.seq);
  if (fresh.length === 0) return undefined;
  const open = await store.openRequests(chainRootId);
  const tailLanded = fresh.length > batch.events.length || !batch.tail?.length;
  // Whether others have something to do because of it is not known any more: they look.
  return { events: fresh, tailLanded, open, parked: row.owner === null, wakes: true };
}

/**
 * The disk did not come back in time. A small note may still fit where the batch did not; whoever wanted the batch
 * must not go on as if it had landed, so this never returns.
 */
async function surrender(active: Active, failure: StorageFailure): Promise<never> {
  interrupt(active, failure);
  if (active.thread.status !== "running") throw failure;
  const message = `The store could not be written: ${failure.message}`;
  const question = { reason: "storage" as const, message, what: "the disk to take writes again" };
  const events = [
    ...retryCancelled(active.thread),
    ...suspend(active.thread, question, askingNeeds(active.world)),
  ];
  const answer = await active.world.store.commit(active.lease, { events });
  if ("refused" in answer) throw new Fenced(active.lease.threadId);
  absorb(active, answer);
  throw new Surrendered();
}
