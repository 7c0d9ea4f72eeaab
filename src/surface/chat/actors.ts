/**
 * The actors of all chats: made when something happens, let go when nothing does.
 *   M1. None waits for another: what one chat hears, reads or cannot read is in a line of its own.
 *   M2. In a line things are heard as they happened. What could not be read is read again, and nothing of it is passed over.
 */
import { textIn } from "../../core/chat-attachment.ts";
import type { Note } from "../../core/chat-events.ts";
import type { ChatFiles } from "../../core/chat-files.ts";
import type { ChatLog } from "../../core/chat-log.ts";
import { addressOf, type ChatPlace, type ChatPlatform, placeOf } from "../../core/chat-platform.ts";
import type { ChatOutgoing } from "../../core/chat-state.ts";
import type { Event, LiveEvent } from "../../core/event.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { type ActorNeeds, ChatActor } from "./actor.ts";
import { Delivering } from "./delivering.ts";
import { Lines } from "./lines.ts";
import { Logging } from "./logging.ts";
import type { ChatRules } from "./rules.ts";

export interface ActorsNeeds {
  readonly world: World;
  readonly platforms: readonly ChatPlatform[];
  readonly rules: ChatRules;
  readonly log?: ChatLog | undefined;
  readonly files?: Pick<ChatFiles, "outgoing"> | undefined;
  readonly trouble: (message: string) => void;
  /** Resolves when that platform listens. */
  readonly up: (platform: string) => Promise<void>;
}

interface Seat {
  readonly actor: ChatActor;
  usedAt: number;
}

/** How many chats are read at once when we begin. */
const READERS = 16;
/** So many events of a chat in a row, and others have a turn. */
const BREATHES = 64;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Of a message that a crash left behind, nobody is told after this. */
const LEFT_OVER_MS = 24 * 3_600_000;
const SWEEP_MS = 60_000;

export class Actors {
  readonly #needs: ActorsNeeds;
  readonly #startedAt: number;
  readonly #delivering: ReadonlyMap<string, Delivering>;
  readonly #seats = new Map<string, Promise<Seat>>();
  /** Those that are read. */
  readonly #ready = new Map<string, Seat>();
  /** Which chat a thread belongs to; null: none. */
  readonly #chats = new Map<string, string | null>();
  readonly #stopping = new AbortController();
  /** By chat; by thread, while nobody knows which chat it belongs to. */
  readonly #lines = new Lines(BREATHES);
  #takingUp: Promise<unknown> = Promise.resolve();

  constructor(needs: ActorsNeeds) {
    const { platforms, world } = needs;
    this.#needs = needs;
    this.#startedAt = world.clock.now();
    this.#delivering = new Map(platforms.map((each) => [each.name, new Delivering(each, world.clock)]));
  }

  /** Takes up what was going on when the last process ended; whoever writes meanwhile does not wait for that. */
  async begin(): Promise<void> {
    const left = (await this.left()).flatMap(({ address }) =>
      address === null ? [] : (placeOf(address) ?? []),
    );
    const next = left.filter((place) => this.speaksIn(place)).values();
    const read = async () => {
      for (const place of next)
        await this.#lines.run(addressOf(place), () => this.#patiently(() => this.of(place)));
    };
    this.#takingUp = Promise.all(Array.from({ length: READERS }, read));
    this.#sweep().catch((error) => this.#tell(error));
  }

  /** Threads in which something happened lately. */
  async left(): Promise<readonly ThreadRow[]> {
    const { store, clock } = this.#needs.world;
    const since = new Date(clock.now() - LEFT_OVER_MS).toISOString();
    return store.find({ since, onlyHeads: true });
  }

