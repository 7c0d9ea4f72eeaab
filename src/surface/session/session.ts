/**
 * A session: a chain in a program's hands, prompt after prompt. The first prompt starts a thread; one that comes after
 * its end goes on in the next thread of the chain. All there is of it stands in the store, so a crash loses nothing of
 * it, and another process takes it up by any of its ids.
 */
import { headOf } from "../../core/chain-links.ts";
import type { Event } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import { hasEnded, isTerminal } from "../../core/status.ts";
import { foldThread, type Thread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import { continueThread, newRequestId, postRequest, type Wishes } from "../../runtime/index.ts";
import { sender } from "../cli/operator.ts";
import { changed, unpaid } from "../cli/resume-ended.ts";
import type { Result } from "../sdk/result.ts";
import { bringAlong, modelOf, type PromptStart } from "../sdk/start.ts";
import { type CompactionAnswer, compactNow } from "./compacting.ts";
import { Follower, type SessionListener } from "./follower.ts";
import { type History, readHistory, type SessionStats, statsOf } from "./history.ts";
import type { AgentMessage } from "./message.ts";
import { atWork, gone, noText, notAtWork, unanswered } from "./refusals.ts";
import type { SessionNeeds } from "./session-needs.ts";
import { isAtWork, NEW_STATE, nextState, type SessionState, stateOf } from "./state.ts";

export interface SessionOptions extends Omit<PromptStart, "prompt"> {
  /** Any thread of a chain that is there already. */
  readonly thread?: string;
}

export interface PromptOptions {
  /** What to do with it while the thread is at work; without it such a prompt is refused. */
  readonly streamingBehavior?: "steer" | "followUp";
}

/** It was stored; what comes of it is told later. */
export interface Accepted {
  readonly threadId: string;
  readonly settled: () => Promise<Result>;
}

const MOST_LOOKS = 5;

export class AgentSession {
  readonly #needs: SessionNeeds;
  readonly #options: SessionOptions;
  readonly #follower: Follower;
  readonly #unlisten: () => void;
  readonly #chain = new Set<string>();
  #threadId: string | undefined;
  #state: SessionState = NEW_STATE;
  /** What is said between two prompts, and goes into the store with the next one. */
  #wishes: Wishes = {};
  #model: PromptStart["model"];
  #steering: readonly { readonly id: string; readonly text: string }[] = [];
  #line: Promise<unknown> = Promise.resolve();

  constructor(needs: SessionNeeds, options: SessionOptions) {
    this.#needs = needs;
    this.#options = options;
    const { world, feed } = needs;
    const steering = () => this.#steering.map(({ text }) => text);
    this.#follower = new Follower({ store: world.store, feed, steering });
    this.#unlisten = feed.listen({ event: (event) => this.#hear(event), over: () => {} }, "all");
  }

  /** Takes up the chain that was named, if one was. */
  static async open(needs: SessionNeeds, options: SessionOptions): Promise<AgentSession> {
    const session = new AgentSession(needs, options);
    if (options.thread !== undefined) await session.#takeUp(options.thread);
    return session;
  }

  /** The thread that the chain goes on in now; undefined before the first prompt. */
  get threadId(): string | undefined {
    return this.#threadId;
  }

  /** A thread is at work on what was asked. */
  get isStreaming(): boolean {
    return isAtWork(this.#state);
  }

  get isRetrying(): boolean {
    return this.#state.isRetrying;
  }

  get isCompacting(): boolean {
    return this.#state.isCompacting;
  }

  get autoRetryEnabled(): boolean {
    return this.#wishes.autoRetry ?? this.#state.autoRetry ?? this.#world.settings.retry.enabled;
  }

  /** Of the next prompt. */
  get model(): string | undefined {
    return modelOf(this.#needs.premises, this.#model ?? undefined) ?? this.#state.model ?? this.#first();
  }

  /** What was said and is not read yet. */
  get queue(): { readonly steering: readonly string[]; readonly followUp: readonly string[] } {
    return { steering: this.#steering.map(({ text }) => text), followUp: this.#follower.followUps };
  }

  /** Resolves when nothing more comes of it by itself: the retries are over, and the thread has ended or asks. */
  async prompt(text: string, options: PromptOptions = {}): Promise<Result> {
    const { settled } = await this.accept(text, options);
    return settled();
  }

  /** Resolves when it is stored. */
  accept(text: string, { streamingBehavior }: PromptOptions = {}): Promise<Accepted> {
    requireText(text);
    return this.#inLine(async () => {
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        const threadId = await this.#say(text, streamingBehavior);
        if (threadId !== undefined) return { threadId, settled: () => this.#needs.handle(threadId).result() };
      }
      throw gone(this.#threadId);
    });
  }

  /** Read before the next turn. */
  async steer(text: string): Promise<void> {
    requireText(text);
    await this.#inLine(() => this.#queueUp(text, "steer"));
  }

  /** Read when the thread would end. */
  async followUp(text: string): Promise<void> {
    requireText(text);
    await this.#inLine(() => this.#queueUp(text, "followUp"));
  }

  /** Ends a wait for another try first, then everything that is under way. The next prompt goes on from here. */
  async abort(): Promise<void> {
    await this.#inLine(async () => {
      const row = await this.#head();
      if (!row || isTerminal(row.status)) return;
      const posted = await this.#post({
        kind: "cancel",
        reason: "aborted by the session",
        nonce: row.nonce,
        thread_id: row.thread_id,
      });
      if (posted) await this.#needs.handle(row.thread_id).result();
    });
  }

  /** Gives up a wait for another try: the thread is suspended. Nothing happens when there is none. */
  async abortRetry(): Promise<void> {
    const row = await this.#head();
    if (row) await this.#post({ kind: "retry", action: "stop", thread_id: row.thread_id });
  }

  /** Stored with the chain; said between two prompts, with the next one. */
  async setAutoRetryEnabled(enabled: boolean): Promise<void> {
    await this.#inLine(async () => {
      const row = await this.#head();
      const isStored =
        row !== undefined &&
        !isTerminal(row.status) &&
        (await this.#post({ kind: "auto_retry", enabled, thread_id: row.thread_id }));
      this.#wishes = { ...this.#wishes, autoRetry: isStored ? undefined : enabled };
      // Stored is as good as read: nobody can say anything in between.
      if (isStored) this.#state = { ...this.#state, autoRetry: enabled };
    });
  }

  /** Makes the conversation shorter; between two prompts, before the first turn of the next one. */
  async compact(instructions?: string): Promise<CompactionAnswer> {
    const row = await this.#head();
    const said = instructions === undefined ? {} : { instructions };
    if (row && !isTerminal(row.status)) {
      const ask = { kind: "compact" as const, thread_id: row.thread_id, ...said };
      return compactNow(this.#needs, row, () => this.#post(ask));
    }
    this.#wishes = { ...this.#wishes, compact: said };
    return { pending: true };
  }

  /** From the next prompt on. Throws a Problem when it cannot be used. */
  setModel(model: NonNullable<PromptStart["model"]>): string {
    const { premises } = this.#needs;
    const name = modelOf(premises, model) ?? "";
    premises.requireModel(name);
    this.#model = model;
    return name;
  }

  async messages(): Promise<readonly AgentMessage[]> {
    return (await this.#history())?.messages ?? [];
  }

  async stats(): Promise<SessionStats> {
    return statsOf(await this.#history(), (model) => this.#world.model(model)?.window);
  }

  /** Told what happens, in order. A listener that returns a promise is waited for. */
  subscribe(listener: SessionListener): () => void {
    return this.#follower.add(listener);
  }

  /** Lets go of it; the thread goes on. */
  dispose(): void {
    this.#unlisten();
    this.#follower.close();
  }

  get #world(): World {
    return this.#needs.world;
  }

  /** One after the other: two prompts at once would each find the chain at rest. */
  #inLine<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#line.then(() => {
      this.#needs.requireOpen();
      return act();
    });
    this.#line = done.catch(() => {});
    return done;
  }

  #first(): string | undefined {
    try {
      const { premises } = this.#needs;
      return modelOf(premises, this.#options.model) ?? premises.modelOfTier("default");
    } catch {
      return undefined;
    }
  }

  async #takeUp(id: string): Promise<void> {
    const [found] = await this.#world.store.find({ threadId: id, limit: 1 });
    if (!found) throw gone(id);
    bringAlong(this.#needs.premises, this.#options);
    const row = await headOf(this.#world.store, found);
    const thread = await this.#load(row.thread_id);
    this.#state = stateOf(thread);
    this.#threadId = row.thread_id;
    this.#chain.add(row.thread_id);
    if (!isTerminal(row.status)) this.#follower.follow(row.thread_id, thread.seq + 1);
  }

  /** The thread that took it; undefined: it was at another point by then, and has to be looked at again. */
  async #say(text: string, how: PromptOptions["streamingBehavior"]): Promise<string | undefined> {
    const row = await this.#head();
    if (!row) return this.#start(text);
    if (hasEnded(row.status)) return this.#goOn(row, text);
    if (row.status === "suspended") return this.#resume(row, text);
    if (how === undefined) throw atWork(row.thread_id);
    return (await this.#queued(row, text, how)) ? row.thread_id : undefined;
  }

  async #start(prompt: string): Promise<string> {
    const { thread: _, ...options } = this.#options;
    const model = this.#model ?? options.model;
    const { id } = await this.#needs.start(
      { ...options, ...(model === undefined ? {} : { model }), prompt },
      this.#wishes,
    );
    this.#entered(id);
    return id;
  }

  async #goOn(row: ThreadRow, message: string): Promise<string | undefined> {
    const { premises, world } = this.#needs;
    const thread = await this.#load(row.thread_id);
    const model = modelOf(premises, this.#model);
    premises.requireModel(model ?? row.model);
    const made = await continueThread(world, thread, {
      ...{ message, model, limits: {}, by: sender(), brought: premises.brought() },
      ...{ system: this.#systemNow(thread), wishes: this.#wishes },
    });
    if ("unpaid" in made) throw unpaid(row.thread_id, made.unpaid);
    if ("refused" in made) {
      const [now] = await world.store.find({ threadId: row.thread_id, limit: 1 });
      // Somebody else went on with it: so does this.
      if (now?.status === "continued") return undefined;
      throw changed(row.thread_id);
    }
    this.#entered(made.threadId);
    return made.threadId;
  }

  /** What waits for a yes or no, or would stop again at once, is not passed by more words. */
  async #resume(row: ThreadRow, message: string): Promise<string | undefined> {
    const { thread_id, nonce, suspend_reason: reason } = row;
    if (reason === "approval" || reason === "limit" || reason === "budget") throw unanswered(row);
    const posted = await this.#post({ kind: "resume", nonce, message, thread_id });
    if (posted) this.#state = { ...this.#state, status: "running" };
    return posted ? thread_id : undefined;
  }

  async #queueUp(text: string, how: "steer" | "followUp"): Promise<void> {
    const row = await this.#head();
    if (row && !isTerminal(row.status) && (await this.#queued(row, text, how))) return;
    throw notAtWork(row?.thread_id, how);
  }

  async #queued({ thread_id }: ThreadRow, text: string, how: "steer" | "followUp"): Promise<boolean> {
    const id = newRequestId(this.#world);
    const after = how === "followUp" ? { after: "end" as const } : {};
    const isSteering = how === "steer";
    if (isSteering) this.#steering = [...this.#steering, { id, text }];
    const posted = await this.#post({ kind: "message", text, thread_id, ...after }, id);
    if (isSteering && !posted) this.#read(id);
    else if (isSteering) this.#follower.tell({ type: "queue_update", ...this.queue });
    return posted;
  }

  #read(requestId: string): boolean {
    const left = this.#steering.filter(({ id }) => id !== requestId);
    if (left.length === this.#steering.length) return false;
    this.#steering = left;
    return true;
  }

  /** A thread of the chain that is new. */
  #entered(threadId: string): void {
    const { autoRetry } = this.#wishes;
    this.#state = { ...this.#state, status: "created", isRetrying: false };
    if (autoRetry !== undefined) this.#state = { ...this.#state, autoRetry };
    this.#wishes = {};
    this.#threadId = threadId;
    this.#chain.add(threadId);
    this.#follower.follow(threadId, 1);
  }

  #hear(event: Event): void {
    if (!this.#chain.has(event.thread_id)) return;
    if (event.type === "thread_continued") this.#chain.add(event.to);
    if (event.thread_id === this.#threadId || event.type === "thread_created")
      this.#state = nextState(this.#state, event);
    if (event.type === "thread_continued" && event.why === "context") this.#threadId = event.to;
    if (event.type === "message_received" && this.#read(event.request_id))
      this.#follower.tell({ type: "queue_update", ...this.queue });
  }

  async #head(): Promise<ThreadRow | undefined> {
    if (this.#threadId === undefined) return undefined;
    const [row] = await this.#world.store.find({ threadId: this.#threadId, limit: 1 });
    if (!row) throw gone(this.#threadId);
    const head = await headOf(this.#world.store, row);
    if (head.thread_id !== this.#threadId) this.#moved(head.thread_id);
    return head;
  }

  /** Somebody went on with it elsewhere. */
  #moved(threadId: string): void {
    const isNew = !this.#chain.has(threadId);
    this.#threadId = threadId;
    this.#chain.add(threadId);
    if (isNew) this.#follower.follow(threadId, 1);
  }

  async #history(): Promise<History | undefined> {
    const row = await this.#head();
    return row && readHistory(this.#world, row);
  }

  async #load(threadId: string): Promise<Thread> {
    const { events } = await this.#world.store.load(threadId);
    return foldThread(threadId, events);
  }

  /** Rules are read from where they stand; where nothing stands, they stay as they were. */
  #systemNow(thread: Thread): string {
    const { premises } = this.#needs;
    try {
      return premises.systemPrompt(premises.directive(thread.directive));
    } catch (error) {
      if (error instanceof Problem) return thread.system;
      throw error;
    }
  }

  async #post(body: Body, id = newRequestId(this.#world)): Promise<boolean> {
    const asked = { ...body, request_id: id, by: sender() } as Request;
    return (await postRequest(this.#world, asked)).accepted;
  }
}

type Body = Request extends infer R ? (R extends Request ? Omit<R, "request_id" | "by"> : never) : never;

function requireText(text: unknown): asserts text is string {
  if (typeof text !== "string" || text.trim() === "") throw noText();
}
