/** One thread, in a program's hands. Letting go of it changes nothing: the thread goes on. */
import type { Event, LiveEvent } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { person } from "../cli/person.ts";
import { requireHeadSeen, type ThreadObject, threadObject } from "../cli/thread-object.ts";
import type { Approvals } from "./approvals.ts";
import { type EventsAsk, eventsOf } from "./events.ts";
import type { Feed } from "./feed.ts";
import { type Result, resultOf } from "./result.ts";
import { Sign } from "./sign.ts";
import { textOf } from "./text.ts";

export interface HandleNeeds {
  readonly world: World;
  readonly feed: Feed;
  readonly approvals: Approvals;
}

export interface ResultAsk {
  readonly signal?: AbortSignal;
  /** Seconds. */
  readonly timeout?: number;
}

export class ThreadHandle {
  readonly id: string;
  readonly #needs: HandleNeeds;

  constructor(needs: HandleNeeds, id: string) {
    this.#needs = needs;
    this.id = id;
  }

  /** From one of them on, then as they happen, until its end. */
  events(ask: EventsAsk = {}): AsyncGenerator<Event | LiveEvent, void, undefined> {
    const { world, feed } = this.#needs;
    return eventsOf({ store: world.store, feed }, this.id, ask);
  }

  /** What it says, as it says it. */
  text(ask: Pick<EventsAsk, "signal"> = {}): AsyncGenerator<string, void> {
    return textOf(this.events(ask));
  }

  /** As every command shows it. */
  async look(): Promise<ThreadObject> {
    return threadObject(await requireHeadSeen(this.#needs.world, this.id));
  }

  /** When it has ended, or nothing moves before somebody answers. Never throws for what an agent did. */
  async result({ signal, timeout }: ResultAsk = {}): Promise<Result> {
    const { world, feed, approvals } = this.#needs;
    const late = new AbortController();
    const over = timeout === undefined ? undefined : new AbortController();
    if (timeout !== undefined)
      world.clock.sleep(timeout * 1_000, over?.signal).then(() => late.abort(timedOut(this.id, timeout)));
    const ends = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    const sign = new Sign(this.id, feed, ends);
    try {
      for (;;) {
        sign.reset();
        await approvals.settled();
        const result = await resultOf(world, this.id);
        if (result) return result;
        await sign.wait();
      }
    } finally {
      over?.abort();
      sign.close();
    }
  }

  /** It and everyone below it. Nothing happens to one that has ended. */
  async cancel(reason = "cancelled by the program"): Promise<boolean> {
    const { world } = this.#needs;
    const seen = await requireHeadSeen(world, this.id);
    const { nonce, id } = seen.thread;
    return this.#post({ kind: "cancel", reason, nonce, thread_id: id });
  }

  /** Read before its next turn. */
  async send(text: string): Promise<boolean> {
    const { thread } = await requireHeadSeen(this.#needs.world, this.id);
    return this.#post({ kind: "message", text, thread_id: thread.id });
  }

  async #post(
    body:
      | { kind: "cancel"; reason: string; nonce: string; thread_id: string }
      | { kind: "message"; text: string; thread_id: string },
  ): Promise<boolean> {
    const { world } = this.#needs;
    const asked = { ...body, request_id: newRequestId(world), by: person() };
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
