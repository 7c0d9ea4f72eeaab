/** Performs what a thread asks of other threads (O1–O4). Everything is a commit: nothing here is ever half done. */
import { CHANNEL_TOOL } from "../core/channel-input.ts";
import { denialOf, denialText } from "../core/denial.ts";
import type { NewEvent } from "../core/event.ts";
import { type CallId, randomName, threadId } from "../core/id.ts";
import { showDollars } from "../core/money.ts";
import { parseOrchestration, SPAWN_TOOL, type SpawnInput } from "../core/orchestration.ts";
import { Problem } from "../core/problem.ts";
import { directiveRight } from "../core/right.ts";
import { type Prepared, planSpawn, type SpawnPlan, spawnBreach } from "../core/spawn.ts";
import type { OpenCall, Thread } from "../core/thread.ts";
import type { ToolOutcome } from "../core/tool.ts";
import { furtherBelow, unheardOf, waitStarted } from "../core/waiting.ts";
import { type Active, record } from "./active.ts";
import { callFromFold } from "./call.ts";
import { performChannel } from "./channel-call.ts";

export interface Spawning {
  /** What the call asks for, when it can be asked for at all. */
  readonly ask: SpawnInput;
  readonly prepared: Prepared | undefined;
  readonly refused?: string;
}

/** Everything that has to be read first. What is found wrong is the call's result. */
export async function prepareSpawn({ world, thread }: Active, input: unknown): Promise<Spawning> {
  const { value } = parseOrchestration(SPAWN_TOOL, input) as { value: SpawnInput };
  const { directive, inputs = {}, model } = value;
  const denial = denialOf(thread, directiveRight(directive));
  if (denial) return { ask: value, prepared: undefined, refused: `permission_denied: ${denialText(denial)}` };
  try {
    const prepared = await world.prepare?.({ directive, inputs, model });
    return prepared
      ? { ask: value, prepared }
      : { ask: value, prepared, refused: "there are no directives here" };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ask: value, prepared: undefined, refused: [error.message, error.why].filter(Boolean).join(" ") };
  }
}

/** A child, as the thread stands now; or why there is none. `later`: one more than it may start, which is asked about. */
export function planChild(active: Active, callId: CallId, spawning: Spawning): SpawnPlan | { later: true } {
  const { ask, prepared, refused = "" } = spawning;
  const { world, thread } = active;
  if (!prepared) return { refused };
  if (spawnBreach(thread)) return { later: true };
  try {
    return planSpawn(thread, ask, prepared, {
      childId: childId(active, prepared.directive.name, callId),
      callId,
      nonce: randomName(world.random(16)),
      defaults: world.settings.limits.defaults,
      maxChildren: world.settings.concurrency.max_children,
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { refused: [error.message, error.why].filter(Boolean).join(" ") };
  }
}

/** Named after its call, or after the hook it answers for: made again after a crash, it is the same child. */
export function childId({ world, thread }: Active, directive: string, cause: string): string {
  const digest = world.sha256(`${thread.chainRootId} ${cause}`);
  const bytes = Uint8Array.from({ length: 6 }, (_, at) =>
    Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16),
  );
  return threadId(directive, Date.parse(thread.createdAt), bytes);
}

type Child = Extract<SpawnPlan, { readonly birth: unknown }>;

/** The result of a spawn that comes back at once. */
export function spawned({ birth, started }: Child): ToolOutcome {
  const status = started.start ? "running" : "created";
  return { status: "ok", output: JSON.stringify({ thread_id: birth.threadId, status }) };
}

export function shortOfMoney(shortage: { at: string; asked: number; free: number }): ToolOutcome {
  const said = `asked $${showDollars(shortage.asked)}, free $${showDollars(Math.max(0, shortage.free))} on ${shortage.at}`;
  return {
    status: "error",
    output: `budget_exceeded: ${said}. Give the child less, or finish others first.`,
  };
}

/** A call that parks or ends the thread: the answer is durable, and nothing else of it is left to run. */
export async function performLast(active: Active, open: OpenCall): Promise<void> {
  const call = callFromFold(active, open);
  const start: NewEvent = {
    type: "tool_call_start",
    turn: turnOf(active.thread),
    call_id: open.call_id,
    at: open.at,
    tool: open.tool,
    input: open.input,
    effect: "pure",
    ...(open.executes ? { executes: open.executes } : {}),
    preceding: [],
  };
  const finish = (outcome: ToolOutcome) =>
    record(active, { events: [], tail: [start, resultOf(active, open, outcome)] });
  if (call.inputError !== undefined || !call.tool) {
    const output = call.inputError ?? `There is no tool "${open.tool}".`;
    await finish({ status: "error", output });
    return;
  }
  if (open.tool === "wait_threads") {
    const { value } = parseOrchestration("wait_threads", call.given) as {
      value: Parameters<typeof waitStarted>[1];
    };
    const further = await newlyNamed(active, value.thread_ids);
    const wait = waitStarted(open.call_id, value, active.world.clock.now(), further);
    await record(active, { events: [], tail: [start, wait] });
    return;
  }
  if (open.tool === CHANNEL_TOOL) {
    const resultOfCall = (outcome: ToolOutcome) => resultOf(active, open, outcome);
    return performChannel(active, open, call.given, { start, resultOf: resultOfCall });
  }
  if (open.tool === SPAWN_TOOL) return spawnAndWait(active, open, call.given, start, finish);
  await finish({ status: "ok", output: "Handed back." });
}

/** Looked at only when somebody is named who is no child: most waits are for children. */
async function newlyNamed({ world, thread }: Active, ids: readonly string[]) {
  const unheard = unheardOf(thread, ids);
  if (unheard.length === 0) return [];
  return furtherBelow(thread, unheard, await world.store.find({ rootId: thread.rootId }));
}

async function spawnAndWait(
  active: Active,
  open: OpenCall,
  given: unknown,
  start: NewEvent,
  finish: (outcome: ToolOutcome) => Promise<unknown>,
): Promise<void> {
  const spawning = await prepareSpawn(active, given);
  const plan = planChild(active, open.call_id, spawning);
  if ("later" in plan) return; // the next look asks about it
  if ("refused" in plan) {
    await finish({ status: "error", output: plan.refused });
    return;
  }
  const ask = { thread_ids: [plan.birth.threadId], timeout: 0, require_all: true, fail_fast: false };
  const more = { cancel_siblings_on_failure: false, include_suspended: false };
  const wait = waitStarted(open.call_id, { ...ask, ...more }, active.world.clock.now());
  const tail = plan.started.start
    ? [start, plan.started, wait]
    : [start, plan.started, resultOf(active, open, spawned(plan))];
  const { shortage } = await record(active, { events: [], tail, births: [plan.birth] });
  if (shortage) await finish(shortOfMoney(shortage));
}

function resultOf(
  { thread }: Active,
  { call_id, tool }: OpenCall,
  { status, output }: ToolOutcome,
): NewEvent {
  const said = { call_id, tool, status, output, source: "run" as const, duration_ms: 0 };
  return { type: "tool_call_result", turn: turnOf(thread), ...said };
}

function turnOf({ step, turns }: Thread): number {
  return step?.turn ?? turns;
}
