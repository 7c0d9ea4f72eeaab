/** Children of the demo: the real command line, as processes that can really be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

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

/** Where the demo plays: nothing of it is anywhere else. */
export class DemoPlace {
  /** The file that is running now. */
  readonly script = process.argv[1] ?? "";
  readonly folder: string;
  readonly project: string;
  /** Trust, settings and sockets go here: nothing of the user's is read or touched. */
  readonly home: string;
  readonly #children = new Set<ChildProcess>();

  constructor(folder: string) {
    this.folder = folder;
    this.project = join(folder, "task-manager");
    this.home = join(folder, "home");
  }

  /** All of them: a process that is killed leaves its doorbell behind. */
  get environment(): Readonly<Record<string, string>> {
    const { home } = this;
    return { XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home };
  }

  start(args: readonly string[]): Child {
    const child = spawn(process.execPath, [this.script, ...args], {
      cwd: this.project,
      env: { ...process.env, ...this.environment, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
      });
    const ended = new Promise<ChildEnd>((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        this.#children.delete(child);
        resolve({ code, signal, ...said });
      };
      child.once("error", (error) => {
        said.stderr += error.message;
        end(null, null);
      });
      // Not "close" alone: a tool that outlives the kill for a moment keeps the pipes open.
      child.once("close", end);
      child.once("exit", (code, signal) => setTimeout(() => end(code, signal), 300).unref());
    });
    return { process: child, ended };
  }

  run(args: readonly string[]): Promise<ChildEnd> {
    return this.start(args).ended;
  }

  /** At once, with no time to say goodbye. */
  killAll(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** What a command printed with --json; nothing where it printed none. */
export function dataOf<T>({ stdout }: ChildEnd): Partial<T> {
  try {
    return (JSON.parse(stdout) as { data?: Partial<T> }).data ?? {};
  } catch {
    return {}; // the act is then told to have gone wrong
  }
}
