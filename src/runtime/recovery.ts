/** Taking over a thread whose owner died: the plan, and its application at the start of an activation (R3–R5). */

import { isOrphaned } from "../core/claim.ts";
import { chargedHold } from "../core/closing.ts";
import type { NewEvent } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import { type AskingNeeds, suspend } from "../core/question.ts";
import {
  asksAgain,
  type CallDecision,
  decideCall,
  type InFlight,
  inFlight,
  type PlanLine,
  planLine,
  UNKNOWN_OUTCOME,
} from "../core/recover.ts";
import type { ThreadRow } from "../core/row.ts";
import { foldThread, type Thread } from "../core/thread.ts";
import type { ProbeAnswer } from "../core/tool.ts";
import type { World } from "../core/world.ts";
import { type Active, record } from "./active.ts";
import { lookAfter, plannedProcesses } from "./kept-processes.ts";

export interface DeadOwner {
  readonly owner: string;
  readonly epoch: number;
}

/** Writes down what happens to every call that was in flight, before anything runs again. */
export async function repair(active: Active, tookFrom: DeadOwner | undefined): Promise<void> {
  const { thread } = active;
  const open = inFlight(thread);
  const isInDoubt = tookFrom !== undefined || thread.step?.doubted === true;
  if (!isInDoubt && open.length === 0) return;
  const decisions = await decideAll(active.world, thread, open, active.effects.signal);
  const found = open.map(({ call_id, tool, effect }) => ({ call_id, tool, effect }));
  const detected: NewEvent[] = tookFrom ? [{ type: "crash_detected", ...tookFrom, in_flight: found }] : [];
  const recovered: NewEvent<"crash_recovered"> = {
    type: "crash_recovered",
    decisions: found.map((call) => ({ ...call, decision: decisions.get(call.call_id)?.type ?? "unknown" })),
    model_call_again: asksAgain(thread),
    // A request that was under way may have been answered and billed: what was held for it is charged.
    ...(isInDoubt && thread.step && !thread.step.answer && thread.step.blocks.length === 0
      ? chargedHold(thread.step)
      : {}),
  };
  const results = open.flatMap((call) => repairResult(thread, call, decisions.get(call.call_id)));
  const processes = tookFrom ? await lookAfter(active, open, decisions) : { found: [], events: [] };
  const told = processes.found.length > 0 ? { ...recovered, processes: processes.found } : recovered;
  await record(active, { events: [...detected, told, ...processes.events, ...results] });
}

/**
 * Who takes a thread only to answer a request leaves no trace of its owner's death in the lease: so it is written down,
 * and a request that was cut off is charged. Calls in flight are for who hosts it: a tool may have to be asked.
 */
export async function noteDeath(active: Active, tookFrom: DeadOwner): Promise<void> {
  const found = inFlight(active.thread).map(({ call_id, tool, effect }) => ({ call_id, tool, effect }));
  if (found.length === 0) return repair(active, tookFrom);
  await record(active, { events: [{ type: "crash_detected", ...tookFrom, in_flight: found }] });
}

function repairResult(thread: Thread, call: InFlight, decision: CallDecision | undefined): NewEvent[] {
  if (decision?.type === "rerun") return [];
  const taken = decision?.type === "take" ? decision.outcome : undefined;
  const { call_id, tool } = call;
  return [
    {
      type: "tool_call_result",
      turn: thread.step?.turn ?? thread.turns,
      call_id,
      tool,
      status: taken?.status ?? "unknown",
      output: taken?.output ?? UNKNOWN_OUTCOME,
      source: taken ? "probe" : "repair",
      duration_ms: 0,
    },
  ];
}

async function decideAll(
  world: World,
  thread: Thread,
  open: readonly InFlight[],
  signal: AbortSignal,
): Promise<Map<CallId, CallDecision>> {
  const decided = await Promise.all(
    open.map(async (call): Promise<[CallId, CallDecision]> => {
      const answer = call.effect === "probe" ? await probe(world, thread, call, signal) : undefined;
      return [call.call_id, decideCall(call.effect, answer)];
    }),
  );
  return new Map(decided);
}

/** A probe that throws, is missing, takes too long or is told to stop cannot tell. */
async function probe(
  world: World,
  thread: Thread,
  call: InFlight,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const { chainRootId, id: threadId } = thread;
  const turn = thread.step?.turn ?? thread.turns;
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const context = { threadId, chainRootId, turn, callKey: call.call_id, signal: ends, progress: () => {} };
  const asked = (async () => world.tool(call.tool)?.probe?.(call.input, context))().catch(() => undefined);
  const late = world.clock.sleep(world.settings.tool.timeout_seconds * 1_000, ends).then(() => undefined);
  const answer = await Promise.race([asked, late]);
  over.abort();
  return answer ?? { type: "cannot_tell" };
}

/** What `recover` would do with each of these threads; asks probes, changes nothing. */
export async function planRecovery(world: World, rows: readonly ThreadRow[]): Promise<PlanLine[]> {
  await world.ready?.();
  const lines: PlanLine[] = [];
  for (const row of rows) {
    const { events, damage } = await world.store.load(row.thread_id);
    const thread = foldThread(row.thread_id, events);
    const decisions = await decideAll(world, thread, inFlight(thread), new AbortController().signal);
    const processes = await plannedProcesses(world, thread);
    const line = planLine(thread, { owner: row.owner ?? "", now: world.clock.now(), decisions, processes });
    lines.push(damage ? { ...line, damage } : line);
  }
  return lines;
}

/** Threads that nobody takes care of, newest first. */
export async function findOrphans(world: World): Promise<ThreadRow[]> {
  const { store, machine } = world;
  const hosts = (await store.hosts()).filter((host) => machine.ownerState(host.owner) !== "dead");
  const hosted = (row: ThreadRow) => hosts.some((host) => host.scope === "*" || host.scope === row.root_id);
  const stateOf = (row: ThreadRow) => (row.owner === null ? "none" : machine.ownerState(row.owner));
  const now = world.clock.now();
  const candidates = await store.candidates("*");
  return candidates
    .filter((candidate) => isOrphaned(candidate, stateOf(candidate.row), hosted(candidate.row), now))
    .map(({ row }) => row)
    .sort((left, right) => (left.created_at < right.created_at ? 1 : -1));
}

const DEATHS = "Its owners died three times in ten minutes without any progress.";

/** The thread took its owners down again and again: it is parked, without being loaded. */
export function crashLoopEvents(
  row: ThreadRow,
  tookFrom: DeadOwner,
  needs: AskingNeeds,
  message = DEATHS,
): NewEvent[] {
  const question = {
    reason: "crash_loop" as const,
    message,
    prompt: `${row.thread_id} does not get on. ${message}\n\nApprove to let it try again? Deny ends it as cancelled; what it did so far is kept.`,
    what: "somebody to look why its owners died",
  };
  return [
    { type: "crash_detected", ...tookFrom, in_flight: [] },
    ...suspend({ id: row.thread_id, run: row.run }, question, needs),
  ];
}
