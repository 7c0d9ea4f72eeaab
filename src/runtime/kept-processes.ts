/** Processes of a thread whose owner died: those that live are taken on, of the others it is written down (R5). */
import type { NewEvent } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import { commandLine, handleOf, isStart, type Managed, runningProcesses } from "../core/managed.ts";
import { type ProcessState, processStopped } from "../core/processes.ts";
import type { CallDecision, InFlight, PlannedProcess } from "../core/recover.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { refOf } from "./process-call.ts";

type Found = NonNullable<NewEvent<"crash_recovered">["processes"]>;

export async function lookAfter(
  { world, thread }: { readonly world: World; readonly thread: Thread },
  open: readonly InFlight[],
  decisions: ReadonlyMap<CallId, CallDecision>,
): Promise<{ found: Found; events: NewEvent[] }> {
  // A start that is not made again would never be heard of again: what came of it ends.
  for (const { call_id } of open.filter(isStart)) {
    if (decisions.get(call_id)?.type === "rerun") continue;
    const { chainRootId } = thread;
    await world.processes?.stop({ handle: handleOf(thread, call_id, world.sha256), chainRootId });
  }
  const looked = await lookAtAll(world, thread);
  const found = looked.map(({ kept, state }) => ({
    handle_id: kept.handle,
    decision: decisionAbout(state),
  }));
  const events = looked.flatMap(({ kept: { handle }, state }) =>
    state.type === "over" ? [processStopped({ handle, ...state })] : [],
  );
  return { found, events };
}

/** What recovery would do about them. */
export async function plannedProcesses(world: World, thread: Thread): Promise<PlannedProcess[]> {
  return (await lookAtAll(world, thread)).map(({ kept, state }) => ({
    handle_id: kept.handle,
    command: commandLine(kept),
    pid: kept.pid,
    decision: decisionAbout(state),
  }));
}

/** Those that should run, and whether they do. */
export async function lookAtAll(
  world: Pick<World, "processes">,
  thread: Thread,
): Promise<{ kept: Managed; state: ProcessState }[]> {
  const { processes } = world;
  if (!processes) return [];
  return Promise.all(
    runningProcesses(thread).map(async (kept) => ({
      kept,
      state: await processes.look(refOf({ thread }, kept)),
    })),
  );
}

function decisionAbout({ type }: ProcessState): "adopted" | "gone" {
  return type === "running" ? "adopted" : "gone";
}
