/** The port to processes that outlive us (§14). */
import type { NewEvent } from "./event.ts";
import type { CallId } from "./id.ts";

/** Which process of which chain; `identity` once it is known. */
export interface ProcessRef {
  readonly handle: string;
  readonly chainRootId: string;
  readonly identity?: string | undefined;
}

export interface ProcessAsk extends ProcessRef {
  readonly threadId: string;
  readonly callKey: CallId;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly readyPattern?: string | undefined;
  /** Must be free before it starts, unless it is started already. */
  readonly readyPort?: number | undefined;
}

/** `refused`: nothing was started, in words for whoever asked. */
export type ProcessBegun =
  | { readonly pid: number; readonly identity: string; readonly cwd: string }
  | { readonly refused: string };

export type ProcessState =
  | { readonly type: "running" }
  | {
      readonly type: "over";
      readonly why: NewEvent<"process_stopped">["why"];
      readonly exitCode: number | null;
      /** The person who asked for it, beside its thread. */
      readonly by?: string | undefined;
    };

export interface ProcessOver {
  readonly handle: string;
  readonly why: NewEvent<"process_stopped">["why"];
  readonly exitCode: number | null;
  readonly by?: string | undefined;
}

/** Something of a process that is still there. */
export interface ProcessStray {
  readonly threadId: string;
  readonly handle: string;
  readonly chainRootId: string;
}

interface Readiness {
  readonly pattern?: string | undefined;
  readonly port?: number | undefined;
  readonly timeoutMs: number;
}

/**
 * Processes that outlive us. None of these throws for what a process does; nothing is ever signalled whose identity and
 * mark are not those of what was started.
 */
export interface Processes {
  /** Again with the same handle: what runs is taken up, what ran is not started again. */
  start(ask: ProcessAsk): Promise<ProcessBegun>;
  /** False when it is not ready in time, ended before, or was told to stop waiting. */
  becomesReady(process: ProcessRef, ready: Readiness, signal: AbortSignal): Promise<boolean>;
  look(process: ProcessRef): Promise<ProcessState>;
  /** With all that it started; from then on nobody can start it. `by`: a person asks, and its thread shall tell of that. */
  stop(process: ProcessRef, by?: string): Promise<ProcessOver>;
  /** Its last lines, without escapes. */
  tail(process: ProcessRef, lines: number): readonly string[];
  /** Its output from the beginning, as far as it is kept, and on as it grows: `next` tells the lines since the last time. */
  follow(process: ProcessRef): { next(): readonly string[]; close(): void };
  /** Everything of a chain that ends, also what its journal does not know; nothing can be started for the thread after it. */
  endAll(
    thread: { readonly chainRootId: string; readonly threadId: string },
    known: readonly ProcessRef[],
  ): Promise<readonly ProcessOver[]>;
  /** What is there of the threads for which a chain is told; asked only about threads that something is there of. */
  strays(chainOf: (threadId: string) => Promise<string | undefined>): Promise<readonly ProcessStray[]>;
}

type ProcessAsker = NewEvent<"process_stopped">["asked_by"];

/** `asked`: who wanted it now; one that a person had stopped before is told as theirs. */
export function processStopped(
  { handle, why, exitCode, by }: ProcessOver,
  asked?: ProcessAsker,
): NewEvent<"process_stopped"> {
  const isAsked = asked !== undefined && (why === "stopped" || why === "killed");
  const who = by !== undefined ? { asked_by: "person" as const, by } : isAsked ? { asked_by: asked } : {};
  return { type: "process_stopped", handle_id: handle, exit_code: exitCode, why, ...who };
}
