/**
 * The keeper: a small process between us and a process that shall outlive us.
 *   Q1. It holds the pipe that the process writes to, and not we: the process neither breaks nor waits when we are gone.
 *   Q2. What is written goes to a file that is put aside when it is long: two of them are kept, never more.
 *   Q3. It writes down how the process ended, also when nobody is there to see it, and ends whatever is left of it.
 *   Q4. Whoever makes the file `begun` may start the process, once. Whoever has put `over` there before finds that
 *       nothing starts; whoever comes after finds the keeper by its mark.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { constants as system } from "node:os";
import { replaceFile } from "../../disk/replace-file.ts";
import { endTree } from "./end-tree.ts";
import { type ProcessFiles, seize } from "./files.ts";
import { belongingTo } from "./marked.ts";

export interface KeeperOrder {
  readonly mark: string;
  readonly files: ProcessFiles;
  readonly over: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxLogBytes: number;
  readonly graceMs: number;
}

export type KeeperAnswer =
  | { readonly pid: number; readonly identity: string }
  | { readonly refused: string }
  | { readonly begunBefore: true };

const LAST_OUTPUT_MS = 300;

export async function keep(
  order: KeeperOrder,
  identityOf: (pid: number) => string,
  answer: (said: KeeperAnswer) => void,
): Promise<void> {
  const { files, mark, graceMs } = order;
  if (!seize(files.begun)) return answer({ begunBefore: true }); // Q4
  if (existsSync(order.over)) return answer({ refused: "its thread has ended" });
  const log = openLog(order);
  const child = start(order);
  const { pid } = child;
  if (pid === undefined) return answer({ refused: await failureOf(child) });
  // At once: until we come back to the loop, even one that has ended is still there to be looked at.
  const identity = identityOf(pid);
  replaceFile(files.begun, JSON.stringify({ pid, identity }), { mode: 0o600 });
  const ended = endOf(child, log);
  answer({ pid, identity });
  const code = await ended.exited;
  replaceFile(files.exit, JSON.stringify({ code }), { mode: 0o600 });
  const look = (groups: readonly number[]) => ({ ...belongingTo(mark, undefined, groups), keepers: [] });
  await endTree((groups) => look([pid, ...groups]), graceMs); // Q3; its session is ours while anybody is in it
  await Promise.race([ended.closed, new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS))]);
}

/** One pipe for both of its streams keeps their order. `exec`: the process is the one that we started. */
function start({ command, args, cwd, env }: KeeperOrder): ChildProcess {
  return spawn("/bin/sh", ["-c", 'exec "$@" 2>&1', "sh", command, ...args], {
    cwd,
    env,
    detached: true, // setsid: a session and a group of its own
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function failureOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.once("error", ({ message }) => resolve(message)));
}

function endOf(child: ChildProcess, log: Log): { exited: Promise<number>; closed: Promise<void> } {
  child.stdout?.on("data", (bytes: Buffer) => log.write(bytes));
  child.stdout?.on("error", () => {});
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? system.signals[signal] : 0)));
  });
  return { exited, closed };
}

interface Log {
  write(bytes: Buffer): void;
}

/** A disk that takes nothing must not hold up the process: what does not fit is lost (Q2). */
function openLog({ files, maxLogBytes }: KeeperOrder): Log {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const open = () => openSync(files.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  let file = open();
  let size = fstatSync(file).size;
  const rotate = () => {
    closeSync(file);
    renameSync(files.log, files.older);
    file = open();
    size = 0;
  };
  return {
    write: (bytes) => {
      try {
        if (size > 0 && size + bytes.length > maxLogBytes) rotate();
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
        size += bytes.length;
      } catch {
        // see above
      }
    },
  };
}
