/**
 * The journal of a thread as it is played again: what comes next, and the thread as it was by then. Whoever looks ahead
 * says how far, or what for: a look that went on to the end would make a long journal take as long as its square.
 */
import type { Event, EventType } from "../core/event.ts";
import { newThread, reduce, type Target, type Thread } from "../core/thread.ts";

export class Tape {
  readonly threadId: string;
  readonly #events: readonly Event[];
  /** Where events are, in their order: by type, and by type and call. */
  readonly #places = new Map<string, number[]>();
  #at = 0;
  #targets: readonly Target[] | undefined;
  #thread: Thread;

  constructor(threadId: string, events: readonly Event[]) {
    this.threadId = threadId;
    this.#events = events;
    this.#thread = newThread(threadId);
    events.forEach((event, at) => {
      this.#file(event.type, at);
      if ("call_id" in event) this.#file(`${event.type} ${event.call_id}`, at);
    });
  }

  #file(key: string, at: number): void {
    const places = this.#places.get(key);
    if (places) places.push(at);
    else this.#places.set(key, [at]);
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

  /** The fold of that and of the next so many. */
  threadAt(count: number): Thread {
    return this.span(0, count).reduce(reduce, this.#thread);
  }

  /** The time of what comes next; at the end, of what came last. Where a wait tells how long it took, that is the time. */
  get now(): number {
    const told = this.#waited();
    return told ?? Date.parse((this.next ?? this.#events.at(-1))?.ts ?? "");
  }

  /** A decision is made a moment before its commit, and its words are counted: they have to be the same words. */
  #waited(): number | undefined {
    const { wait } = this.#thread;
    if (!wait || wait.callId === null) return undefined;
    const result = this.ofCall("tool_call_result", wait.callId);
    if (!result || result.ts !== this.next?.ts) return undefined;
    const [, seconds] = /"elapsed_seconds":(\d+(?:\.\d+)?)/.exec(result.output) ?? [];
    return seconds === undefined ? undefined : Date.parse(wait.since) + Number(seconds) * 1_000;
  }

  get next(): Event | undefined {
    return this.#events[this.#at];
  }

  /** Counted from the next one; below 0 are those that came last. */
  ahead(count: number): Event | undefined {
    return this.#events[this.#at + count];
  }

  /** So many of those that come, from a place on. */
  span(from: number, count: number): readonly Event[] {
    return this.#events.slice(this.#at + from, this.#at + from + Math.max(0, count));
  }

  /** The place of the first that fits, from a place on; as many as there are when none does. */
  placeOf(fits: (event: Event) => boolean, from = 0): number {
    let place = from;
    for (let event = this.ahead(place); event && !fits(event); event = this.ahead(place)) place += 1;
    return place;
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
    const places = this.#places.get(type) ?? [];
    for (let index = firstFrom(places, this.#at); index < places.length; index += 1) {
      const event = this.#events[places[index] ?? -1] as unknown as Event<T>;
      if (fits(event)) return event;
    }
    return undefined;
  }

  /** What is still to come of a call. */
  ofCall<T extends "tool_call_start" | "tool_call_result">(type: T, callId: string): Event<T> | undefined {
    const places = this.#places.get(`${type} ${callId}`) ?? [];
    return this.#events[places[firstFrom(places, this.#at)] ?? -1] as Event<T> | undefined;
  }
}

/** Of numbers that rise, the index of the first that is no lower than one. */
function firstFrom(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
