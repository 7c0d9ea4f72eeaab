/**
 * What outlives a process: the disk, the files, the effects of tools, the clock, and who is alive. Worlds are
 * opened in it one after the other (or side by side) as processes would be.
 */
import { createHash } from "node:crypto";
import type { OwnerState } from "../core/claim.ts";
import type { Event } from "../core/event.ts";
import type { Hook, HookResult } from "../core/hook.ts";
import type { Model } from "../core/model.ts";
import { defaultSettings, type Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Tool } from "../core/tool.ts";
import type { Bell, Exports, Inbox, Machine, Notice, World } from "../core/world.ts";
import { memoryDisk, openMemoryStore } from "../store/stores/memory.ts";
import type { StoreNeeds } from "../store/stores/needs.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { type Death, Mortal, mortalWorld } from "./mortal.ts";
import { FakeProcesses } from "./processes.ts";

export interface UniverseOptions {
  readonly model: (name: string, universe: Universe) => Model | undefined;
  /** Tools get the world's mortal, so that their effects are writes too. */
  readonly tools: (universe: Universe, mortal: Mortal) => readonly Tool[];
  readonly settings?: Partial<Settings>;
  /** Directives that threads may start. */
  readonly prepare?: World["prepare"];
  readonly systemNow?: World["systemNow"];
  /** What models may search and load. */
  readonly items?: World["items"];
  readonly hooks?: readonly Hook[];
  /** Another store than the one in memory. */
  readonly openStore?: (needs: StoreNeeds) => Store;
  readonly clock?: FakeClock;
  /** Somebody else, in a process that does not die, who sees what is acknowledged and may ask something. */
  readonly bystander?: (event: Event, store: Store) => Promise<void>;
}

export interface Effect {
  readonly key: string;
  readonly tool: string;
  readonly effect: string;
}

export interface OpenedWorld {
  readonly world: World;
  readonly mortal: Mortal;
  /** The process is gone: its leases are dead. */
  kill(): Promise<void>;
}

export class Universe {
  readonly clock: FakeClock;
  readonly effects: Effect[] = [];
  readonly notices: Notice[] = [];
  /** Transcripts by thread, as lines of a file would be. */
  readonly transcripts = new Map<string, Event[]>();
  /** What the store acknowledged, noted outside it: the store may neither lose nor invent any of it. */
  readonly acknowledged = new Map<string, Event[]>();
  readonly processes = new FakeProcesses();
  readonly cancelFiles: { threadId: string; nonce: string; reason: string }[] = [];
  readonly #options: UniverseOptions;
  readonly #disk = memoryDisk();
  readonly #alive = new Set<string>();
  readonly #bells = new Map<string, Set<() => void>>();
  #worlds = 0;
  #chance = 1;

  constructor(options: UniverseOptions) {
    this.#options = options;
    this.clock = options.clock ?? fakeClock();
  }

