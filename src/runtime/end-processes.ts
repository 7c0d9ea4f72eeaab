/**
 * No process outlives its chain (P16). Whoever writes the end of a thread stops its processes first, whatever the way
 * to that end: a crash in between finds a thread that has not ended, and the next owner stops what is left.
 */
import type { Batch, Lease } from "../core/commit.ts";
import { ahead } from "../core/decide.ts";
import type { NewEvent } from "../core/event.ts";
import { light } from "../core/last-said.ts";
import { handleOf, isStart, PROCESS_TOOL, runningProcesses } from "../core/managed.ts";
import { type ProcessOver, processStopped } from "../core/processes.ts";
import { inFlight } from "../core/recover.ts";
import type { ThreadRow } from "../core/row.ts";
import { ENDS } from "../core/status.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { refOf } from "./process-call.ts";

interface Ending {
  readonly world: World;
  readonly thread: Thread;
  readonly lease: Lease;
  /** Processes that were told to stop before the end, by handle, and how that went. */
  readonly stops: Map<string, Promise<ProcessOver | undefined>>;
}

/**
 * A cancel reaches processes as it reaches tools: at once, and not when the last tool has taken its time (§12). Whoever
 * writes the end looks again.
 */
export function stopEarly({ world, thread, stops }: Omit<Ending, "lease">): void {
  for (const kept of runningProcesses(thread)) {
    if (stops.has(kept.handle)) continue;
    // A moment later: looking for all who belong to it takes time, and others are told to stop first.
    const stopped = world.clock.sleep(0).then(() => world.processes?.stop(refOf({ thread }, kept)));
    stops.set(
      kept.handle,
      stopped.catch(() => undefined),
    );
  }
}

/** The same facts, with the ends of its processes before its own. */
export async function afterProcesses(ending: Ending, batch: Batch): Promise<Batch> {
  const { world, thread } = ending;
  const at = batch.events.findIndex(({ type }) => ENDS.includes(type));
  const end = batch.events[at];
  if (!end || !world.processes) return batch;
  const ts = new Date(world.clock.now()).toISOString();
  const fold = batch.events.slice(0, at).reduce((each, event) => ahead(each, event, ts), light(thread));
  const known = runningProcesses(fold);
  // A start that was cut off may have started something that nobody has written down.
  const inDoubt = inFlight(thread).filter(isStart);
  if (known.length === 0 && inDoubt.length === 0) return batch;
  if (end.type === "thread_completed" && (await isAskedFor(ending, batch))) return batch;
  await Promise.all(ending.stops.values());
  const found = await world.processes.endAll(
    { chainRootId: thread.chainRootId, threadId: thread.id },
    known.map((each) => refOf({ thread }, each)),
  );
  const over = await Promise.all(found.map(async (each) => (await ending.stops.get(each.handle)) ?? each));
  const callOf = (handle: string) =>
    fold.processes[handle]?.callId ??
    inDoubt.find(({ call_id }) => handleOf(thread, call_id, world.sha256) === handle)?.call_id;
  const told = over.map((each) => reported(each, callOf(each.handle)));
  const named = end.type === "thread_cancelled" ? { ...end, report: [...end.report, ...told] } : end;
  const events = [...batch.events.slice(0, at), ...over.map((each) => processStopped(each, "end")), named];
  return { ...batch, events: [...events, ...batch.events.slice(at + 1)] };
}

/** Of a thread whose journal is not read: what bears its mark. */
export async function endUnread(world: World, row: ThreadRow): Promise<NewEvent[]> {
  const { chain_root_id: chainRootId, thread_id: threadId } = row;
  const over = (await world.processes?.endAll({ chainRootId, threadId }, [])) ?? [];
  return over.map((each) => processStopped(each, "end"));
}

/** Something was asked of it in the last moment: it does not complete, and its processes go on with it. */
async function isAskedFor({ world, lease }: Ending, { consumes = [] }: Batch): Promise<boolean> {
  const open = await world.store.openRequests(lease.chainRootId);
  return open.some(({ request_id }) => !consumes.includes(request_id));
}

/** In the words of the report (§12); how one ended that was gone before anybody looked, nobody knows. */
const OUTCOMES: Record<ProcessOver["why"], string> = {
  exited: "finished",
  stopped: "stopped",
  killed: "killed",
  gone: "outcome unknown",
  elsewhere: "outcome unknown",
};

function reported({ handle, why }: ProcessOver, callId: string | undefined) {
  return { call_id: callId ?? "", tool: PROCESS_TOOL, outcome: OUTCOMES[why], handle_id: handle };
}
