/** A project whose one directive keeps a process, and a way to see what is left of it on the machine. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Place, scripted, until } from "../cli/cli.ts";

const SERVER = "trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & wait";
export const start = (line = SERVER, more = "") =>
  `{ tool: managed_subprocess, input: { action: start, command: bash, args: ["-c", ${JSON.stringify(line)}], ready_pattern: "^up", ready_timeout: 10${more} } }`;
export const HOLD = '{ tool: bash, input: { command: "touch held; sleep 1000" } }';
export const script = (...turns: string[][]) =>
  turns.map((calls) => `- says: go\n  calls:\n${calls.map((line) => `    - ${line}\n`).join("")}`).join("") +
  "- says: done\n";

/** Everything started from it bears its folder in PWD or HOME: what is left is found by that. */
export class Watched extends Place {
  left(): number[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && environmentOf(pid).includes(this.folder) && !isZombie(pid));
  }

  events() {
    const folder = join(this.root, ".ai", "threads");
    const [thread = ""] = readdirSync(folder).filter((name) => name.startsWith("serve-"));
    const text = readFileSync(join(folder, thread, "transcript.jsonl"), "utf8");
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  of(type: string) {
    return this.events().filter((event) => event.type === type);
  }
}

export async function place(text: string, files: Record<string, string> = {}): Promise<Watched> {
  const at = new Watched({ ...scripted("serve", text), ...files });
  onTestFinished(() => at.remove());
  await at.ok("init");
  await at.ok("trust", "--yes");
  return at;
}

export async function killedWhileHeld(at: Watched): Promise<number> {
  const { child, ended } = at.start(["run", "serve"]);
  // Its process may be at work before its thread has written down that it is there.
  await until(() => existsSync(join(at.root, "held")) && at.of("process_started").length > 0);
  child.kill("SIGKILL");
  await ended;
  return at.of("process_started")[0].pid;
}

/** Its thread stops for a person after the turn in which it started the process. */
export const SUSPENDS = {
  ".ai/directives/serve.md":
    "---\ndescription: s\nmodel: { id: scripted/serve }\npermissions: [execute.tool.*]\nlimits: { turns: 1 }\n---\nGo.\n",
};

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1") + readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // it ended, or is not ours
  }
}

export function isThere(pid: number): boolean {
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return true;
  }
}