  async of(place: ChatPlace): Promise<ChatActor> {
    const key = addressOf(place);
    const seat = this.#seats.get(key) ?? this.#seat(place, key);
    this.#seats.set(key, seat);
    // What could not be read now may be read the next time.
    const found = await seat.catch((error) => {
      if (this.#seats.get(key) === seat) this.#seats.delete(key);
      throw error;
    });
    found.usedAt = this.#needs.world.clock.monotonic();
    return found.actor;
  }

  speaksIn(place: ChatPlace): boolean {
    const platform = this.#needs.platforms.find(({ name }) => name === place.platform);
    return platform !== undefined && platform.speaksIn?.(place) !== false;
  }

  hear(event: Event): void {
    const { thread_id: id } = event;
    if (event.type === "thread_created" && event.address !== undefined) this.#chats.set(id, event.address);
    const key = this.#lines.has(id) ? undefined : this.#chats.get(id);
    if (key !== undefined) return this.#hand(key, event);
    const found = this.#lines.run(id, () =>
      this.#patiently(async () => this.#hand(await this.#chatOf(event), event)),
    );
    found.catch((error) => this.#tell(error));
  }

  see(event: LiveEvent): void {
    const key = this.#chats.get(event.thread_id);
    const seat = key ? this.#seats.get(key) : undefined;
    seat?.then(({ actor }) => actor.see(event)).catch(() => {}); // whoever asked for the seat is told why
  }

  /** Whether nobody waits for an answer that comes by itself. */
  async rests(): Promise<boolean> {
    await this.settled();
    const { store } = this.#needs.world;
    for (const [key, seat] of this.#seats) {
      const [head] = await store.find({ address: key, onlyHeads: true, limit: 1 });
      const isAtWork =
        head?.status === "created" || (head?.status === "running" && head.waits_for?.kind !== "message");
      if (isAtWork || (head && (await store.openRequests(head.chain_root_id)).length > 0)) return false;
      const { actor } = await seat;
      if (!actor.hasHeard(head) || !actor.rests) return false;
    }
    return true;
  }

  /** Until everything that was heard so far is with its actor. */
  async settled(): Promise<void> {
    await this.#takingUp;
    await this.#lines.settled();
  }

  /** One that is still being read finds out by itself. */
  async stop(): Promise<void> {
    this.#stopping.abort("stopped");
    await Promise.all([...this.#delivering.values()].map((delivering) => delivering.stop()));
    await Promise.all([...this.#ready.values()].map(({ actor }) => actor.stop()));
  }

  #hand(key: string | null, event: Event): void {
    const place = key === null ? undefined : placeOf(key);
    if (key === null || !place || !this.speaksIn(place)) return;
    const heard = this.#lines.run(key, () => this.#patiently(async () => (await this.of(place)).hear(event)));
    heard.catch((error) => this.#tell(error));
  }

  /** M2: until it was done, or we stop. */
  async #patiently(act: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping;
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        await act();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#tell(error);
      }
      await this.#needs.world.clock.sleep(wait, signal);
    }
  }

  #tell(error: unknown): void {
    this.#needs.trouble(error instanceof Error ? error.message : String(error));
  }

  async #chatOf(event: Event): Promise<string | null> {
    const { thread_id: id } = event;
    const known = this.#chats.get(id);
    if (known !== undefined) return known;
    const created = event.type === "thread_created" ? event : undefined;
    const [row] = created ? [] : await this.#needs.world.store.find({ threadId: id, limit: 1 });
    const rootId = created?.root_id ?? row?.root_id ?? id;
    const own = created?.address ?? row?.address ?? null;
    const [root] =
      own === null && rootId !== id ? await this.#needs.world.store.find({ threadId: rootId, limit: 1 }) : [];
    const key = own ?? root?.address ?? null;
    this.#chats.set(id, key);
    return key;
  }

