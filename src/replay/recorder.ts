/**
 * The store of a thread that is played again: the rules of every store, over memory, and each event that lands is held
 * against the one in the journal.
 *   R1. What was asked from outside is there just before the commit after which its owner took it.
 *   R2. An event that is the same goes on as it was recorded: durations and times are the journal's.
 *   R3. The first event that is not the same ends it; or, for who asks what would differ, the first of another type.
 */
import type { Batch, Lease, Shortage } from "../core/commit.ts";
import type { Event, NewEvent } from "../core/event.ts";
import { StorageFailure } from "../core/failure.ts";
import { parseDollars } from "../core/money.ts";
import type { Difference, Divergence } from "../core/replayed.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import type { Store } from "../core/store.ts";
import type { MemoryDisk } from "../store/stores/memory.ts";
import { notesMissing, UNPAID_NOTES } from "./answers.ts";
import { type Asking, askedAt } from "./asked.ts";
import { bookOutcome } from "./below.ts";
import { forever, type Life } from "./life.ts";
import { differences, fieldsOf } from "./same.ts";
import { seatOthers } from "./talk.ts";
import type { Tape } from "./tape.ts";

export interface RecorderNeeds {
  readonly tape: Tape;
  readonly disk: MemoryDisk;
  readonly memory: Store;
  /** Threads of its tree, as they are known now: who is whose child never changes. */
  readonly relatives: readonly ThreadRow[];
  /** Go on where an event is of the same type and says something else. */
  readonly isLenient: boolean;
}

/** Nobody hosted it then: it is begun again, for requests alone. */
export class Alone extends Error {}

export class Recorder {
  readonly divergences: Divergence[] = [];
  /** From here on the journal tells nothing about what would happen. */
  parted = false;
  /** What became of children that the commit under way brings into being. */
  readonly #unbooked: Event[] = [];
  readonly #needs: RecorderNeeds;

  constructor(needs: RecorderNeeds) {
    this.#needs = needs;
  }

  storeFor(life: Life): Store {
    const { memory, tape } = this.#needs;
    const living = <T>(act: () => Promise<T>): Promise<T> => (life.isDead ? forever() : act());
    return {
      ...memory,
      commit: (lease, batch) => living(() => this.#commit(life, lease, batch)),
      openRequests: (chainRootId) => {
        const place = this.comingAsk(0, () => true);
        if (place !== undefined) this.supply(place);
        return memory.openRequests(chainRootId);
      },
      load: async () => ({ events: tape.played }),
      find: async (query) => (query.rootId === undefined ? memory.find(query) : this.#tree()),
    };
  }

  /** Its own line and those of others in channels are as they were then. */
  #tree(): readonly ThreadRow[] {
    const { disk, tape, relatives } = this.#needs;
    seatOthers(disk, tape);
    const talking = [...disk.rows.values()].filter(({ channels }) => channels.length > 0);
    return [...relatives.map((row) => ({ ...row, channels: [] })), ...talking];
  }

  part(now?: NewEvent, found: readonly Difference[] = [], instead?: string): void {
    const { tape } = this.#needs;
    const { at, next: recorded } = tape;
    this.divergences.push({ seq: at + 1, recorded, now, differences: found, instead });
    this.parted = true;
  }

  async #commit(life: Life, lease: Lease, batch: Batch): ReturnType<Store["commit"]> {
    const { tape, memory, disk } = this.#needs;
    const { events, tail = [] } = batch;
    const planned = [...events, ...tail];
    this.#beforehand(life, planned, tail.length);
    const parts = partsAt(planned, tape);
    if (parts >= 0 && tape.ahead(parts)?.type === "crash_detected") {
      // Its owner died before it wrote this.
      return parts === 0 ? stop(life) : this.#half(life, lease, planned.slice(0, parts));
    }
    const shortage = this.#shortage(events.length, tail);
    if (shortage) {
      const { tail: _tail, births: _births, ...head } = batch;
      const answer = await this.#commit(life, lease, head);
      return "refused" in answer ? answer : { ...answer, tailLanded: false, shortage };
    }
    const adopted = this.#adopt(planned);
    const wanted = { ...batch, events: adopted.slice(0, events.length), tail: adopted.slice(events.length) };
    const answer = await memory.commit(lease, wanted);
    const isIdle = "refused" in answer || answer.events.length === 0;
    life.idle = isIdle ? life.idle + 1 : 0;
    if (life.idle > MOST_IDLE) {
      this.part(undefined, [], "it would go round without writing anything");
      return stop(life);
    }
    if ("refused" in answer) return answer;
    for (const event of this.#unbooked.splice(0)) bookOutcome(disk, event);
    const landed = answer.events.map(
      (event, at) => (adopted[at] === planned[at] ? fieldsOf(event) : planned[at]) as NewEvent,
    );
    this.#forget(lease);
    const recorded = tape.span(0, landed.length);
    for (const event of landed) if (!this.#holds(event)) return stop(life);
    life.commits += 1;
    return tape.isOver ? stop(life) : { ...answer, events: recorded };
  }

  /** What others drew on the same account by then is told by what it led to: a smaller request, or a question. */
  #shortage(place: number, [first]: readonly NewEvent[]): Shortage | undefined {
    const { tape, disk } = this.#needs;
    const { chainRootId: at } = tape.thread;
    const isForNotes = first?.type === "child_thread_started" && first.for === "summary";
    if (isForNotes && notesMissing(tape) === UNPAID_NOTES && isShared(disk, at))
      return { at, asked: 0, free: 0, held: 0 };
    if (first?.type !== "step_start" || !first.hold || !isShared(disk, at)) return undefined;
    const asked = first.hold.amount;
    const recorded = tape.ahead(place);
    if (recorded?.type === "step_start" && recorded.hold && recorded.hold.amount < asked)
      return { at, asked, free: recorded.hold.amount, held: 0 };
    const question =
      recorded?.type === "thread_suspended" && recorded.reason === "budget" ? recorded : undefined;
    const [, needed, who = at, free] =
      /^Its next request needs \$([\d.]+), and (.*) has \$([\d.]+) free/s.exec(question?.message ?? "") ?? [];
    if (needed === undefined || free === undefined) return undefined;
    const held = /Others hold \$([\d.]+) there/.exec(question?.message ?? "")?.[1] ?? "0";
    const [need = asked, left = 0, others = 0] = [needed, free, held].map(parseDollars);
    return { at: who, asked: need, free: left, held: others };
  }

  /** Results wait a moment for company: an owner that died meanwhile had written those that came first. */
  async #half(life: Life, lease: Lease, events: readonly NewEvent[]): ReturnType<Store["commit"]> {
    await this.#commit(life, lease, { events });
    return stop(life);
  }

