/** The processes of a bench: the stand-in server and the workers. Everything started here is ended here. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Replies } from "./order.ts";
import type { Variant } from "./variant.ts";

export interface Worker {
  tell<T extends Order["type"]>(order: Order & { type: T }): Promise<Replies[T]>;
  readonly pid: number | undefined;
  end(): Promise<void>;
}

export interface HireOptions {
  readonly nodeFlags?: readonly string[];
  /** A program that runs node, with its arguments: strace. */
  readonly under?: readonly string[];
}

export class Team {
  readonly folder: string;
  readonly port: number;
  readonly #server: ChildProcess;

  private constructor(folder: string, port: number, server: ChildProcess) {
    this.folder = folder;
    this.port = port;
    this.#server = server;
  }

  static async gather(folder: string): Promise<Team> {
    const server = fork(`${folder}/server.mjs`);
    const [{ port }] = (await once(server, "message")) as [{ port: number }];
    return new Team(folder, port, server);
  }

  async hire(variant: Variant, { nodeFlags = [], under = [] }: HireOptions = {}): Promise<Worker> {
    const [program = process.execPath, ...args] = [...under, process.execPath];
    const child = fork(`${this.folder}/worker.mjs`, [variant, String(this.port)], {
      execPath: program,
      execArgv: under.length > 0 ? [...args, ...nodeFlags] : [...nodeFlags],
    });
    await reply(child);
    return {
      pid: child.pid,
      tell: (order) => {
        const answered = reply(child);
        child.send(order);
        return answered as Promise<never>;
      },
      end: () => ended(child),
    };
  }

  async hireAll<V extends Variant>(names: readonly V[]): Promise<Worker[]> {
    return Promise.all(names.map((name) => this.hire(name)));
  }

  async disband(): Promise<void> {
    await ended(this.#server);
  }
}

function reply(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit);
      resolve(message);
    };
    const onExit = (code: number | null) => {
      child.off("message", onMessage);
      reject(new Error(`a process of the bench ended with ${code}`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
}

/** Hanging up ends it: each process exits when its channel closes. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.disconnect();
  await gone;
}

/** Rounds of all sides in turn, in changing order; the first rounds only warm up. */
export async function interleave<T>(
  workers: readonly Worker[],
  rounds: { readonly warm: number; readonly count: number },
  play: (worker: Worker) => Promise<T>,
): Promise<T[][]> {
  const reports: T[][] = workers.map(() => []);
  for (let round = -rounds.warm; round < rounds.count; round += 1) {
    const order = workers.map((_, index) => (index + Math.abs(round)) % workers.length);
    for (const index of order) {
      const worker = workers[index];
      if (!worker) continue;
      const report = await play(worker);
      if (round >= 0) reports[index]?.push(report);
    }
  }
  return reports;
}
