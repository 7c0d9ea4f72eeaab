/**
 * Death at the n-th write. A write is whatever leaves a trace outside the process: a verb of the store, a line of
 * an export, an effect of a tool. `landed`: it happened and the process died before it knew. `lost`: it did not
 * happen. `torn`: half of it did, where halves exist (files); elsewhere as `lost`.
 * A dead world stays dead: none of its ports does anything any more, whatever its code still tries.
 */
import type { Store } from "../core/store.ts";
import type { Exports, World } from "../core/world.ts";

export type Fate = "landed" | "lost" | "torn";

export interface Death {
  readonly at: number;
  readonly fate: Fate;
}

/** What stands between a world and its outside: it may end the world at a write. */
export interface Mortality {
  readonly isDead: boolean;
  write<T>(name: string, doIt: () => Promise<T>): Promise<T>;
  writeNow(name: string, doIt: () => void, half?: () => void): void;
  live<T>(look: () => Promise<T>): Promise<T>;
}

export class Mortal implements Mortality {
  readonly #death: Death | undefined;
  #writes = 0;
  #die: () => void = () => {};
  readonly died: Promise<void>;
  isDead = false;
  /** What the fatal write was, for messages. */
  lastWrite = "";

  constructor(death?: Death) {
    this.#death = death;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get writes(): number {
    return this.#writes;
  }

  /** An asynchronous write. After death it never settles, as a process that is gone never gets an answer. */
  async write<T>(name: string, doIt: () => Promise<T>): Promise<T> {
    const fate = this.#next(name);
    if (fate === "alive") {
      const value = await doIt();
      return this.isDead ? forever() : value;
    }
    if (fate === "landed") await doIt();
    this.#die();
    return forever();
  }

  /** A synchronous write; `half` writes part of it. After death it throws. */
  writeNow(name: string, doIt: () => void, half: () => void = () => {}): void {
    const fate = this.#next(name);
    if (fate === "alive") return doIt();
    if (fate === "landed") doIt();
    if (fate === "torn") half();
    this.#die();
    throw new DeadWorld();
  }

  /** A read or a wait. */
  async live<T>(look: () => Promise<T>): Promise<T> {
    if (this.isDead) return forever();
    const value = await look();
    return this.isDead ? forever() : value;
  }

  #next(name: string): "alive" | Fate | "dead" {
    if (this.isDead) return "dead";
    this.#writes += 1;
    if (this.#death?.at !== this.#writes) return "alive";
    this.lastWrite = name;
    // From this instant on nothing else of this world may act, even while the fatal write itself goes on.
    this.isDead = true;
    return this.#death.fate;
  }
}

export class DeadWorld extends Error {
  constructor() {
    super("this world is dead");
    this.name = "DeadWorld";
  }
}

function forever(): Promise<never> {
  return new Promise(() => {});
}

/** The same world, able to die. */
export function mortalWorld<W extends World>(world: W, mortal: Mortality): W {
  return {
    ...world,
    clock: { ...world.clock, sleep: (ms, signal) => mortal.live(() => world.clock.sleep(ms, signal)) },
    store: mortalStore(world.store, mortal),
    exports: mortalExports(world.exports, mortal),
    model: (name) => {
      const model = world.model(name);
      return model && { ...model, ask: (...given) => mortal.live(() => model.ask(...given)) };
    },
    notify: (notice) => {
      if (!mortal.isDead) world.notify(notice);
    },
  };
}

function mortalStore(store: Store, mortal: Mortality): Store {
  return {
    storeId: store.storeId,
    create: (birth) => mortal.write("create", () => store.create(birth)),
    commit: (lease, batch, handOver) =>
      mortal.write(`commit ${names(batch)}`, () => store.commit(lease, batch, handOver)),
    post: (requests) => mortal.write("post", () => store.post(requests)),
    claim: (ask) => mortal.write("claim", () => store.claim(ask)),
    enroll: (host, how) => mortal.write("enroll", () => store.enroll(host, how)),
    leave: (hostId, isIdle) => mortal.write("leave", () => store.leave(hostId, isIdle)),
    beat: (hostId) => mortal.write("beat", () => store.beat(hostId)),
    markCorrupt: (lease, damage) => mortal.write("markCorrupt", () => store.markCorrupt(lease, damage)),
    remove: (threadIds) => mortal.write("remove", () => store.remove(threadIds)),
    weigh: (threadIds) => mortal.live(() => store.weigh(threadIds)),
    inspect: (threadId) => mortal.live(() => store.inspect(threadId)),
    hosts: () => mortal.live(() => store.hosts()),
    load: (threadId) => mortal.live(() => store.load(threadId)),
    find: (query) => mortal.live(() => store.find(query)),
    candidates: (scope) => mortal.live(() => store.candidates(scope)),
    stirring: (scope, until) => mortal.live(() => store.stirring(scope, until)),
    names: (scope, slice) => mortal.live(() => store.names(scope, slice)),
    tally: () => mortal.live(() => store.tally()),
    approvals: (query) => mortal.live(() => store.approvals(query)),
    family: (rootId) => mortal.live(() => store.family(rootId)),
    balance: (account) => mortal.live(() => store.balance(account)),
    openRequests: (chainRootId) => mortal.live(() => store.openRequests(chainRootId)),
    feed: (after, limit) => mortal.live(() => store.feed(after, limit)),
    search: (ask) => mortal.live(() => store.search(ask)),
    feedEnd: () => mortal.live(() => store.feedEnd()),
    version: () => store.version(),
    close: () => store.close(),
  };
}

function names(batch: { events: readonly { type: string }[]; tail?: readonly { type: string }[] }): string {
  return [...batch.events, ...(batch.tail ?? [])].map((event) => event.type).join("+");
}

function mortalExports(exports: Exports, mortal: Mortality): Exports {
  return {
    append: (events) => {
      if (events.length === 0) return;
      const half = () => exports.append(events.slice(0, Math.floor(events.length / 2)));
      mortal.writeNow("transcript", () => exports.append(events), half);
    },
    remake: (thread) => mortal.writeNow("exports", () => exports.remake(thread)),
    isBehind: (threadId) => exports.isBehind(threadId),
    reconcile: (threadId, events) => exports.reconcile(threadId, events),
  };
}
