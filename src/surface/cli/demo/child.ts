/** Children of the demo: the real command line, as processes that can really be killed. */
import { type ChildProcess, spawn } from "node:child_process";

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<ChildEnd>;
}

export interface ChildPlace {
  /** The file that is running now. */
  readonly script: string;
  readonly project: string;
  /** Trust and sockets go here, so that nothing of the user's is touched and nothing is left. */
  readonly stateHome: string;
}

export function startChild(place: ChildPlace, args: readonly string[]): Child {
  const home = place.stateHome;
  // All of them: a process that is killed leaves its doorbell behind.
  const folders = { XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home };
  const child = spawn(process.execPath, [place.script, ...args], {
    cwd: place.project,
    env: { ...process.env, ...folders, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, stdout, stderr: error.message }));
    // Not "close": the tool that outlives the kill keeps the pipes open.
    child.once("exit", (code, signal) => setTimeout(() => resolve({ code, signal, stdout, stderr }), 20));
  });
  return { process: child, ended };
}

export async function runChild(place: ChildPlace, args: readonly string[]): Promise<ChildEnd> {
  return startChild(place, args).ended;
}
