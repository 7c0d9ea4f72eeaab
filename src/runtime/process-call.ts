/**
 * `managed_subprocess` (§14).
 *   M1. The intent is durable before anything starts, and it names the handle: a start that is made again after a crash
 *       takes up what runs, and starts nothing twice.
 *   M2. A chain touches the processes in its own journal, and no others: a handle is looked up, never believed.
 */
import type { NewEvent } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import { handleOf, type Managed, PROCESS_TOOL, runningProcesses } from "../core/managed.ts";
import { type ProcessInput, parseOrchestration } from "../core/orchestration.ts";
import { type Processes, type ProcessRef, type ProcessState, processStopped } from "../core/processes.ts";
import { mayReachNetwork } from "../core/rights.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Notes } from "../core/world.ts";
import type { Active } from "./active.ts";

const MOST_RUNNING = 16;
/** Lines that come along when it is not ready, so that nobody has to ask why. */
const LAST_LINES = 10;

export async function performProcess(
  active: Active,
  callId: CallId,
  input: unknown,
  notes: Notes,
): Promise<ToolOutcome> {
  const { processes } = active.world;
  if (!processes) return refused("there are no managed processes here");
  const told = { ...notes, now: (event: NewEvent) => notes.now(event).catch(unwritten) };
  try {
    return await perform(active, processes, { callId, input, notes: told });
  } catch (cause) {
    if (cause instanceof Unwritten) throw cause.cause;
    return refused(`The tool failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** A fact that could not be written ends the activation; whatever else goes wrong is the call's result. */
class Unwritten extends Error {}

function unwritten(cause: unknown): never {
  throw new Unwritten("not written", { cause });
}

async function perform(
  active: Active,
  processes: Processes,
  { callId, input, notes }: { readonly callId: CallId; readonly input: unknown; readonly notes: Notes },
): Promise<ToolOutcome> {
  const { value } = parseOrchestration(PROCESS_TOOL, input) as { value: ProcessInput };
  if (value.action === "start") return start(active, processes, callId, { ...value, notes });
  const { handle_id = "" } = value;
  const known = active.thread.processes;
  const found = Object.hasOwn(known, handle_id) ? known[handle_id] : undefined; // M2
  if (!found) return refused(unknownHandle(active));
  const ref = refOf(active, found);
  switch (value.action) {
    case "logs":
      return done(processes.tail(ref, value.tail).join("\n"));
    case "stop":
      return stop(processes, found, ref, notes);
    case "status": {
      const state = found.ended ? ended(found.ended) : await processes.look(ref);
      if (!found.ended) noteEnd(found, state, notes);
      return done(statusOf(active, found, state));
    }
  }
}

async function start(
  active: Active,
  processes: Processes,
  callId: CallId,
  ask: ProcessInput & { readonly notes: Notes },
): Promise<ToolOutcome> {
  const { world, thread, effects } = active;
  const handle = handleOf(thread, callId, world.sha256);
  const isKnown = Object.hasOwn(thread.processes, handle);
  if (!isKnown && runningProcesses(thread).length >= MOST_RUNNING)
    return refused(`${MOST_RUNNING} processes of this thread run already; stop one first`);
  const { command = "", args = [], cwd, env = {}, ready_pattern, ready_port, ready_timeout, notes } = ask;
  const { chainRootId, id: threadId } = thread;
  const place = { handle, chainRootId, threadId, callKey: callId };
  const program = { command, args, cwd, env, network: mayReachNetwork(thread) };
  const wished = { readyPattern: ready_pattern, readyPort: ready_port };
  const begun = await processes.start({ ...place, ...program, ...wished });
  if ("refused" in begun) return refused(begun.refused);
  const { pid, identity } = begun;
  const said = {
    handle_id: handle,
    call_id: callId,
    pid,
    identity,
    command,
    args: [...args],
    cwd: begun.cwd,
  };
  if (!isKnown) await notes.now({ type: "process_started", ...said, ready: false });
  const ref = { handle, chainRootId, identity };
  const wanted = { pattern: ready_pattern, port: ready_port, timeoutMs: ready_timeout * 1_000 };
  const ready = await processes.becomesReady(ref, wanted, effects.signal);
  const state: ProcessState = ready ? { type: "running" } : await processes.look(ref);
  if (ready) notes.withResult({ type: "process_started", ...said, ready });
  else noteEnd({ handle }, state, notes);
  const status = state.type === "running" ? "running" : "exited";
  const more = {
    ...(state.type === "over" ? { exit_code: state.exitCode } : {}),
    ...(ready ? {} : { log: processes.tail(ref, LAST_LINES) }),
  };
  return done({ handle_id: handle, pid, ready, status, ...more });
}

/** Stopping what has stopped is no error: it is what was asked for. */
async function stop(
  processes: Processes,
  found: Managed,
  ref: ProcessRef,
  notes: Notes,
): Promise<ToolOutcome> {
  if (found.ended) return done({ stopped: true, exit_code: found.ended.exitCode });
  const over = await processes.stop(ref);
  notes.withResult(processStopped(over, "tool"));
  if (over.why === "elsewhere") return refused(`${found.handle} runs on another machine, if it still does`);
  return done({ stopped: true, exit_code: over.exitCode });
}

function noteEnd({ handle }: Pick<Managed, "handle">, state: ProcessState, notes: Notes): void {
  if (state.type === "over") notes.withResult(processStopped({ handle, ...state }));
}

function statusOf({ world }: Active, { pid, startedAt, ended: end }: Managed, state: ProcessState) {
  const until = end ? Date.parse(end.at) : world.clock.now();
  const uptime = Math.max(0, Math.round((until - Date.parse(startedAt)) / 1_000));
  const running = state.type === "running";
  return { running, pid, uptime, exit_code: state.type === "over" ? state.exitCode : null };
}

function ended({ exitCode }: NonNullable<Managed["ended"]>): ProcessState {
  return { type: "over", why: "exited", exitCode };
}

export function refOf({ thread }: Pick<Active, "thread">, { handle, identity }: Managed): ProcessRef {
  return { handle, chainRootId: thread.chainRootId, identity };
}

function unknownHandle({ thread }: Active): string {
  const own = Object.keys(thread.processes);
  return `this thread has no such process; ${own.length > 0 ? `its own: ${own.join(", ")}` : "it has none"}`;
}

function refused(why: string): ToolOutcome {
  return { status: "error", output: why };
}

function done(value: unknown): ToolOutcome {
  return { status: "ok", output: typeof value === "string" ? value : JSON.stringify(value) };
}
