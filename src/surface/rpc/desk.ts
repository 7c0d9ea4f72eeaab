/** What commands work with: the open project, the session of this connection, and the way out. */
import type { ModelShown } from "../../core/model-list.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { resolveHead } from "../cli/resolve.ts";
import { partsOf } from "../sdk/parts.ts";
import type { Selvage } from "../sdk/runtime.ts";
import type { AgentSession, SessionOptions } from "../session/session.ts";
import type { Ask, CommandName } from "./commands.ts";
import type { Outlet } from "./outlet.ts";
import { Questions } from "./questions.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface DeskNeeds {
  readonly runtime: Selvage;
  readonly version: string;
  /** Models that can be asked here. */
  readonly models: () => readonly ModelShown[];
  /** What every session of this connection begins with. */
  readonly session: Omit<SessionOptions, "thread">;
}

/** What a command does; what it returns is the `data` of its answer. */
export type Handlers<K extends CommandName> = {
  readonly [N in K]: (ask: Ask<N>, desk: Desk) => Promise<unknown> | unknown;
};

export class Desk {
  readonly needs: DeskNeeds;
  readonly world: World;
  readonly outlet: Outlet;
  readonly questions: Questions;
  readonly subscriptions: Subscriptions;
  /** Aborts when the connection ends: whoever waits for somebody goes home. */
  readonly over: AbortSignal;
  readonly #over = new AbortController();
  #session: AgentSession;

  private constructor(needs: DeskNeeds, outlet: Outlet, session: AgentSession) {
    const { premises, feed } = partsOf(needs.runtime);
    this.needs = needs;
    this.world = premises.world;
    this.outlet = outlet;
    this.over = this.#over.signal;
    this.#session = session;
    this.questions = new Questions(this.world, feed, outlet);
    this.subscriptions = new Subscriptions(this.world, feed, outlet);
  }

  static async open(needs: DeskNeeds, outlet: Outlet, thread: string | undefined): Promise<Desk> {
    const { premises } = partsOf(needs.runtime);
    const row = thread === undefined ? undefined : await resolveHead(premises.world.store, thread);
    const session = await needs.runtime.createSession({
      ...needs.session,
      ...(row ? { thread: row.thread_id } : {}),
    });
    const desk = new Desk(needs, outlet, session);
    await desk.#sit(session, row);
    return desk;
  }

  get session(): AgentSession {
    return this.#session;
  }

  get isOver(): boolean {
    return this.over.aborted;
  }

  /** Another chain, or a new one; the one before goes on by itself. */
  async change(row: ThreadRow | undefined): Promise<void> {
    const { runtime, session } = this.needs;
    const next = await runtime.createSession({ ...session, ...(row ? { thread: row.thread_id } : {}) });
    this.#session.dispose();
    this.#session = next;
    await this.#sit(next, row);
  }

  /** The thread that is named, or the session's. */
  async rowOf(id: string | undefined): Promise<ThreadRow> {
    const meant = id ?? this.#session.threadId;
    if (meant !== undefined) return resolveHead(this.world.store, meant);
    throw new Problem("E_USAGE", {
      what: "No thread is meant.",
      why: "thread_id was not given, and nothing was asked in this session yet.",
    });
  }

  /** The session was told something: questions of its tree are put from now on. */
  async began(threadId: string): Promise<void> {
    const [row] = await this.world.store.find({ threadId, limit: 1 });
    if (row) await this.questions.watch(row.root_id);
  }

  close(): void {
    this.#over.abort();
    this.#session.dispose();
    this.questions.close();
    this.subscriptions.close();
  }

  async #sit(session: AgentSession, row: ThreadRow | undefined): Promise<void> {
    session.subscribe((event) => {
      // Each brings all that was said so far: who is behind misses nothing by missing one.
      const mayBeMissed = event.type === "message_update" || event.type === "tool_execution_update";
      if (mayBeMissed && this.outlet.isBehind) return undefined;
      return this.outlet.tell(event);
    });
    await this.questions.watch(row?.root_id);
  }
}
