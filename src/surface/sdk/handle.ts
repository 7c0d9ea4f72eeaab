/** One thread, in a program's hands. Letting go of it changes nothing: the thread goes on. */
import type { Event, LiveEvent } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { sender } from "../cli/operator.ts";
import { requireHeadSeen, type ThreadObject, threadObject } from "../cli/thread-object.ts";
import type { Approvals } from "./approvals.ts";
import { type EventsAsk, eventsOf, requireFrom } from "./events.ts";
import type { Feed } from "./feed.ts";
import { type Result, requireRunnable, resultOf } from "./result.ts";
import { Sign } from "./sign.ts";
import { textOf } from "./text.ts";
import { deadline } from "./timeout.ts";

export interface HandleNeeds {
  readonly world: World;
  readonly feed: Feed;
  readonly approvals: Approvals;
  /** Throws when the project was closed. */
  requireOpen(): void;
  /** Whether this program hosts the project, or another process does. */
  isHost(): boolean;
}

export interface ResultAsk {
  readonly signal?: AbortSignal | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

export class ThreadHandle {
  readonly id: string;
  readonly #needs: HandleNeeds;

  constructor(needs: HandleNeeds, id: string) {
    this.#needs = needs;
    this.id = id;
  }

  /** From one of them on, then as they happen, until its end, or that of the program's hold on the project. */
  events(ask: EventsAsk = {}): AsyncGenerator<Event | LiveEvent, void, undefined> {
    const { world, feed, requireOpen } = this.#needs;
    requireOpen();
    requireFrom(ask.from);
    return eventsOf({ store: world.store, feed }, this.id, ask);
  }

  /** What it says, as it says it. */
  text(ask: Pick<EventsAsk, "signal"> = {}): AsyncGenerator<string, void, undefined> {
    return textOf(this.events(ask));
  }

  /** As every command shows it. */
  async look(): Promise<ThreadObject> {
    this.#needs.requireOpen();
    return threadObject(await requireHeadSeen(this.#needs.world, this.id));
  }

  /** When it has ended, or nothing moves before somebody answers. Never throws for what an agent did. */
  async result({ signal, timeout }: ResultAsk = {}): Promise<Result> {
    const { world, feed, requireOpen } = this.#needs;
    requireOpen();
    const late = deadline(world.clock, timeout, (seconds) => timedOut(this.id, seconds));
    const [row] = await world.store.find({ threadId: this.id, limit: 1 });
    const ends = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    const sign = new Sign(row?.root_id ?? this.id, feed, ends);
    try {
      await feed.ready();
      for (;;) {
        sign.reset();
        const result = await this.atRest();
        if (result) return result;
        await sign.wait();
      }
    } catch (error) {
      throw sign.explain(error);
    } finally {
      late.end();
      sign.close();
    }
  }

  /** What `result()` would say now; undefined while it is under way, or the program thinks about its question. */
  async atRest(): Promise<Result | undefined> {
    const { world, approvals, requireOpen, isHost } = this.#needs;
    requireOpen();
    const result = await resultOf(world, this.id);
    if (!result && isHost()) await requireRunnable(world, this.id);
    if (result?.status !== "suspended") return result;
    return (await approvals.isAsking(result.approval?.approval_id ?? null)) ? undefined : result;
  }

  /** It and everyone below it. False: it has ended, and nothing happens to it. */
  async cancel(reason = "cancelled by the program"): Promise<boolean> {
    this.#needs.requireOpen();
    const { thread } = await requireHeadSeen(this.#needs.world, this.id);
    return this.#post({ kind: "cancel", reason, nonce: thread.nonce, thread_id: thread.id });
  }

  /** Read before its next turn. False: it has ended. */
  async send(text: string): Promise<boolean> {
    this.#needs.requireOpen();
    const { thread } = await requireHeadSeen(this.#needs.world, this.id);
    return this.#post({ kind: "message", text, thread_id: thread.id });
  }

  async #post(
    body:
      | { kind: "cancel"; reason: string; nonce: string; thread_id: string }
      | { kind: "message"; text: string; thread_id: string },
  ): Promise<boolean> {
    const { world } = this.#needs;
    const asked = { ...body, request_id: newRequestId(world), by: sender() };
    return (await postRequest(world, asked)).accepted;
  }
}

function timedOut(threadId: string, seconds: number): Problem {
  return new Problem("E_TIMEOUT", {
    what: `${threadId} was still under way after ${seconds} s.`,
    why: "Only the wait has ended: the thread goes on.",
    threadId,
  });
}
