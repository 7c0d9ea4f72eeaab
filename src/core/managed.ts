/** Processes that a chain keeps beside its calls (§14): what its journal knows of them. */
import * as z from "zod/mini";
import type { Event } from "./event.ts";
import type { CallId } from "./id.ts";
import type { Thread } from "./thread.ts";

/** The tool that starts and stops them. */
export const PROCESS_TOOL = "managed_subprocess";

/** How one ended: by itself, told to, by force, before anybody looked, or where this machine cannot see it. */
const ENDS = ["exited", "stopped", "killed", "gone", "elsewhere"] as const;
type ProcessEnd = (typeof ENDS)[number];

export const PROCESS_STARTED = z.object({
  handle_id: z.string(),
  call_id: z.string(),
  pid: z.int().check(z.positive()),
  /** Machine, boot, pid namespace, pid and start time: a number alone names nobody. */
  identity: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  ready: z.boolean(),
});

/** Who wanted it to end: a person, the thread itself by its tool, or nobody in particular, as the thread ended. */
const ASKERS = ["person", "tool", "end"] as const;

export const PROCESS_STOPPED = z.object({
  handle_id: z.string(),
  exit_code: z.nullable(z.int()),
  why: z.enum(ENDS),
  /** Absent when it ended by itself, or nobody knows. */
  asked_by: z.optional(z.enum(ASKERS)),
  /** The person. */
  by: z.optional(z.string()),
});

export interface Managed {
  readonly handle: string;
  readonly callId: string;
  readonly pid: number;
  readonly identity: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly ready: boolean;
  readonly startedAt: string;
  readonly ended?: { readonly why: ProcessEnd; readonly exitCode: number | null; readonly at: string };
}

export type ManagedById = Readonly<Record<string, Managed>>;

/** Known before it is started, and the same when its call is made again: no crash hides it, none starts it twice. */
export function handleOf(
  { chainRootId }: Pick<Thread, "chainRootId">,
  callId: CallId,
  sha256: (text: string) => string,
): string {
  return `proc_${sha256(`${chainRootId}\n${callId}`).slice(0, 16)}`;
}

export function reduceProcesses(
  known: ManagedById,
  event: Event<"process_started" | "process_stopped">,
): ManagedById {
  const before = Object.hasOwn(known, event.handle_id) ? known[event.handle_id] : undefined;
  if (event.type === "process_stopped") {
    if (!before || before.ended) return known;
    const ended = { why: event.why, exitCode: event.exit_code, at: event.ts };
    return { ...known, [event.handle_id]: { ...before, ended } };
  }
  // Written again once it is ready.
  if (before) return { ...known, [event.handle_id]: { ...before, ready: before.ready || event.ready } };
  const { handle_id: handle, call_id: callId, pid, identity, command, args, cwd, ready, ts } = event;
  const made = { handle, callId, pid, identity, command, args, cwd, ready, startedAt: ts };
  return { ...known, [handle]: made };
}

/** Those that nobody has written down as ended. */
export function runningProcesses({ processes }: { readonly processes: ManagedById }): Managed[] {
  return Object.values(processes).filter(({ ended }) => !ended);
}

/** A call that starts one. */
export function isStart({ tool, input }: { readonly tool: string; readonly input: unknown }): boolean {
  return tool === PROCESS_TOOL && (input as { action?: unknown } | null)?.action === "start";
}

export function commandLine({ command, args }: Pick<Managed, "command" | "args">): string {
  return [command, ...args].join(" ");
}
