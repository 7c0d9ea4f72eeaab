// Runs one command as a process group of its own (D5).
//   P1. It settles only when the process is gone, and never rejects.
//   P2. Nothing of its group outlives it, or us (guard.ts). What calls setsid leaves the group and is found by its
//       mark (stragglers.ts); without a sandbox, if we are killed or it takes off the mark, it does outlive us. In a
//       sandbox everybody has left the group, but for the first process inside, with which they all end: so what
//       ends the group ends them, whatever they did.
//   P3. A grandchild that keeps the pipe open cannot keep the call open.
//   P4. A group is signalled only while we know it to be ours: its leader has not been reaped, or it had members
//       then, of which the guard is one.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { whyNotFound } from "./find-command.ts";
import { endGroup, type GroupEnded, groupExists, signalGroup, termInside } from "./group-kill.ts";
import { type Guarded, guardedCommand, guardedStdio, guardOf, LINE } from "./guard.ts";
import { collectOutput } from "./output.ts";
import type { Enclosed, Sandbox } from "./sandbox.ts";
import { endStragglers, type Mark, newMark } from "./stragglers.ts";

export interface GroupJob extends Guarded {
  readonly sandbox: Sandbox;
  readonly directory: string;
  /** Whether it may reach the network, if it is in a sandbox. */
  readonly network?: boolean;
  /** All it can read on its standard input. */
  readonly input?: string;
  /** Called once with a line to the process, which it finds as descriptor 4. */
  readonly onLine?: (line: Duplex, child: ChildProcess) => void;
  /** What of its output is handed back at the end. */
  readonly keep?: "all" | "end";
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** 0: as long as it takes. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  readonly onOutput?: (text: string) => void;
}

export type GroupEnd =
  | { readonly type: "exited"; readonly code: number; readonly output: string; readonly stdout?: string }
  | { readonly type: "killed"; readonly signal: NodeJS.Signals; readonly output: string }
  | { readonly type: StopReason; readonly output: string; readonly isKilled?: true }
  | { readonly type: "could_not_start"; readonly code: string; readonly why: string };

/** Why we ended it; `isKilled`: it did not stop when it was told to. */
type StopReason = "timed_out" | "aborted" | "output_too_large";

const GRACE_MS = 3_000;
const LAST_OUTPUT_MS = 100;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export async function runGroup(job: GroupJob): Promise<GroupEnd> {
  if (job.signal.aborted) return { type: "aborted", output: "" };
  const mark = newMark();
  const enclosed = job.sandbox.enclose(job);
  const child = launch(job, enclosed, mark);
  if ("why" in child) return child;
  const pgid = child.pid;
  if (pgid === undefined) return refused(await failureOf(child), job);
  const guard = guardOf(child);
  const term = enclosed.type === "enclosed" ? termInside(pgid) : undefined;
  const stop = stopper(() => endGroup(pgid, job.graceMs ?? GRACE_MS, guard, term));
  if (job.onLine) job.onLine(child.stdio[LINE] as Duplex, child);
  const output = collectOutput(child, {
    keep: job.keep ?? "all",
    maxBytes: job.maxOutputBytes,
    onText: job.onOutput,
    onOverflow: () => stop.begin("output_too_large"),
  });
  const exit = await exitWithin(child, job, stop.begin);
  const hasRest = stop.release() === "not begun" && groupExists(pgid); // otherwise the stop sees to all of them
  const how = await stop.ended();
  await within(LAST_OUTPUT_MS, output.closed); // P3
  if (hasRest) signalGroup(pgid, "SIGKILL"); // P2, P4; the guard is always among the rest
  guard.letGo();
  output.end();
  endStragglers(mark, pgid);
  const reason = stop.reason();
  if (reason) return { type: reason, output: output.text(), ...(how === "killed" && { isKilled: true }) };
  return { ...exit, output: output.text(), ...(job.streams === "split" && { stdout: output.firstText() }) };
}

type NotStarted = Extract<GroupEnd, { type: "could_not_start" }>;

function launch(job: GroupJob, enclosed: Enclosed, mark: Mark): ChildProcess | NotStarted {
  if (enclosed.type === "refused")
    return refused(Object.assign(new Error(`no sandbox: ${enclosed.why}`), { code: "ESANDBOX" }), job);
  const code = whyNotFound(job);
  if (code) return refused(Object.assign(new Error(`spawn ${job.command} ${code}`), { code }), job);
  let input: number | undefined;
  try {
    input = job.input === undefined ? undefined : fileHolding(job.input);
    const isEnclosed = enclosed.type === "enclosed";
    const command = isEnclosed ? { ...job, ...enclosed, isEnclosed } : job;
    return spawn(...guardedCommand(command), {
      cwd: job.directory,
      env: { ...job.environment, ...mark },
      detached: true, // setsid: the child leads a group of its own, named by its pid
      stdio: guardedStdio({ hasLine: job.onLine !== undefined, ...(input !== undefined && { input }) }),
    });
  } catch (cause) {
    return refused(cause as NodeJS.ErrnoException, job); // arguments too long, or with a NUL in them
  } finally {
    if (input !== undefined) closeSync(input);
  }
}

/** Nameless from the start, so that nobody else reads it and nothing of it is left. */
function fileHolding(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), "selvage-"));
  try {
    writeFileSync(join(folder, "input"), text, { mode: 0o600 });
    return openSync(join(folder, "input"), "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failureOf(child: ChildProcess): Promise<NodeJS.ErrnoException> {
  return new Promise((resolve) => child.once("error", resolve));
}

/** Node blames the command when it is the folder that is missing. */
function refused(failure: NodeJS.ErrnoException, job: GroupJob): NotStarted {
  if (!existsSync(job.directory))
    return { type: "could_not_start", code: "ENOTDIR", why: `there is no folder ${job.directory}` };
  const why = failure.code === "E2BIG" ? "the command is too long for this system" : failure.message;
  return { type: "could_not_start", code: failure.code ?? "", why };
}

/** The first reason counts. Once the leader is gone a reason (output may still overflow) is noted, not acted upon. */
function stopper(endAll: () => Promise<GroupEnded>) {
  let reason: StopReason | undefined;
  let isReleased = false;
  let ended: Promise<GroupEnded> = Promise.resolve("stopped");
  return {
    begin: (why: StopReason) => {
      if (reason) return;
      reason = why;
      if (!isReleased) ended = endAll(); // P4
    },
    release: () => {
      isReleased = true;
      return reason ? "begun" : "not begun";
    },
    reason: () => reason,
    ended: () => ended,
  };
}

type Exit = { type: "exited"; code: number } | { type: "killed"; signal: NodeJS.Signals };

function exitWithin(child: ChildProcess, job: GroupJob, stop: (why: StopReason) => void): Promise<Exit> {
  return new Promise((resolve) => {
    const onAbort = () => stop("aborted");
    const onTimeout = () => stop("timed_out");
    const timer =
      job.timeoutMs > 0 ? setTimeout(onTimeout, Math.min(job.timeoutMs, LONGEST_TIMER_MS)) : undefined;
    job.signal.addEventListener("abort", onAbort);
    child.on("error", () => {}); // a signal that could not be delivered; its end is what counts
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      job.signal.removeEventListener("abort", onAbort);
      resolve(signal ? { type: "killed", signal } : { type: "exited", code: code ?? 0 });
    });
  });
}

async function within(ms: number, event: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}
