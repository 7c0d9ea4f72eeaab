/** Processes that outlive every world: they are started and stopped by writes, so a world may die before and after. */
import type { ProcessBegun, Processes, ProcessOver, ProcessState, ProcessStray } from "../core/processes.ts";
import type { Mortality } from "./mortal.ts";

export interface KeptProcess {
  readonly chainRootId: string;
  readonly threadId: string;
  readonly command: string;
  readonly pid: number;
  starts: number;
  alive: boolean;
  exitCode: number | null;
  /** The person who stopped it. */
  by?: string | undefined;
}

/** What is there on the machine, by handle; and threads for which nothing starts any more. */
export class FakeProcesses {
  readonly byHandle = new Map<string, KeptProcess>();
  readonly over = new Set<string>();

  /** It ends by itself. */
  exit(handle: string, exitCode: number): void {
    const found = this.byHandle.get(handle);
    if (found?.alive) Object.assign(found, { alive: false, exitCode });
  }

  port(mortal: Mortality): Processes {
    return {
      start: (ask) => mortal.write("process start", async () => this.#start(ask)),
      becomesReady: async ({ handle }) => this.byHandle.get(handle)?.alive === true,
      look: ({ handle }) => mortal.live(async () => this.#look(handle)),
      stop: ({ handle, chainRootId }, by) =>
        mortal.write("process stop", async () => this.#stop(handle, chainRootId, by)),
      strays: (chainOf) => mortal.live(() => this.#strays(chainOf)),
      tail: ({ handle }) => [`${this.byHandle.get(handle)?.command} says hello`],
      follow: () => ({ next: () => [], close: () => {} }),
      endAll: ({ chainRootId, threadId }, known) =>
        mortal.write("process end", async () => {
          this.over.add(threadId);
          const living = [...this.byHandle].filter(
            ([, each]) => each.chainRootId === chainRootId && each.alive,
          );
          const handles = new Set([
            ...known.map(({ handle }) => handle),
            ...living.map(([handle]) => handle),
          ]);
          return [...handles].map((handle) => this.#stop(handle, chainRootId));
        }),
    };
  }

  #start({ handle, chainRootId, threadId, command }: Parameters<Processes["start"]>[0]): ProcessBegun {
    const found = this.byHandle.get(handle);
    if (found) {
      if (!found.alive && found.exitCode === null) found.starts += 1;
      return begun(found);
    }
    if (this.over.has(threadId)) return { refused: "its thread has ended" };
    const made: KeptProcess = {
      ...{ chainRootId, threadId, command, pid: 1_000 + this.byHandle.size },
      ...{ starts: 1, alive: true, exitCode: null },
    };
    this.byHandle.set(handle, made);
    return begun(made);
  }

  async #strays(chainOf: Parameters<Processes["strays"]>[0]): Promise<ProcessStray[]> {
    const living = [...this.byHandle].filter(([, { alive }]) => alive);
    const told = await Promise.all(
      living.map(async ([handle, { threadId, chainRootId }]) =>
        (await chainOf(threadId)) === chainRootId ? [{ handle, threadId, chainRootId }] : [],
      ),
    );
    return told.flat();
  }

  #look(handle: string): ProcessState {
    const found = this.byHandle.get(handle);
    if (found?.alive) return { type: "running" };
    if (!found) return { type: "over", why: "gone", exitCode: null };
    const { exitCode, by } = found;
    return { type: "over", exitCode, ...(by === undefined ? { why: "exited" } : { why: "stopped", by }) };
  }

  #stop(handle: string, chainRootId: string, by?: string): ProcessOver {
    const found = this.byHandle.get(handle);
    if (!found || found.chainRootId !== chainRootId) return { handle, why: "gone", exitCode: null };
    const state = this.#look(handle);
    if (state.type === "over") return { handle, ...state };
    Object.assign(found, { alive: false, exitCode: 143, by });
    return { handle, why: "stopped", exitCode: 143, ...(by === undefined ? {} : { by }) };
  }
}

function begun({ pid }: KeptProcess): ProcessBegun {
  return { pid, identity: `fake:${pid}`, cwd: "." };
}