  /** Plays one event; false when this is as far as it goes. */
  #holds(now: NewEvent): boolean {
    const { tape, isLenient } = this.#needs;
    const { next } = tape;
    if (!next) return true;
    const found = differences(fieldsOf(next), now);
    if (next.type !== now.type || (found.length > 0 && !isLenient)) {
      this.part(now, next.type === now.type ? found : []);
      return false;
    }
    if (found.length > 0) this.divergences.push({ seq: next.seq, recorded: next, now, differences: found });
    tape.play(1);
    return true;
  }

  #adopt(planned: readonly NewEvent[]): NewEvent[] {
    const { tape, isLenient } = this.#needs;
    let follows = true;
    return planned.map((event, at) => {
      const recorded = tape.ahead(at);
      follows &&= recorded?.type === event.type;
      if (!recorded || !follows) return event;
      const then = fieldsOf(recorded);
      follows = isLenient || differences(then, event).length === 0;
      return follows ? then : event;
    });
  }

  /** R1. Where the journal goes another way than planned, something came in between. */
  #beforehand(life: Life, planned: readonly NewEvent[], tail: number): void {
    const { tape } = this.#needs;
    const parts = partsAt(planned, tape);
    const place = parts < 0 ? planned.length : parts;
    const asked = this.asked(place);
    if (asked) {
      // Open a moment earlier, it would have kept the tail from landing.
      const cameLater = parts < 0 && tail > 0 && isBlocking(asked.request);
      if (!cameLater) this.supply(place);
      return;
    }
    const isFirst = life.reason === "request" && life.commits === 0 && !life.isAlone;
    if (parts < 0 && isFirst && isApart(tape, planned.length)) throw new Alone();
    if (parts < 0) return;
    // Of a batch whose head lands without its tail: what kept the tail from landing is taken a little later.
    const blocking =
      parts >= planned.length - tail ? this.comingAsk(place, isBlocking, ["tool_call_start"]) : undefined;
    if (blocking !== undefined) {
      this.supply(blocking);
      return;
    }
    if (isStorage(tape)) throw new StorageFailure("EIO", storageWords(tape));
    if (isFirst) throw new Alone();
  }

  /** What was answered, or is for somebody who does not run here, is looked at with every commit. */
  #forget({ chainRootId: own }: Lease): void {
    const { requests } = this.#needs.disk;
    for (const [id, { chainRootId, consumed }] of requests)
      if (consumed || chainRootId !== own) requests.delete(id);
  }

  asked(place: number): Asking | undefined {
    const { tape } = this.#needs;
    return isFactOfCall(tape, place) ? undefined : askedAt(tape, place);
  }

  /** Where something of a kind was asked, from a place on and before the next turn; or what comes first otherwise. */
  comingAsk(
    from: number,
    fits: (request: Request) => boolean,
    unless: readonly string[] = ["crash_detected"],
  ): number | undefined {
    const { tape } = this.#needs;
    for (let place = from; ; place += 1) {
      const asked = this.asked(place);
      if (asked && fits(asked.request)) return place;
      const { type } = tape.ahead(place) ?? {};
      if (type === undefined) return undefined;
      if (type === "step_start" || unless.includes(type)) return undefined;
    }
  }

  /** Stores what was asked there, with what came together with it. */
  supply(place: number): Request | undefined {
    const wanted = this.asked(place);
    const from = wanted?.request.kind === "stop" ? this.#beginning(place) : place;
    for (let at = from, asked = this.asked(from); asked; asked = this.asked(at)) {
      const together = this.#needs.tape.ahead(at)?.ts === this.#needs.tape.ahead(from)?.ts;
      // A cancel is answered before everything else, but for what was said to one that lasts: the rest was taken by then.
      const isApart = asked.request.kind === "cancel" && !this.#needs.tape.thread.lasting;
      if (at > from && (isApart || !together)) break;
      this.#post(asked.request, at);
      if (!TOGETHER.includes(asked.request.kind)) break;
      at += asked.events;
    }
    return wanted?.request;
  }

  /** A stop is taken in its turn: what was asked just before it was there before it. */
  #beginning(place: number): number {
    const { tape } = this.#needs;
    const isBefore = (at: number) =>
      this.asked(at)?.events === 1 && tape.ahead(at)?.ts === tape.ahead(place)?.ts;
    let from = place;
    while (from > 0 && isBefore(from - 1)) from -= 1;
    return from;
  }

  #post(request: Request, place: number): void {
    const { disk, tape } = this.#needs;
    if (disk.requests.has(request.request_id)) return;
    const event = tape.ahead(place);
    if (event && !bookOutcome(disk, event)) this.#unbooked.push(event);
    disk.requests.set(request.request_id, {
      chainRootId: tape.thread.chainRootId,
      request,
      consumed: false,
    });
  }
}