  open(death?: Death): OpenedWorld {
    this.#worlds += 1;
    const owner = `process-${this.#worlds}`;
    this.#alive.add(owner);
    const mortal = new Mortal(death);
    const tools = new Map(this.#options.tools(this, mortal).map((tool) => [tool.name, tool]));
    const needs = this.needs();
    const store = this.#noting(this.#options.openStore?.(needs) ?? openMemoryStore(this.#disk, needs));
    const world: World = {
      clock: this.clock,
      random: (bytes) => this.#random(bytes),
      sha256,
      store,
      exports: this.#exports(),
      inbox: this.#inbox(),
      machine: this.#machine(owner),
      model: (name) => {
        const model = this.#options.model(name, this);
        return model && { price: STORY_PRICE, ...model };
      },
      tool: (name) => tools.get(name),
      processes: this.processes.port(mortal),
      settings: { ...defaultSettings, ...this.#options.settings },
      ...(this.#options.prepare ? { prepare: this.#options.prepare } : {}),
      ...(this.#options.systemNow ? { systemNow: this.#options.systemNow } : {}),
      ...(this.#options.items ? { items: this.#options.items } : {}),
      ...hooked(this.#options.hooks ?? [], mortal),
      notify: (notice) => this.notices.push(notice),
    };
    const kill = async () => {
      mortal.isDead = true;
      this.#alive.delete(owner);
      await store.close();
    };
    return { world: mortalWorld(world, mortal), mortal, kill };
  }

  needs(): StoreNeeds {
    return {
      now: () => this.clock.now(),
      sha256,
      newId: () => "store",
      ownerState: (owner) => this.#state(owner),
    };
  }

  #noting(store: Store): Store {
    const commit: Store["commit"] = async (lease, batch, handOver) => {
      const answer = await store.commit(lease, batch, handOver);
      const noted = this.acknowledged.get(lease.threadId) ?? [];
      if ("refused" in answer) return answer;
      this.acknowledged.set(lease.threadId, [...noted, ...answer.events]);
      for (const event of answer.events) await this.#options.bystander?.(event, store);
      if (this.#options.bystander) this.#ringAll();
      return answer;
    };
    return { ...store, commit };
  }

  #ringAll(): void {
    for (const listeners of this.#bells.values()) for (const listener of listeners) listener();
  }

  #state(owner: string): OwnerState {
    return this.#alive.has(owner) ? "alive" : "dead";
  }

  /** The same numbers in every run: a failure found once is found again. */
  #random(bytes: number): Uint8Array {
    const block = createHash("sha256").update(`${this.#chance}`).digest();
    this.#chance += 1;
    return Uint8Array.from({ length: bytes }, (_, index) => block[index % block.length] ?? 0);
  }

  #exports(): Exports {
    return {
      append: (events) => {
        const [first] = events;
        if (first)
          this.transcripts.set(first.thread_id, [
            ...(this.transcripts.get(first.thread_id) ?? []),
            ...events,
          ]);
      },
      remake: () => {},
      isBehind: () => false,
      reconcile: (threadId, events) => {
        const found = this.transcripts.get(threadId)?.length ?? 0;
        if (found > events.length)
          return { last_good: events.length, why: "the transcript is ahead of the store" };
        this.transcripts.set(threadId, [...events]);
        return undefined;
      },
    };
  }

  /** Files stay until they are done with, as on a disk: a world may die in between. */
  #inbox(): Inbox {
    return {
      take: (threadIds) =>
        this.cancelFiles
          .filter((file) => threadIds.includes(file.threadId))
          .map((file) => ({
            ...file,
            type: "cancel" as const,
            path: file.nonce,
            requestId: `file_${file.nonce}`,
          })),
      done: ({ path }) => {
        const at = this.cancelFiles.findIndex((file) => file.nonce === path);
        if (at >= 0) this.cancelFiles.splice(at, 1);
      },
      watch: () => () => {},
    };
  }

  #machine(owner: string): Machine {
    return {
      owner,
      walking: new Set(),
      ownerState: (other) => this.#state(other),
      listen: async (): Promise<Bell> => {
        const listeners = new Set<() => void>();
        this.#bells.set(owner, listeners);
        return {
          socket: owner,
          onRing: (listener) => listeners.add(listener),
          close: async () => {
            this.#bells.delete(owner);
          },
        };
      },
      ring: (socket) => {
        for (const listener of this.#bells.get(socket) ?? []) listener();
      },
    };
  }
}

/** Nano-dollars a token: money is held and settled in every story. */
const STORY_PRICE = { input: 3_000, cache_read: 300, cache_write: 3_750, output: 15_000 };

/** What a hook says is its effect: the process may die before it and after it. */
function hooked(hooks: readonly Hook[], mortal: Mortal): Pick<World, "hooks" | "runHook"> {
  if (hooks.length === 0) return {};
  return {
    hooks: async () => hooks,
    runHook: (hook, facts, { signal }) =>
      mortal.write(`hook ${hook.id}`, async () => {
        const said = "call" in hook.run ? hook.run.call(facts, signal) : { problem: "it is no function" };
        return said as HookResult | { problem: string };
      }),
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
