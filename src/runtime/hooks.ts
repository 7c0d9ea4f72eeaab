/** Runs the hooks of one moment (§10) and records what follows from them. A hook triggers no hooks. */
import { glide, type HookPoint } from "../core/decide.ts";
import { matchHooks } from "../core/hook.ts";
import { afterJudgement, type HookRun, judgement } from "../core/judgement.ts";
import { mayReachNetwork } from "../core/rights.ts";
import { type Active, askingNeeds, momentOf, record } from "./active.ts";

/** One after the other, in the order of their layers, up to the first that decides. */
export async function runHooks(active: Active, point: HookPoint): Promise<HookRun[]> {
  const { world, effects } = active;
  const { key, event, facts } = point;
  const { matched, broken } = matchHooks(active.hooks, event, facts);
  const runs = broken.map(({ hook, why }): HookRun => {
    return { hook, outcome: { problem: why, ran: false }, durationMs: 0 };
  });
  for (const hook of matched) {
    const startedAt = world.clock.monotonic();
    const at = {
      key: `${active.thread.chainRootId} ${key}`,
      signal: effects.signal,
      network: mayReachNetwork(active.thread),
    };
    const outcome = (await world.runHook?.(hook, facts, at)) ?? { problem: "nothing runs it" };
    const durationMs = Math.max(0, Math.round(world.clock.monotonic() - startedAt));
    runs.push({ hook, outcome: "problem" in outcome ? { ...outcome, ran: true } : outcome, durationMs });
    if (effects.signal.aborted || ("action" in outcome && outcome.action !== "continue")) break;
  }
  return runs;
}

export async function judge(active: Active, point: HookPoint): Promise<void> {
  const runs = await runHooks(active, point);
  // What a hook said while it was being stopped does not count: the moment comes again.
  if (active.effects.signal.aborted) return;
  const judged = judgement(point, runs);
  const events = afterJudgement(active.thread, point, judged, askingNeeds(active.world));
  await record(active, glide(active.thread, events, momentOf(active)));
}
