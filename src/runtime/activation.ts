/** Activation: a claimed thread is walked until nothing can move, and parked inside its last commit. */
import { closingAnswer } from "../core/closing.ts";
import { glide, nextAction } from "../core/decide.ts";
import { needsNoLoad } from "../core/request.ts";
import { waitFinished } from "../core/waiting.ts";
import type { World } from "../core/world.ts";
import { type Active, Fenced, HostStops, momentOf, record, Surrendered } from "./active.ts";
import { askForMoney, questionOf } from "./asking.ts";
import { areNotes, breakLoop, diesTooOften, endDamaged, setAside, takeNotes } from "./blind.ts";
import { judge } from "./hooks.ts";
import { interrupt } from "./interrupting.ts";
import { type ActivationOptions, type Claimed, type Extent, openThread } from "./opening.ts";
import { performLast } from "./perform.ts";
import { noteDeath, repair } from "./recovery.ts";
import { relieve } from "./relief.ts";
import { consume } from "./requests.ts";
import { ask, runCalls } from "./turn.ts";
import { waitForHooks } from "./unread-hooks.ts";
import { wakeUp } from "./wake.ts";

/** Start, resume and recover are this one function: fold the journal, walk on. */
export async function activate(world: World, claimed: Claimed, options: ActivationOptions): Promise<void> {
  const { row, tookFrom, open } = claimed;
  if (row.corrupt) return endDamaged(world, claimed);
  if (tookFrom && (options.hopeless !== undefined || diesTooOften(world, row)))
    return breakLoop(world, claimed, tookFrom, options.hopeless);
  if (!tookFrom && !options.timerFired && areNotes(row, open)) {
    const left = await takeNotes(world, claimed);
    // It has more events now than anybody knew of.
    return left && activate(world, left, { ...options, known: undefined });
  }
  const opened = await openThread(world, claimed, options);
  if ("damage" in opened) return setAside(world, claimed, opened.damage);
  const { active, extent } = opened;
  options.onActive?.(active);
  await walkOrYield(active, extent, tookFrom);
}

async function walkOrYield(active: Active, extent: Extent, tookFrom: Claimed["tookFrom"]): Promise<void> {
  try {
    if (extent === "requests") return await answerAndGo(active, tookFrom);
    if (extent !== "all") return await waitForHooks(active, extent.problem);
    // A cancel is answered before anything else, and before a probe that may take its time.
    if (active.open.some((request) => needsNoLoad(request.kind))) await consume(active);
    if (!active.parked) await repair(active, tookFrom);
    await walk(active);
  } catch (error) {
    interrupt(active, error);
    if (error instanceof Surrendered) return;
    if (!(error instanceof Fenced)) throw error;
    active.world.notify({ type: "fenced", threadId: active.lease.threadId });
  }
}

/** What was asked is answered, and the thread is left as it is: whoever hosts it later goes on. */
async function answerAndGo(active: Active, tookFrom: Claimed["tookFrom"]): Promise<void> {
  if (tookFrom) await noteDeath(active, tookFrom);
  while (active.open.length > 0 && !active.parked) await consume(active, "alone");
  const { thread } = active;
  // Nobody below it lives any more, or its wait is over: that needs neither model nor tool nor hook. And it must be
  // said now: what was taken is no request any more, so nothing else would wake the thread.
  const action = active.parked ? undefined : nextAction(thread, momentOf(active));
  if (action?.type === "end") await record(active, { events: [action.end] });
  if (action?.type === "finish_wait") await record(active, waitFinished(thread, action.end));
  if (!active.parked) await record(active, { events: [], release: true });
}

async function walk(active: Active): Promise<void> {
  while (!active.parked) {
    if (active.open.length > 0) await consume(active);
    // One that only waits for the end of its children has nothing left that could be stopped.
    else if (active.effects.signal.aborted && !active.thread.stopping) await windDown(active);
    else if (active.shortage) await askForMoney(active, active.shortage);
    else await step(active);
  }
}

/** Everything was told to stop: by a request, which is answered next, or by a host that leaves. */
async function windDown(active: Active): Promise<void> {
  const { world, lease, effects } = active;
  active.open = await world.store.openRequests(lease.chainRootId);
  if (active.open.length > 0) return;
  const { reason } = effects.signal;
  if (reason instanceof Error && !(reason instanceof HostStops)) throw reason;
  // The request was answered, and the thread has not ended: it waits for those below it to stop (T7).
  await record(active, { events: [], release: true });
}

async function step(active: Active): Promise<void> {
  const { thread } = active;
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
    case "escalate":
    case "ask_about_call":
    case "ask_about_overrun":
    case "ask_about_price":
    case "ask_about_loop":
      await record(active, { events: questionOf(active, action) });
      return;
    case "rest":
    case "wait_retry":
      await record(active, { events: [], park: true });
      return;
    case "open_step":
    case "finish_step":
    case "complete":
    case "follow_up":
    case "answered":
    case "halt":
    case "finish_wait":
    case "wait_again":
    case "join":
    case "end":
      active.timerFired = false;
      await record(active, glide(thread, [], moment));
      return;
    case "close_answer":
      await record(active, glide(thread, open ? closingAnswer(open) : [], moment));
      return;
    case "ask":
      if (open) await ask(active, open);
      // Its timer was for this request: what the answer waits for has a time of its own.
      active.timerFired = false;
      return;
    case "run_calls":
      if (open) await runCalls(active, open);
      return;
    case "relieve":
      await relieve(active);
      return;
    case "perform":
      await performLast(active, action.call);
      return;
  }
}
