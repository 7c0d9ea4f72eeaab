/** The actors of all chats: made when something happens, let go when nothing does, and never waiting for one another. */
import { isText } from "../../core/chat-attachment.ts";
import type { Note } from "../../core/chat-events.ts";
import type { ChatFiles } from "../../core/chat-files.ts";
import type { ChatLog } from "../../core/chat-log.ts";
import { addressOf, type ChatPlace, type ChatPlatform } from "../../core/chat-platform.ts";
import type { ChatOutgoing } from "../../core/chat-state.ts";
import type { Event, LiveEvent } from "../../core/event.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { type ActorNeeds, ChatActor } from "./actor.ts";
import { Delivering } from "./delivering.ts";
import { Logging } from "./logging.ts";
import type { ChatRules } from "./rules.ts";

export interface ActorsNeeds {
  readonly world: World;
  readonly platforms: readonly ChatPlatform[];
  readonly rules: ChatRules;
  readonly log?: ChatLog | undefined;
  readonly files?: Pick<ChatFiles, "outgoing"> | undefined;
  readonly trouble: (message: string) => void;
}

interface Seat {
  readonly actor: ChatActor;
  usedAt: number;
}

/** Of a message that a crash left behind, nobody is told after this. */
const LEFT_OVER_MS = 24 * 3_600_000;
const SWEEP_MS = 60_000;

export class Actors {
  readonly #needs: ActorsNeeds;
  readonly #startedAt: number;
  readonly #delivering: ReadonlyMap<string, Delivering>;
  readonly #seats = new Map<string, Promise<Seat>>();
  /** Which chat a thread belongs to; null: none. */
  readonly #chats = new Map<string, string | null>();
  readonly #stopping = new AbortController();
  #line: Promise<unknown> = Promise.resolve();

  constructor(needs: ActorsNeeds) {
    const { platforms, world } = needs;
    this.#needs = needs;
    this.#startedAt = world.clock.now();
    this.#delivering = new Map(platforms.map((each) => [each.name, new Delivering(each, world.clock)]));
  }

  /** Takes up what was going on when the last process ended. */
  async begin(): Promise<void> {
    const { store, clock } = this.#needs.world;
    const since = new Date(clock.now() - LEFT_OVER_MS).toISOString();
    for (const { address } of await store.find({ since, onlyHeads: true })) {
      const place = address === null ? undefined : placeOf(address);
      if (place && this.speaksIn(place)) await this.of(place);
    }
    this.#sweep().catch((error) => this.#needs.trouble(String(error)));
  }

  async of(place: ChatPlace): Promise<ChatActor> {
    const key = addressOf(place);
    const seat = this.#seats.get(key) ?? this.#seat(place, key);
    this.#seats.set(key, seat);
    // What could not be read now may be read the next time.
    const found = await seat.catch((error) => {
      this.#seats.delete(key);
      throw error;
    });
    found.usedAt = this.#needs.world.clock.monotonic();
    return found.actor;
  }

  /** In order: what belongs to one thread is heard as it happened. */
  hear(event: Event): void {
    this.#line = this.#line
      .then(() => this.#route(event))
      .catch((error) => this.#needs.trouble(error instanceof Error ? error.message : String(error)));
  }

  see(event: LiveEvent): void {
    const key = this.#chats.get(event.thread_id);
    const seat = key ? this.#seats.get(key) : undefined;
    seat?.then(({ actor }) => actor.see(event)).catch(() => {}); // whoever asked for the seat is told why
  }

  /** Whether nobody waits for an answer that comes by itself. */
  async rests(): Promise<boolean> {
    await this.#line;
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
    await this.#line;
  }

  async stop(): Promise<void> {
    this.#stopping.abort("stopped");
    const seats = await Promise.all(this.#seats.values());
    for (const delivering of this.#delivering.values()) await delivering.stop();
    await Promise.all(seats.map(({ actor }) => actor.stop()));
  }

  async #route(event: Event): Promise<void> {
    const key = await this.#chatOf(event);
    const place = key === null ? undefined : placeOf(key);
    if (!place || !this.speaksIn(place)) return;
    const actor = await this.of(place);
    await actor.hear(event);
  }

  speaksIn(place: ChatPlace): boolean {
    const platform = this.#needs.platforms.find(({ name }) => name === place.platform);
    return platform !== undefined && platform.speaksIn?.(place) !== false;
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
      ...{ clock: world.clock, place, delivering, trouble },
      view: {
        ...{ platform: place.platform, manners: platform.manners, startedAt: this.#startedAt },
        ...{ hideCosts: rules.hidesCosts(place), showsProgress: rules.showsProgress(place) },
        nameOf: (threadId) => threadId.replace(/-\d+-[a-z0-9]+$/, ""),
      },
      note: (note) => this.#note(key, note),
      redact: (text) => world.redact?.(text) ?? text,
      missed: (threadId, after) => this.#missed(threadId, after),
      log,
      outgoing: (file) => this.#outgoing(file),
    } satisfies ActorNeeds);
    actor.begin(events, notes);
    return { actor, usedAt: world.clock.monotonic() };
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
  async #outgoing({ threadId, callId, type }: ChatOutgoing): Promise<Uint8Array | undefined> {
    const { files, world } = this.#needs;
    const bytes = await files?.outgoing(threadId, callId);
    if (!bytes || !world.redact || !isText(type)) return bytes;
    return new TextEncoder().encode(world.redact(new TextDecoder().decode(bytes)));
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
    const asking = new Set((await store.approvals({ states: ["open"] })).map(({ thread_id }) => thread_id));
    const rows = await store.find({ rootId: root_id });
    const others = rows.filter((row) => row.chain_root_id !== chain_root_id && asking.has(row.thread_id));
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
      for (const [key, seat] of this.#seats) {
        const { actor, usedAt } = await seat;
        if (!actor.isIdle || clock.monotonic() - usedAt < this.#needs.rules.idleMs) continue;
        this.#seats.delete(key);
        await actor.stop();
      }
    }
  }
}

function noteOf({ for: about, what, state, message_id }: Request & { kind: "delivery" }): Note {
  return { for: about, what, state, ...(message_id === undefined ? {} : { message_id }) };
}

function placeOf(address: string): ChatPlace | undefined {
  const at = address.indexOf(":");
  return at < 0 ? undefined : { platform: address.slice(0, at), chat: address.slice(at + 1) };
}