  async #seat(place: ChatPlace, key: string): Promise<Seat> {
    const { world, rules, platforms, trouble } = this.#needs;
    const platform = platforms.find(({ name }) => name === place.platform);
    const delivering = this.#delivering.get(place.platform);
    if (!platform || !delivering) throw new Error(`no platform ${place.platform} is open`);
    const { events, notes, head } = await this.#stored(key);
    const log = await this.#logging(head);
    const actor = new ChatActor({
      ...{ clock: world.clock, place, delivering, trouble, up: this.#needs.up(place.platform) },
      view: {
        ...{ platform: place.platform, manners: platform.manners, startedAt: this.#startedAt },
        ...{ hideCosts: rules.hidesCosts(place), showsProgress: rules.showsProgress(place) },
        lateMs: rules.lateMs,
        nameOf: (threadId) => threadId.replace(/-\d+-[a-z0-9]+$/, ""),
      },
      note: (note) => this.#note(key, note),
      redact: (text) => world.redact?.(text) ?? text,
      missed: (threadId, after) => this.#missed(threadId, after),
      log,
      outgoing: (file) => this.#outgoing(file),
    } satisfies ActorNeeds);
    const seat = { actor, usedAt: world.clock.monotonic() };
    if (this.#stopping.signal.aborted) throw new Error(`${key}: it was read too late, we have stopped`);
    this.#ready.set(key, seat);
    actor.begin(events, notes);
    return seat;
  }

  async #logging(head: ThreadRow | undefined): Promise<Logging | undefined> {
    const { log, trouble, world } = this.#needs;
    if (!log) return undefined;
    const logging = new Logging(log, trouble);
    const known = head
      ? [head.thread_id, ...(head.continuation_of === null ? [] : [head.continuation_of])]
      : [];
    if (head) await logging.catchUp(world.store, head.chain_root_id, known);
    return logging;
  }

  /** A text goes out without the secrets that this machine knows. */
  async #outgoing({ threadId, callId }: ChatOutgoing): Promise<Uint8Array | undefined> {
    const { files, world } = this.#needs;
    const bytes = await files?.outgoing(threadId, callId);
    const text = bytes && textIn(bytes);
    return text === undefined || !world.redact ? bytes : new TextEncoder().encode(world.redact(text));
  }

  async #missed(threadId: string, after: number): Promise<readonly Event[]> {
    const { events } = await this.#needs.world.store.load(threadId);
    return events.filter(({ seq }) => seq > after);
  }

  /** Of the thread that listens and the one before it, and the questions of those below. */
  async #stored(key: string) {
    const { store } = this.#needs.world;
    const [head] = await store.find({ address: key, onlyHeads: true, limit: 1 });
    if (!head) return { events: [], notes: [], head };
    const before = head.continuation_of === null ? [] : await this.#missed(head.continuation_of, 0);
    const events = [...before, ...(await this.#missed(head.thread_id, 0)), ...(await this.#below(head))];
    const open = await store.openRequests(head.chain_root_id);
    const notes = open.flatMap((request) =>
      request.kind === "delivery" ? [{ id: request.request_id, note: noteOf(request) }] : [],
    );
    return { events, notes, head };
  }

  async #below({ root_id, chain_root_id }: ThreadRow): Promise<readonly Event[]> {
    const { store } = this.#needs.world;
    const rows = (await store.find({ rootId: root_id })).filter((row) => row.chain_root_id !== chain_root_id);
    // Of a thousand chats that begin hardly any has others below it: the questions of all are not read for each.
    if (rows.length === 0) return [];
    const asking = new Set((await store.approvals({ states: ["open"] })).map(({ thread_id }) => thread_id));
    const others = rows.filter(({ thread_id }) => asking.has(thread_id));
    const journals = await Promise.all(others.map(({ thread_id }) => this.#missed(thread_id, 0)));
    return journals.flat().filter(({ type }) => type === "approval_requested");
  }

  async #note(key: string, note: Note): Promise<string | undefined> {
    const { world } = this.#needs;
    const [head] = await world.store.find({ address: key, onlyHeads: true, limit: 1 });
    if (!head) return undefined;
    const request_id = newRequestId(world);
    const request: Request = { kind: "delivery", request_id, thread_id: head.thread_id, by: "chat", ...note };
    const posted = await postRequest(world, request);
    return posted.accepted ? request_id : undefined;
  }

  /** Who has nothing to do is let go, and comes back from the journal. */
  async #sweep(): Promise<void> {
    const { clock } = this.#needs.world;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.sleep(SWEEP_MS, signal);
      for (const [key, { actor, usedAt }] of this.#ready) {
        if (!actor.isIdle || clock.monotonic() - usedAt < this.#needs.rules.idleMs) continue;
        this.#seats.delete(key);
        this.#ready.delete(key);
        actor.stop().catch((error) => this.#tell(error));
      }
    }
  }
}

function noteOf({ for: about, what, state, message_id }: Request & { kind: "delivery" }): Note {
  return { for: about, what, state, ...(message_id === undefined ? {} : { message_id }) };
}
