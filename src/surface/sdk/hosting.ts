/** How a program hosts: as long as it is open, or from the moment on at which another process that hosts is gone. */
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { host } from "../../runtime/index.ts";
import type { LeftBehind } from "./left-behind.ts";

/** A disk may be full for a while: a program waits longer than a person would. */
const PATIENCE_MS = 300_000;
/** Between two looks whether the other host is gone. */
const LOOK_EVERY_MS = 500;

export class Hosting {
  readonly #world: World;
  readonly #rules: Pick<LeftBehind, "mayRun" | "mayRecover">;
  readonly #onFailure: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #by: HostRow | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(world: World, rules: LeftBehind, onFailure: (error: unknown) => void) {
    this.#world = world;
    this.#rules = rules;
    this.#onFailure = onFailure;
  }

  /** The other process that hosts the project; undefined while we do. */
  get by(): HostRow | undefined {
    return this.#by;
  }

  /** Resolves once the project is ours, or somebody else's. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#running = this.#run(resolve).catch((error) => {
        // Nobody hosts any more: who waits must hear of it.
        this.#failure = { error };
        this.#onFailure(error);
        reject(error);
      });
    });
  }

  /** Resolves once everything that ran here has stopped. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  requireWell(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #run(settled: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const end = await host(this.#world, {
        ...{ scope: "*", stays: true, patienceMs: PATIENCE_MS, signal },
        mayRun: this.#rules.mayRun,
        mayRecover: this.#rules.mayRecover,
        prepare: async () => {
          this.#by = undefined;
          settled();
        },
      });
      if (end.type === "refused") {
        this.#by = end.by;
        settled();
        await this.#untilGone(end.by);
      }
    }
  }

  async #untilGone({ host_id }: HostRow): Promise<void> {
    const { store, clock, machine } = this.#world;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      const there = (await store.hosts()).find((other) => other.host_id === host_id);
      if (!there || machine.ownerState(there.owner) !== "alive") return;
    }
  }
}
