/** Runs the hooks of one moment (§10) and records what follows from them. A hook triggers no hooks. */
import { glide, type HookPoint } from "../core/decide.ts";
import type { NewEvent } from "../core/event.ts";
import type { Hook, LocalHook } from "../core/hook.ts";
import { answerOf, toldOf } from "../core/hook-child.ts";
import { hookName, isChildHook, matchHooks } from "../core/hook-match.ts";
import { afterJudgement, type HookRun, type Judgement, judgement } from "../core/judgement.ts";
import { decideLeftOpen } from "../core/left-open.ts";
import { mayReachNetwork } from "../core/rights.ts";
import { type Active, askingNeeds, momentOf, record } from "./active.ts";
import { startChild } from "./hook-child.ts";
import { failureNeeds } from "./retry-needs.ts";

/**
 * One after the other, in the order of their layers, up to the first that decides. One that runs a directive parks the
 * thread: those before it are written down with the start of its child, those after it come when it has answered.
 */
export async function judge(active: Active, point: HookPoint): Promise<void> {
  const { asked } = active.thread;
  const { matched, broken } = matchHooks(active.hooks, point.event, point.facts);
  const passed = asked ? [...asked.before, asked.name] : [];
  const runs: HookRun[] = asked
    ? [heard(active)]
    : broken.map(({ hook, why }) => ({ hook, outcome: { problem: why, ran: false }, durationMs: 0 }));
  for (const hook of matched.filter((each) => !passed.includes(nameOf(active, each)))) {
    if (judgement(point, runs).action !== "continue") break;
    if (isChildHook(hook)) {
      const run = await startChild(active, hook, point, { passed, events: judgement(point, runs).events });
      if (!run) return; // it was started, or something came first: the moment is judged when it comes again
      runs.push(run);
    } else runs.push(await runLocal(active, hook, point));
    passed.push(nameOf(active, hook));
    // What a hook said while it was being stopped does not count: the moment comes again.
    if (active.effects.signal.aborted) return;
  }
  const events = following(active, point, judgement(point, runs));
  await record(active, glide(active.thread, events, momentOf(active)));
}

/** As it is kept: an id that holds a secret stands in the journal without it. */
function nameOf({ world }: Active, hook: Hook): string {
  const name = hookName(hook);
  return world.redact?.(name) ?? name;
}

function following(active: Active, point: HookPoint, judged: Judgement): NewEvent[] {
  const { thread, world } = active;
  if (point.event !== "error") return afterJudgement(thread, point, judged, askingNeeds(world));
  const said = { action: judged.action, why: judged.message };
  return [...judged.events, ...decideLeftOpen(thread, said, failureNeeds(active))];
}

/** What the child came to that was started for a hook. */
function heard({ thread, world }: Active): HookRun {
  const { asked } = thread;
  if (!asked) throw new Error("no hook was asked");
  const answer = answerOf(thread, asked);
  const { id, where, childId, since } = asked;
  return {
    hook: { id, where },
    outcome: "problem" in answer ? { problem: toldOf({ id, where }, answer.problem), ran: true } : answer,
    durationMs: Math.max(0, world.clock.now() - Date.parse(since)),
    childId,
  };
}

async function runLocal(active: Active, hook: LocalHook, { key, facts }: HookPoint): Promise<HookRun> {
  const { world, effects, thread } = active;
  const startedAt = world.clock.monotonic();
  const network = mayReachNetwork(thread);
  const at = { key: `${thread.chainRootId} ${key}`, signal: effects.signal, network };
  const outcome = (await world.runHook?.(hook, facts, at)) ?? { problem: "nothing runs it" };
  const durationMs = Math.max(0, Math.round(world.clock.monotonic() - startedAt));
  return { hook, outcome: "problem" in outcome ? { ...outcome, ran: true } : outcome, durationMs };
}
