/**
 * Real processes, real kills. A worker wraps its world in a `Killer` made from its environment: `KILL_AT=n` sends
 * SIGKILL to itself at the n-th write, `KILL_WHEN=before` or `after` the write itself. `lives` runs a worker again
 * and again, killed as told, until one run ends by itself.
 */
import { spawn } from "node:child_process";
import type { Mortality } from "./mortal.ts";

export interface KillPoint {
  readonly at: number;
  readonly when: "before" | "after";
}

export function killPointFrom(environment: NodeJS.ProcessEnv): KillPoint | undefined {
  const at = Number(environment["KILL_AT"]);
  if (!Number.isInteger(at) || at < 1) return undefined;
  return { at, when: environment["KILL_WHEN"] === "before" ? "before" : "after" };
}

export class Killer implements Mortality {
  readonly isDead = false;
  readonly #point: KillPoint | undefined;
  #writes = 0;

  constructor(point: KillPoint | undefined) {
    this.#point = point;
  }

  get writes(): number {
    return this.#writes;
  }

  async write<T>(_: string, doIt: () => Promise<T>): Promise<T> {
    const fatal = this.#count();
    if (fatal === "before") killSelf();
    const value = await doIt();
    if (fatal === "after") killSelf();
    return value;
  }

  writeNow(_: string, doIt: () => void): void {
    const fatal = this.#count();
    if (fatal === "before") killSelf();
    doIt();
    if (fatal === "after") killSelf();
  }

  live<T>(look: () => Promise<T>): Promise<T> {
    return look();
  }

  #count(): KillPoint["when"] | undefined {
    this.#writes += 1;
    return this.#point?.at === this.#writes ? this.#point.when : undefined;
  }
}

/** SIGKILL cannot be caught; the busy loop makes sure that not one more instruction of the world runs. */
export function killSelf(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;) {
    // waiting for the kernel
  }
}

export interface Worker {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export function runWorker(worker: Worker, point?: KillPoint): Promise<WorkerEnd> {
  const kill = point ? { KILL_AT: String(point.at), KILL_WHEN: point.when } : {};
  const child = spawn(worker.command, worker.args, {
    env: { ...worker.env, ...kill },
    ...(worker.cwd === undefined ? {} : { cwd: worker.cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, output }));
  });
}

/** One kill after another as told, then a run that nobody touches. Returns how every run ended. */
export async function lives(worker: Worker, points: readonly KillPoint[]): Promise<WorkerEnd[]> {
  const ends: WorkerEnd[] = [];
  for (const point of points) {
    const end = await runWorker(worker, point);
    ends.push(end);
    if (end.signal !== "SIGKILL") return ends;
  }
  return [...ends, await runWorker(worker)];
}
