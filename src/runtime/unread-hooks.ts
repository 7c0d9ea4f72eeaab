/** Hooks are read when an activation begins; what happens when they cannot be. */
import { ahead, glide, nextAction } from "../core/decide.ts";
import { effectless } from "../core/effectless.ts";
import type { NewEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { hooksFelt } from "../core/hook-match.ts";
import { isoTime } from "../core/iso-time.ts";
import { light } from "../core/last-said.ts";
import { Problem } from "../core/problem.ts";
import { suspend } from "../core/question.ts";
import { retryCancelled } from "../core/retry.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { type Active, askingNeeds, record } from "./active.ts";
import { consume } from "./requests.ts";
import { wakeUp } from "./wake.ts";

export async function readHooks(
  world: World,
  thread: Pick<Thread, "directive" | "forHook">,
): Promise<{ readonly hooks: readonly Hook[] } | { readonly problem: Problem }> {
  try {
    return { hooks: hooksFelt((await world.hooks?.(thread.directive)) ?? [], thread) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Hooks that cannot be read may be guards: nothing runs without them, and a person is asked. */
export async function waitForHooks(active: Active, problem: Problem): Promise<void> {
  while (!active.parked) {
    const { thread, world, timerFired } = active;
    const moment = { now: world.clock.now(), timerFired };
    const action = nextAction(thread, moment);
    if (active.open.length > 0) await consume(active, "alone");
    // It ends, or waits for those below it: hooks have no part in that.
    else if (action.type === "end") await record(active, { events: [action.end] });
    else if (action.type === "rest") await record(active, { events: [], park: true });
    // Nor in a stop: but in what comes after it, so that is not begun here.
    else if (thread.halting) await record(active, effectless(action, thread, moment) ?? { events: [] });
    else await record(active, { events: withoutHooks(active, problem), park: true });
  }
}

function withoutHooks({ thread, world, timerFired }: Active, { message, why }: Problem): NewEvent[] {
  const now = world.clock.now();
  // No hook stands between a thread that is being stopped and its end.
  if (thread.stopping) return [...glide(thread, [], { now }).events];
  const action = nextAction(thread, { now, timerFired });
  const woken = action.type === "wake" ? wakeUp(thread) : nextSaid(thread, now);
  if (thread.status !== "running" && woken.length === 0) return [];
  if (woken.some(({ type }) => type === "thread_cancelled")) return woken;
  const question = {
    reason: "error" as const,
    message: `Its hooks cannot be read: ${[message, why].filter(Boolean).join(" ")}`,
    what: "hooks that can be read",
  };
  const ts = isoTime(now);
  const events: NewEvent[] = [];
  let [fold, next] = [light(thread), woken];
  // Each message that waits fails for the same reason, and is told of: none is passed over.
  do {
    const failed = [...next, ...retryCancelled(fold), ...suspend(fold, question, askingNeeds(world))];
    fold = failed.reduce((before, event) => ahead(before, event, ts), fold);
    events.push(...failed);
    next = nextSaid(fold, now);
  } while (next.length > 0);
  return events;
}

/** What was said to one that lasts and comes next: it is read, so that people know what failed. */
function nextSaid(thread: Thread, now: number): NewEvent[] {
  if (!thread.lasting) return [];
  const action = nextAction(thread, { now });
  return action.type === "follow_up" ? [...(effectless(action, thread, { now })?.events ?? [])] : [];
}
