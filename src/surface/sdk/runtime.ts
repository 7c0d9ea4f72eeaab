/**
 * A project in a program's hands: it hosts what is claimable there, brings back what was left by a crash, and starts
 * threads. While another process hosts the project, it is that one's client.
 */
import { Problem } from "../../core/problem.ts";
import type { HostRow, Store } from "../../core/store.ts";
import type { Tool } from "../../core/tool.ts";
import type { World } from "../../core/world.ts";
import { createThread, newThreadId, type Wishes } from "../../runtime/index.ts";
import { ownerName } from "../cli/owner.ts";
import type { AgentSession, SessionOptions } from "../session/session.ts";
import { type Answerer, Approvals } from "./approvals.ts";
import { closed } from "./closed.ts";
import { Feed } from "./feed.ts";
import { type HandleNeeds, ThreadHandle } from "./handle.ts";
import { Hosting } from "./hosting.ts";
import { LeftBehind } from "./left-behind.ts";
import { keepParts } from "./parts.ts";
import type { Premises } from "./premises.ts";
import { isOwn, prepareStart, requireOptions, type StartOptions } from "./start.ts";
import { type WaitAsk, type Waited, waitFor } from "./wait.ts";

export interface RuntimeOptions {
  /** Tools that threads of this project may have, beside its own: also those that a crash left behind. */
  readonly tools?: readonly Tool[] | undefined;
  /** `off`: threads that a crash left behind stay where they are. */
  readonly recover?: "auto" | "off" | undefined;
}

/** Tools get their time to end; after this we go anyway. */
const STOP_MS = 5_000;

export class Selvage {
  readonly #premises: Premises;
  readonly #needs: HandleNeeds;
  readonly #leftBehind: LeftBehind;
  readonly #hosting: Hosting;
  #closed: Promise<void> | undefined;

  private constructor(premises: Premises, { recover = "auto" }: RuntimeOptions) {
    const { world } = premises;
    this.#premises = premises;
    const feed = new Feed(world);
    const requireOpen = () => this.#requireOpen();
    const approvals = new Approvals({ world, feed, requireOpen });
    const isHost = () => this.#hosting.by === undefined;
    this.#needs = { world, feed, approvals, requireOpen, isHost };
    this.#leftBehind = new LeftBehind(world, recover);
    this.#hosting = new Hosting(world, this.#leftBehind, (error) => feed.close(error));
    STORES.set(this, world.store);
    premises.listen((notice) => feed.hear(notice));
    keepParts(this, { premises, feed });
  }

  static async open(premises: Premises, options: RuntimeOptions = {}): Promise<Selvage> {
    const runtime = new Selvage(premises, options);
    try {
      await premises.world.ready?.();
      for (const tool of options.tools ?? []) premises.addTool(tool);
      await runtime.#leftBehind.look();
      await runtime.#hosting.begin();
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

  /** Threads that nobody owns and that need a tool or a model which this program does not have. */
  get leftBehind(): LeftBehind["lacking"] {
    return this.#leftBehind.lacking;
  }

  /** Starts a thread. It is stored when this resolves: whatever happens then, it is not lost. */
  async start(options: StartOptions): Promise<ThreadHandle> {
    requireOptions(options);
    return this.#start(options, {});
  }

  /** A chain of threads, prompt after prompt; nothing is started before the first. */
  async createSession(options: SessionOptions = {}): Promise<AgentSession> {
    this.#requireOpen();
    const { world, feed, requireOpen } = this.#needs;
    // Most programs have no session, and every start would pay for it.
    const { AgentSession } = await import("../session/session.ts");
    const session = await AgentSession.open(
      {
        ...{ world, feed, requireOpen, premises: this.#premises },
        start: (start, wishes) => this.#start(start, wishes),
        handle: (id) => new ThreadHandle(this.#needs, id),
      },
      options,
    );
    // What it brings along may be all that a thread lacked.
    await this.#leftBehind.look();
    await this.#lookAgain();
    return session;
  }

  /** Takes up threads that a crash left behind, also where nobody does so unasked. */
  async recover(threadIds: readonly string[]): Promise<void> {
    this.#requireOpen();
    this.#leftBehind.ask(threadIds);
    await this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    for (const { socket } of await this.#world.store.hosts()) if (socket) this.#world.machine.ring(socket);
  }

  async #start(options: StartOptions, wishes: Wishes): Promise<ThreadHandle> {
    this.#requireOpen();
    const { by } = this.#hosting;
    if (by && isOwn(options)) throw elsewhere(by);
    const ask = prepareStart(this.#premises, options, { isClient: by !== undefined });
    await this.#leftBehind.look();
    const id = newThreadId(this.#world, ask.directive.name);
    await createThread(this.#world, id, { ...ask, wishes });
    return new ThreadHandle(this.#needs, id);
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
    return new ThreadHandle(this.#needs, row.thread_id);
  }

  /** Until all of them have come to rest, or as few as are asked for. */
  async wait(threads: readonly ThreadHandle[], ask: WaitAsk = {}): Promise<Waited> {
    this.#requireOpen();
    return waitFor(this.#world.clock, threads, ask);
  }

  /** Questions are put to the program first; what it leaves waits for a person. */
  onApproval(answerer: Answerer): () => void {
    this.#requireOpen();
    return this.#needs.approvals.add(answerer);
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

  async #close(): Promise<void> {
    const over = new AbortController();
    await Promise.race([this.#hosting.end(), this.#world.clock.sleep(STOP_MS, over.signal)]);
    over.abort();
    this.#needs.feed.close();
    await this.#premises.close();
  }

  #requireOpen(): void {
    if (this.#closed) throw closed();
    this.#hosting.requireWell();
  }
}

const STORES = new WeakMap<Selvage, Store>();

/** For those who check what a program did; a program itself has no need of it. */
export function storeOf(runtime: Selvage): Store {
  const store = STORES.get(runtime);
  if (!store) throw new TypeError("This is no runtime that open() has made.");
  return store;
}

function elsewhere({ owner }: HostRow): Problem {
  return new Problem("E_LOCKED", {
    what: "A thread with tools or a script of this program cannot run: another process hosts the project.",
    why: `${ownerName(owner)} hosts it and does not have them. Nothing was written.`,
    next: [{ cmd: "selvage ps", why: "who hosts what" }],
  });
}
