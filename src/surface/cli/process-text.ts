/** Managed processes as people and programs see them (UX a.6). */
import type { Event } from "../../core/event.ts";
import { commandLine, type Managed } from "../../core/managed.ts";
import type { ProcessState } from "../../core/processes.ts";
import { isTerminal } from "../../core/status.ts";
import { oneLine } from "../../core/text.ts";
import type { Thread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import { lookAtProcesses } from "../../runtime/index.ts";
import { type LogLine, say } from "./log-line.ts";
import { age } from "./moment.ts";
import type { Sighting } from "./survey.ts";

export interface ProcessSeen {
  readonly thread: Thread;
  /** Nobody looks after its thread. */
  readonly isLeftOver: boolean;
  readonly kept: Managed;
  readonly state: ProcessState;
}

/** Those of a thread that should run; looking at them changes nothing. */
export async function seeProcesses(
  world: World,
  thread: Thread,
  sighting: Sighting | undefined,
): Promise<ProcessSeen[]> {
  if (isTerminal(thread.status)) return [];
  const isLeftOver = sighting !== undefined && isLeft(sighting);
  return (await lookAtProcesses(world, thread)).map((seen) => ({ thread, isLeftOver, ...seen }));
}

/** It should move, or wait for others who should, and no process of ours is there for it. One that is suspended keeps its own. */
function isLeft({ row, host, owner }: Sighting): boolean {
  return row.status === "running" && host === undefined && (owner === "dead" || owner === "none");
}

/** Those that are written down as ended. */
export function endedProcesses(thread: Thread): ProcessSeen[] {
  return Object.values(thread.processes).flatMap((kept) =>
    kept.ended || isTerminal(thread.status)
      ? [
          {
            thread,
            kept,
            isLeftOver: false,
            state: { type: "over", why: "exited", exitCode: kept.ended?.exitCode ?? null },
          },
        ]
      : [],
  );
}

export function processObject({ thread, kept, state, isLeftOver }: ProcessSeen, now: number) {
  const until = kept.ended ? Date.parse(kept.ended.at) : now;
  return {
    handle_id: kept.handle,
    thread_id: thread.id,
    command: commandLine(kept),
    pid: kept.pid,
    pgid: kept.pid,
    status: state.type === "running" ? "running" : (kept.ended?.why ?? state.why),
    ready: kept.ready,
    left_over: isLeftOver && state.type === "running",
    uptime_s: Math.max(0, Math.round((until - Date.parse(kept.startedAt)) / 1_000)),
    exit_code: state.type === "over" ? state.exitCode : null,
  };
}

export type ProcessObject = ReturnType<typeof processObject>;

/** What is said of it beside its command. */
export function stateText({ status, ready, left_over, uptime_s, exit_code }: ProcessObject): string {
  const code = exit_code === null ? "" : ` ${exit_code}`;
  if (status !== "running") return `${status}${status === "exited" ? code : ""}`;
  return `${ready ? "ready" : "running"} · ${age(uptime_s * 1_000)}${left_over ? " · left over" : ""}`;
}

/** Under its thread: `└ proc_… npm run dev   pid 5120 · ready · 6m`. */
export function underThread(process: ProcessObject): string {
  return `  └ ${process.handle_id}  ${oneLine(process.command, 40)}  pid ${process.pid} · ${stateText(process)}`;
}

export function processLine(event: Event<"process_started" | "process_stopped">): LogLine {
  if (event.type === "process_started") {
    const text = `${event.handle_id} ${oneLine(commandLine(event), 60)} · pid ${event.pid}`;
    return say(
      undefined,
      "process",
      `${text} · ${event.ready ? "ready" : "started"}`,
      event.ready ? "good" : undefined,
    );
  }
  const code = event.exit_code === null ? "" : ` · exit code ${event.exit_code}`;
  return say(undefined, "process", `${event.handle_id} ${event.why}${code}${askedText(event)}`, "loud");
}

function askedText({ asked_by, by }: Event<"process_stopped">): string {
  if (asked_by === undefined) return "";
  return { person: ` · by ${by ?? "a person"}`, tool: " · as it asked", end: " · with its thread" }[asked_by];
}
