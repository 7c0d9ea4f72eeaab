// A guard in each process group, for the day we are killed with no time to clean up (I2).
//   G1. Only we hold one end of the lifeline, only the guard the other: not the command, nor what it starts. So
//       the guard sees the end of the line when we are gone, however we went, and ends its group.
//   G2. It names no pid: "my own group" cannot have been reused by strangers.
//   G3. Its parent has gone, so the command has no child it did not make; it holds none of the command's streams.
//   G4. What the command sends to its own group does not end it, but for KILL, which ends them all; STOP holds
//       them all.
// The init process reaps it, as any orphan: a container needs one that does (`docker run --init`).
import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Duplex } from "node:stream";

const SHELL = "/bin/sh";
const LIFELINE = 3;

/**
 * A line on the lifeline means that it is no longer needed. The lifeline is not its stdin: a bash whose stdin is a
 * socket takes itself for a remote shell and runs the user's start-up file. `sleep` may be missing, or know no
 * fractions. It is never one that lies in the project, whose `node_modules/.bin` may be in our PATH: the guard stands
 * outside of the sandbox.
 */
const GUARD = `
PATH=/usr/bin:/bin:/run/current-system/sw/bin
cd /
read -r line <&3 && exit
trap 'kill -KILL 0' EXIT
[ "$1" = enclosed ] && exit
kill -TERM 0
kill -CONT 0
sleep 0.5 || sleep 1`;

/**
 * The guard's first moment finds the signals ignored and the streams closed: it may come late on a busy machine, and
 * nobody waits for it. `exec`: the command is the process that we started.
 */
const START = `
( trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP TTIN TTOU
  "$0" -c "$1" selvage-guard "$2" & ) </dev/null >/dev/null 2>&1 4<&-
shift 2
exec "$@" 3<&-`;

export interface Guarded {
  readonly command: string;
  readonly args: readonly string[];
  /** Joined: one pipe for both keeps their order; two are read in turns. Split: the first is also told alone. */
  readonly streams?: "joined" | "apart" | "split";
  /** In a sandbox, where nobody would hear what the group is told: no time is left to them. */
  readonly isEnclosed?: boolean;
}

/** To be spawned with `guardedStdio`, as the leader of a group. */
export function guardedCommand({ command, args, streams, isEnclosed }: Guarded): [string, string[]] {
  const start = streams === "joined" ? `${START} 2>&1` : START;
  return [SHELL, ["-c", start, SHELL, GUARD, isEnclosed ? "enclosed" : "open", command, ...args]];
}

/** Where a process has a line to us, if it has one: none of its standard streams, which anything may write to. */
export const LINE = 4;

/** A file as its input and not a pipe of ours: for the reason above, and because nobody need wait until it is read. */
export function guardedStdio({ input, hasLine }: { input?: number; hasLine: boolean }): StdioOptions {
  return [input ?? "ignore", "pipe", "pipe", "pipe", ...(hasLine ? (["pipe"] as const) : [])];
}

export interface Guard {
  /** Until it has gone. Also true while it is still being started. */
  isThere(): boolean;
  /** Leaves the group to us, without harm to anybody. */
  dismiss(): void;
  /** Lets the line go. By now the guard must be gone as well, for it would end what is left of the group. */
  letGo(): void;
}

export function guardOf(child: ChildProcess): Guard {
  const lifeline = child.stdio[LIFELINE] as Duplex;
  let isThere = true;
  lifeline.on("error", () => {}); // it went while we spoke
  lifeline.on("close", () => {
    isThere = false;
  });
  lifeline.resume(); // otherwise its end would go unnoticed
  return {
    isThere: () => isThere,
    dismiss: () => lifeline.write("\n"),
    letGo: () => lifeline.destroy(),
  };
}
