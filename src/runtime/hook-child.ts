/** Starts the directive of a hook as a child of the thread that it is asked for (§10). One commit: it is there, or it is not. */
import type { HookPoint } from "../core/decide.ts";
import type { NewEvent } from "../core/event.ts";
import type { ChildHook } from "../core/hook.ts";
import { answersFor, asking, childInputs, hookWait, timesAsked, toldOf } from "../core/hook-child.ts";
import { hookName } from "../core/hook-match.ts";
import { randomName } from "../core/id.ts";
import type { HookRun } from "../core/judgement.ts";
import { showDollars } from "../core/money.ts";
import { Problem } from "../core/problem.ts";
import { type Prepared, planSpawn, type SpawnPlan } from "../core/spawn.ts";
import { type Active, record } from "./active.ts";
import { childId, shortOfMoney } from "./perform.ts";

interface Before {
  /** Names of the hooks of this moment that were asked before it. */
  readonly passed: readonly string[];
  /** What is written down of those that have not been yet. */
  readonly events: readonly NewEvent[];
}

/** Why it could not be started, as what the hook came to; undefined when it was, or when a request came first. */
export async function startChild(
  active: Active,
  hook: ChildHook,
  point: HookPoint,
  before: Before,
): Promise<HookRun | undefined> {
  const prepared = await prepare(active, hook, point);
  if ("refused" in prepared) return fellOver(hook, prepared.refused);
  let spend: string | undefined;
  for (;;) {
    const plan = planFor(active, hook, point, { prepared, passed: before.passed, spend });
    if ("refused" in plan) return fellOver(hook, plan.refused);
    const wait = hookWait(hook, plan.birth.threadId, active.world.clock.now());
    // All of it or nothing: were those before it written down alone, the moment would count as judged.
    const tail = [...before.events, plan.started, wait];
    const { shortage } = await record(active, { events: [], tail, births: [plan.birth] });
    if (!shortage) return undefined;
    active.shortage = undefined;
    // What is left may do for a small question; the child finds out itself.
    if (spend !== undefined || shortage.free <= 0 || shortage.at !== active.thread.chainRootId)
      return fellOver(hook, shortOfMoney(shortage).output);
    spend = showDollars(shortage.free);
  }
}

type Ready = Prepared | { readonly refused: string };

/** The directive as its user agreed to it, with what is known at this moment. */
async function prepare({ world }: Active, hook: ChildHook, { facts }: HookPoint): Promise<Ready> {
  try {
    const ask = { directive: hook.run.directive, ...childInputs(hook, facts) };
    return (await world.prepare?.(ask)) ?? { refused: "there are no directives here" };
  } catch (error) {
    return refusedBy(error);
  }
}

function planFor(
  active: Active,
  hook: ChildHook,
  point: HookPoint,
  more: {
    readonly prepared: Prepared;
    readonly passed: readonly string[];
    readonly spend: string | undefined;
  },
): SpawnPlan {
  const { world, thread } = active;
  const { prepared, passed, spend } = more;
  const answers = answersFor({ point: point.key, name: hookName(hook) });
  const limits = spend === undefined ? {} : { limits: { spend } };
  const ask = { directive: hook.run.directive, wait: true, start: true, ...limits };
  try {
    return planSpawn(thread, ask, prepared, {
      childId: childId(active, prepared.directive.name, `${answers} ${timesAsked(thread, answers)}`),
      callId: null,
      nonce: randomName(world.random(16)),
      defaults: world.settings.limits.defaults,
      maxChildren: world.settings.concurrency.max_children,
      hook: asking(hook, point, passed),
    });
  } catch (error) {
    return refusedBy(error);
  }
}

function refusedBy(error: unknown): { refused: string } {
  if (!(error instanceof Problem)) throw error;
  return { refused: [error.message, error.why].filter(Boolean).join(" ") };
}

function fellOver(hook: ChildHook, why: string): HookRun {
  return { hook, outcome: { problem: toldOf(hook, why), ran: true }, durationMs: 0 };
}
