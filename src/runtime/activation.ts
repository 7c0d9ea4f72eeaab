/** Activation: a claimed thread is walked until nothing can move, and parked inside its last commit. */
import { setMaxListeners } from "node:events";
import { isCrashLoop } from "../core/claim.ts";
import { closing, closingAnswer } from "../core/closing.ts";
import { BY_TIMEOUT } from "../core/commit.ts";
import { glide, nextAction } from "../core/decide.ts";
import { askAboutLoop, escalate } from "../core/escalation.ts";
import type { NewEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { Problem } from "../core/problem.ts";
import { suspend } from "../core/question.ts";
import { needsNoLoad } from "../core/request.ts";
import type { Damage } from "../core/row.ts";
import type { ClaimAnswer } from "../core/store.ts";
import { newThread, reduce, type Thread, workedMs } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import {
  type Active,
  askingNeeds,
  Fenced,
  HostStops,
  momentOf,
  publish,
  record,
  Surrendered,
  withPatience,
} from "./active.ts";
import { judge } from "./hooks.ts";
import { crashLoopEvents, type DeadOwner, repair } from "./recovery.ts";
import { answerBlind, type BlindAnswer, consume, noteBlind } from "./requests.ts";
import { ask, runCalls } from "./turn.ts";

export type Claimed = Exclude<ClaimAnswer, { refused: unknown }>;

export interface ActivationOptions {
  readonly timerFired: boolean;
  readonly patienceMs: number;
  /** Requests are answered, and nothing else happens: no model, no tool, no hook (R2). */
  readonly onlyRequests?: boolean;
  readonly onActive?: (active: Active) => void;
}

/** Start, resume and recover are this one function: fold the journal, walk on. */
export async function activate(world: World, claimed: Claimed, options: ActivationOptions): Promise<void> {
  const { lease, row, tookFrom, open } = claimed;
  if (row.corrupt) return endDamaged(world, claimed);
  if (tookFrom && isCrashLoop(row.strikes, world.clock.now())) return breakLoop(world, claimed, tookFrom);
  const { patienceMs, timerFired } = options;
  const loaded = await withPatience({ world, lease, patienceMs }, () => world.store.load(lease.threadId));
  const damage = loaded.damage ?? world.exports.reconcile(lease.threadId, loaded.events);
  if (damage) return setAside(world, claimed, damage);
  const thread = loaded.events.reduce(reduce, newThread(lease.threadId));
  const found = options.onlyRequests ? { hooks: [] } : await readHooks(world, thread.directive);
  const active: Active = {
    world,
    lease,
    effects: newEffects(),
    patienceMs,
    hooks: "hooks" in found ? found.hooks : [],
    thread,
    open,
    parked: false,
    timerFired,
    work: { carriedMs: workedMs(thread, thread.updatedAt), since: world.clock.monotonic() },
  };
  options.onActive?.(active);
  const extent = options.onlyRequests ? "requests" : "problem" in found ? found : "all";
  await walkOrYield(active, extent, tookFrom);
}

async function readHooks(
  world: World,
  directive: string,
): Promise<{ readonly hooks: readonly Hook[] } | { readonly problem: Problem }> {
  try {
    return { hooks: (await world.hooks?.(directive)) ?? [] };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Many calls, sleeps and a stream listen to one signal at the same time; that is no leak. */
function newEffects(): AbortController {
  const effects = new AbortController();
  setMaxListeners(0, effects.signal);
  return effects;
}

async function walkOrYield(
  active: Active,
  extent: "all" | "requests" | { readonly problem: Problem },
  tookFrom: Claimed["tookFrom"],
): Promise<void> {
  try {
    if (extent === "requests") return await answerAndGo(active);
    if (extent !== "all") return await waitForHooks(active, extent.problem);
    // A cancel is answered before anything else, and before a probe that may take its time.
    if (active.open.some((request) => needsNoLoad(request.kind))) await consume(active);
    if (!active.parked) await repair(active, tookFrom);
    await walk(active);
  } catch (error) {
    active.effects.abort(error);
    if (error instanceof Surrendered) return;
    if (!(error instanceof Fenced)) throw error;
    active.world.notify({ type: "fenced", threadId: active.lease.threadId });
  }
}

/** What was asked is answered, and the thread is left as it is: whoever hosts it later goes on. */
async function answerAndGo(active: Active): Promise<void> {
  if (active.open.length > 0) await consume(active);
  if (!active.parked) await record(active, { events: [], release: true });
}

/** Hooks that cannot be read may be guards: nothing runs without them, and a person is asked. */
async function waitForHooks(active: Active, { message, why }: Problem): Promise<void> {
  if (active.open.length > 0) await consume(active);
  if (active.parked) return;
  if (active.thread.status !== "running") return void (await record(active, { events: [], park: true }));
  const question = {
    reason: "error" as const,
    message: `Its hooks cannot be read: ${[message, why].filter(Boolean).join(" ")}`,
    what: "hooks that can be read",
  };
  await record(active, { events: suspend(active.thread, question, askingNeeds(active.world)) });
}

async function walk(active: Active): Promise<void> {
  while (!active.parked) {
    if (active.open.length > 0) await consume(active);
    else if (active.effects.signal.aborted) await windDown(active);
    else await step(active);
  }
}

/** Everything was told to stop: by a request, which is answered next, or by a host that leaves. */
async function windDown(active: Active): Promise<void> {
  const { world, lease, effects } = active;
  active.open = await world.store.openRequests(lease.chainRootId);
  if (active.open.length > 0) return;
  if (!(effects.signal.reason instanceof HostStops)) throw effects.signal.reason;
  await record(active, { events: [], release: true });
}

async function step(active: Active): Promise<void> {
  const { thread, world } = active;
  const moment = momentOf(active);
  const action = nextAction(thread, moment);
  const open = thread.step;
  switch (action.type) {
    case "wake":
      active.timerFired = false;
      await record(active, glide(thread, wakeUp(thread), { ...moment, timerFired: false }));
      return;
    case "judge":
      await judge(active, action.point);
      return;
    case "escalate": {
      const { escalation } = world.settings.limits;
      await record(active, { events: escalate(thread, action.breach, escalation, askingNeeds(world)) });
      return;
    }
    case "ask_about_loop":
      await record(active, { events: askAboutLoop(thread, askingNeeds(world)) });
      return;
    case "rest":
    case "wait_retry":
      await record(active, { events: [], park: true });
      return;
    case "open_step":
    case "finish_step":
    case "complete":
      await record(active, glide(thread, [], moment));
      return;
    case "close_answer":
      await record(active, glide(thread, open ? closingAnswer(open) : [], moment));
      return;
    case "ask":
      if (open) await ask(active, open);
      return;
    case "run_calls":
      if (open) await runCalls(active, open);
      return;
  }
}

/** Its time has come: it goes on, or nobody answered and that counts as a no. */
function wakeUp(thread: Thread): NewEvent[] {
  const { waitsFor, run, nonce, approval } = thread;
  if (waitsFor?.kind !== "person" || waitsFor.follows !== "deny" || !approval) {
    return [{ type: "thread_resumed", by: "timer", run, nonce }];
  }
  const { approval_id, timeout_seconds } = approval;
  const message = `Nobody answered within ${timeout_seconds} seconds.`;
  return [
    { type: "approval_decided", approval_id, approved: false, by: "nobody", via: BY_TIMEOUT, message },
    ...closing(thread),
    { type: "thread_cancelled", reason: "denied: nobody answered", by: "approvals.on_timeout", report: [] },
  ];
}

/** The journal does not hold: the thread is set aside with its last good event, and nothing runs. */
async function setAside(world: World, { lease }: Claimed, damage: Damage): Promise<void> {
  if (!(await world.store.markCorrupt(lease, damage))) return;
  world.notify({ type: "damaged", threadId: lease.threadId, damage });
}

/** Ending a damaged thread needs no load (F5). */
async function endDamaged(world: World, claimed: Claimed): Promise<void> {
  const { row, open } = claimed;
  await commitBlind(world, claimed, answerBlind(row, open) ?? { events: [], consumes: ids(open) });
}

/** The thread took its owners down again and again: it is parked, without being loaded; an end asked for wins. */
async function breakLoop(world: World, claimed: Claimed, tookFrom: DeadOwner): Promise<void> {
  const { row, open } = claimed;
  const ending = answerBlind(row, open);
  if (ending) return commitBlind(world, claimed, ending);
  const noted = noteBlind(row, open);
  const events = [...noted.events, ...crashLoopEvents(row, tookFrom, askingNeeds(world))];
  await commitBlind(world, claimed, { events, consumes: noted.consumes });
}

function ids(open: Claimed["open"]): string[] {
  return open.map((request) => request.request_id);
}

async function commitBlind(world: World, { lease }: Claimed, answer: BlindAnswer): Promise<void> {
  const committed = await world.store.commit(lease, { ...answer, release: true });
  if (!("refused" in committed)) publish(world, committed.events);
}
