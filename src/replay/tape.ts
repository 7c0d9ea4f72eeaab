/** The journal of a thread as it is played again: what comes next, and the thread as it was by then. */
import type { Event, EventType } from "../core/event.ts";
import { newThread, reduce, type Target, type Thread } from "../core/thread.ts";

export class Tape {
  readonly threadId: string;
  readonly #events: readonly Event[];
  #at = 0;
  #rest: { readonly at: number; readonly events: readonly Event[] } = { at: -1, events: [] };
  #targets: readonly Target[] | undefined;
  #thread: Thread;

  constructor(threadId: string, events: readonly Event[]) {
    this.threadId = threadId;
    this.#events = events;
    this.#thread = newThread(threadId);
  }

  /** How many have been played. */
  get at(): number {
    return this.#at;
  }

  get length(): number {
    return this.#events.length;
  }

  get isOver(): boolean {
    return this.#at >= this.#events.length;
  }

  /** The fold of what has been played. */
  get thread(): Thread {
    return this.#thread;
  }

  /** The time of what comes next; at the end, of what came last. Where a wait tells how long it took, that is the time. */
  get now(): number {
    const told = this.#waited();
    return told ?? Date.parse((this.next ?? this.#events.at(-1))?.ts ?? "");
  }

  /** A decision is made a moment before its commit, and its words are counted: they have to be the same words. */
  #waited(): number | undefined {
    const { wait } = this.#thread;
    if (!wait) return undefined;
    for (let at = this.#at; this.#events[at]?.ts === this.next?.ts && at < this.#events.length; at += 1) {
      const event = this.#events[at];
      if (event?.type !== "tool_call_result" || event.call_id !== wait.callId) continue;
      const [, seconds] = /"elapsed_seconds":(\d+(?:\.\d+)?)/.exec(event.output) ?? [];
      return seconds === undefined ? undefined : Date.parse(wait.since) + Number(seconds) * 1_000;
    }
    return undefined;
  }

  get next(): Event | undefined {
    return this.#events[this.#at];
  }

  ahead(count: number): Event | undefined {
    return this.#events[this.#at + count];
  }

  /** What is still to come. */
  get rest(): readonly Event[] {
    if (this.#rest.at !== this.#at) this.#rest = { at: this.#at, events: this.#events.slice(this.#at) };
    return this.#rest.events;
  }

  /** Keys of a model that a failure made it go on with, anywhere in the journal. */
  keysOf(model: string): readonly number[] {
    this.#targets ??= this.#events.flatMap((event) =>
      event.type === "auto_retry_start" && event.target ? [event.target] : [],
    );
    return this.#targets.flatMap((target) => (target.model === model ? [target.key] : []));
  }

  get played(): readonly Event[] {
    return this.#events.slice(0, this.#at);
  }

  play(count: number): void {
    for (let played = 0; played < count && !this.isOver; played += 1) {
      this.#thread = reduce(this.#thread, this.#events[this.#at] as Event);
      this.#at += 1;
    }
  }

  /** The first of a type that is still to come. */
  coming<T extends EventType>(
    type: T,
    fits: (event: Event<T>) => boolean = () => true,
  ): Event<T> | undefined {
    for (let at = this.#at; at < this.#events.length; at += 1) {
      const event = this.#events[at] as unknown as Event<T>;
      if (event.type === type && fits(event)) return event;
    }
    return undefined;
  }
}