/** The first that is of another type than what the journal has; -1 when there is none. */
function partsAt(planned: readonly NewEvent[], tape: Tape): number {
  return planned.findIndex((event, at) => {
    const recorded = tape.ahead(at);
    return recorded !== undefined && recorded.type !== event.type;
  });
}

/** It draws on its parent's account, or a child draws on its own. */
function isShared({ accounts }: MemoryDisk, id: string): boolean {
  const own = accounts.get(id);
  if (own?.cap === null && own.parent !== null) return true;
  return [...accounts.values()].some(({ parent, cap }) => parent === id && cap === null);
}

/** Commits of nothing, one after the other: none of these gives the loop a turn, so nobody else could end them. */
const MOST_IDLE = 100;

const TOGETHER: readonly string[] = ["message", "stop", "outcome", "revoke", "budget", "settle", "start"];

function isBlocking({ kind }: Request): boolean {
  return kind === "cancel" || kind === "stop" || kind === "revoke";
}

/** The tape is at its end, or goes another way: nothing of this world acts any more. */
function stop<T>(life: Life): Promise<T> {
  life.isDead = true;
  return forever();
}

/** One commit has one time: these were written one after the other. */
function isApart(tape: Tape, count: number): boolean {
  const last = tape.ahead(count - 1) ?? tape.ahead(tape.length - tape.at - 1);
  return last !== undefined && last.ts !== tape.next?.ts;
}

function isFactOfCall(tape: Tape, place: number): boolean {
  if (tape.ahead(place)?.type !== "child_thread_resumed") return false;
  const next = tape.ahead(place + 1);
  return next?.type === "tool_call_result" && next.tool === "resume_thread";
}

/** The disk took no writes: what was to be written is lost. */
export function isStorage(tape: Tape): boolean {
  const [first, second] = tape.span(0, 2);
  const found = first?.type === "auto_retry_end" ? second : first;
  return found?.type === "thread_suspended" && found.reason === "storage";
}

function storageWords(tape: Tape): string {
  const found = tape.coming("thread_suspended");
  return found?.message.replace(/^The store could not be written: /, "") ?? "";
}
