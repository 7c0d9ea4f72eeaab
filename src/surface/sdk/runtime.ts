/**
 * A project in a program's hands: it hosts what is claimable there, brings back what was left by a crash, and starts
 * threads. Where another process hosts the project already, it is that one's client.
 */
import { Problem } from "../../core/problem.ts";
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { createThread, host, newThreadId } from "../../runtime/index.ts";
import { ownerName } from "../cli/owner.ts";
import { type Answerer, Approvals } from "./approvals.ts";
import { Feed } from "./feed.ts";
import { ThreadHandle } from "./handle.ts";
import { LeftBehind } from "./left-behind.ts";
import type { Premises } from "./premises.ts";
import { isOwn, prepareStart, type StartOptions } from "./start.ts";
import { type WaitAsk, type Waited, waitFor } from "./wait.ts";

export interface RuntimeOptions {
  /** `off`: threads that a crash left behind stay where they are. */
  readonly recover?: "auto" | "off";
}

/** A disk may be full for a while: a program waits longer than a person would. */
const PATIENCE_MS = 300_000;
/** Tools get their time to end; after this we go anyway. */
const STOP_MS = 5_000;

export class Selvage {
  readonly #premises: Premises;
  readonly #feed: Feed;
  readonly #approvals: Approvals;
  readonly #leftBehind: LeftBehind;
  readonly #stopping = new AbortController();
  #hosting: Promise<unknown> = Promise.resolve();
  #hostedBy: HostRow | undefined;
  #closed: Promise<void> | undefined;

  private constructor(premises: Premises, { recover = "auto" }: RuntimeOptions) {
    this.#premises = premises;
    this.#feed = new Feed(premises.world);
    this.#approvals = new Approvals(premises.world);
    this.#leftBehind = new LeftBehind(premises, recover);
    premises.listen((notice) => {
      this.#feed.hear(notice);
      if (notice.type === "event") this.#approvals.hear(notice.event);
    });
  }

  static async open(premises: Premises, options: RuntimeOptions = {}): Promise<Selvage> {
    const runtime = new Selvage(premises, options);
    try {
      await premises.world.ready?.();
      await runtime.#leftBehind.look();
      await runtime.#host();
      return runtime;
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }

  /** Folder of the project. */
  get root(): string {
    return this.#premises.root;
  }

  /** Threads that a crash left behind and that need a tool or a model which this program has not handed in. */
  get leftBehind(): LeftBehind["lacking"] {
    return this.#leftBehind.lacking;
  }

  /** Starts a thread. It is stored when this resolves: whatever happens then, it is not lost. */
  async start(options: StartOptions): Promise<ThreadHandle> {
    this.#requireOpen();
    if (this.#hostedBy && isOwn(options)) throw elsewhere(this.#hostedBy);
    const ask = prepareStart(this.#premises, options);
    await this.#leftBehind.look();
    const id = newThreadId(this.#world, ask.directive.name);
    await createThread(this.#world, id, ask);
    return this.#handle(id);
  }

  /** One that is there already. */
  async thread(id: string): Promise<ThreadHandle> {
    this.#requireOpen();
    const [row] = await this.#world.store.find({ threadId: id, limit: 1 });
    if (!row)
      throw new Problem("E_THREAD_NOT_FOUND", {
        what: `There is no thread ${id}.`,
        why: "Its whole id is needed here.",
        next: [{ cmd: "selvage ps -a", why: "all threads there are" }],
      });
    return this.#handle(row.thread_id);
  }

  /** Until all of them have come to rest, or as few as are asked for. */
  wait(threads: readonly ThreadHandle[], ask: WaitAsk = {}): Promise<Waited> {
    return waitFor(this.#world.clock, threads, ask);
  }

  /** Questions are put to the program first; what it leaves waits for a person. */
  onApproval(answerer: Answerer): () => void {
    return this.#approvals.add(answerer);
  }

  /** Stops hosting. Threads that are under way lose nothing: whoever opens the project next goes on with them. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #world(): World {
    return this.#premises.world;
  }

  #handle(id: string): ThreadHandle {
    return new ThreadHandle({ world: this.#world, feed: this.#feed, approvals: this.#approvals }, id);
  }

  /** Resolves once the project is ours, or somebody else's. */
  async #host(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#hosting = host(this.#world, {
        scope: "*",
        stays: true,
        mayRecover: (row) => this.#leftBehind.mayRecover(row),
        patienceMs: PATIENCE_MS,
        signal: this.#stopping.signal,
        prepare: async () => resolve(),
      }).then(
        (end) => {
          if (end.type === "refused") this.#hostedBy = end.by;
          resolve();
        },
        (error) => {
          // Nobody hosts any more: who waits must hear of it.
          this.#feed.close(error);
          reject(error);
        },
      );
    });
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    const over = new AbortController();
    await Promise.race([this.#hosting.catch(() => {}), this.#world.clock.sleep(STOP_MS, over.signal)]);
    over.abort();
    this.#feed.close();
    await this.#premises.close();
  }

  #requireOpen(): void {
    if (!this.#closed) return;
    throw new Problem("E_CLOSED", {
      what: "The project is closed.",
      why: "close() was called before.",
      next: [{ cmd: "await open(folder)", why: "opens it again" }],
    });
  }
}

function elsewhere({ owner }: HostRow): Problem {
  return new Problem("E_LOCKED", {
    what: "A thread with tools or a script of this program cannot run: another process hosts the project.",
    why: `${ownerName(owner)} hosts it and does not have them. Nothing was written.`,
    next: [{ cmd: "selvage ps", why: "who hosts what" }],
  });
}
