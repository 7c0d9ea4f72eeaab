/** The rounds of a host: look, take up, rest; until it may go. */
import type { Candidate, ClaimReason, HandOver } from "../core/claim.ts";
import { StorageFailure } from "../core/failure.ts";
import { Problem } from "../core/problem.ts";
import type { ThreadRow } from "../core/row.ts";
import { isTerminal } from "../core/status.ts";
import { stopHits } from "../core/stop.ts";
import type { Thread } from "../core/thread.ts";
import { onlyWrites } from "../core/woken.ts";
import type { World } from "../core/world.ts";
import { activate } from "./activation.ts";
import { type Active, Fenced, HostStops } from "./active.ts";
import { stopEarly } from "./end-processes.ts";
import { FailedWalks } from "./failed-walks.ts";
import { Folders } from "./folders.ts";
import type { HostOptions } from "./host.ts";
import { postFiles } from "./inbox.ts";
import { interrupt } from "./interrupting.ts";
import { Scope, walkKey } from "./scope.ts";
import { WarmThreads } from "./warm-threads.ts";

/** Whoever asks without ringing is seen within a second (§12), on a machine that does other things too. */
const LOOK_EVERY_MS = 500;
const BEAT_EVERY_MS = 10_000;
const STORAGE_PAUSE_MS = 500;
/** What runs has this long to end when its store is gone: a tool that hears nothing keeps nobody from leaving. */
const GONE_MS = 10_000;
/** Claims of one slice share a flush, and the loop breathes between two slices. */
const STARTS_PER_SLICE = 16;
/** Dates beyond this are not looked at yet: there may be thousands, and the next beat comes before. */
const AHEAD_MS = 60_000;

interface Ready {
  readonly candidate: Candidate;
  readonly reason: ClaimReason;
}

export class Hosting {
  readonly #world: World;
  readonly #options: HostOptions;
  readonly #scope: Scope;
  readonly #actives = new Map<string, { active?: Active }>();
  readonly #folders: Folders;
  readonly #failed = new FailedWalks();
  readonly #warm = new WarmThreads();
  #rouse = new AbortController();
  #looked = false;
  #isResting = false;
  /** Up to when dates were looked at, by the wall clock. */
  #seenUntil = 0;
  #failure: { readonly error: unknown } | undefined;
  #nextBeat = Number.NEGATIVE_INFINITY;
  #version = 0;
  #surveys = 0;
  #hasRested = () => {};
  /** Everything there was to take up is under way for a while, or something new has come since. */
  readonly rested = new Promise<void>((resolve) => {
    this.#hasRested = resolve;
  });

  constructor(world: World, options: HostOptions) {
    this.#world = world;
    this.#options = options;
    this.#scope = new Scope(world, options);
    const [onArrival, onPosted] = [() => this.look(), () => this.#lookAtOurs()];
    this.#folders = new Folders({ world, scope: options.scope, onArrival, onPosted });
  }

  look(): void {
    this.#folders.note("something");
    this.#lookAtOurs();
  }

  /** Something was stored; perhaps a file was put somewhere too. */
  ring(): void {
    this.#folders.note("a ring");
    this.#lookAtOurs();
  }

  /** Something that threads of our own did has to be looked at: nobody has put a file anywhere for that. */
  #lookAtOurs(): void {
    this.#looked = true;
    this.#rouse.abort();
  }

  /** Everything that runs here is told to stop. */
  stop(): void {
    for (const { active } of this.#actives.values()) if (active) interrupt(active, new HostStops());
    this.look();
  }

  async run(hostId: string): Promise<void> {
    const { clock } = this.#world;
    let failedSince: number | undefined;
    try {
      for (;;) {
        try {
          if (await this.#round(hostId)) return;
          failedSince = undefined;
        } catch (error) {
          if (!(error instanceof StorageFailure) || error === this.#failure?.error)
            throw await this.#stopFor(error);
          // The walks wait for the disk with what they have in hand: as long as one does, so do we.
          failedSince ??= clock.monotonic();
          this.#folders.note("beat");
          const isOver = clock.monotonic() - failedSince > this.#options.patienceMs;
          if (isOver && this.#actives.size === 0) throw error;
          await clock.sleep(STORAGE_PAUSE_MS);
        }
      }
    } finally {
      this.#folders.close();
    }
  }

  /** Without its store nobody can go on: what they run is stopped before anybody hears why. */
  async #stopFor(error: unknown): Promise<unknown> {
    if (!isStoreGone(error)) return error;
    this.#failure ??= { error };
    this.stop();
    const { clock } = this.#world;
    const until = clock.monotonic() + GONE_MS;
    while (this.#actives.size > 0 && clock.monotonic() < until) {
      this.#rouse = new AbortController();
      await clock.sleep(LOOK_EVERY_MS, this.#rouse.signal);
    }
    return error;
  }

  /** One look at the scope and what follows from it; true when this host may go. */
  async #round(hostId: string): Promise<boolean> {
    this.#looked = false;
    this.#isResting = false;
    await this.#beat(hostId);
    const candidates = await this.#survey();
    const started = await this.#start(this.#ready(candidates));
    if (this.#isStopping() && this.#actives.size === 0) {
      await this.#leaveAnyway(hostId);
      return true;
    }
    // What was taken up may be over by now: then nobody is left who would say so.
    if (started > 0 && (this.#looked || this.#actives.size === 0)) return false;
    const mayGo = this.#actives.size === 0 && started === 0 && !this.#options.stays;
    if (mayGo && (await this.#leave(hostId))) return true;
    await this.#rest(candidates);
    return false;
  }

  async #survey(): Promise<readonly Candidate[]> {
    const { store } = this.#world;
    this.#surveys += 1;
    const version = store.version();
    if (version !== this.#version) this.#folders.note("a ring");
    this.#version = version;
    const theirs = await this.#theirs();
    let candidates = await this.#candidates(theirs);
    const folders = await this.#folders.due(candidates, theirs);
    this.#scope.keep(candidates);
    this.#failed.keep(candidates.map(({ row }) => row));
    // What we posted ourselves does not show in `version`: it is looked at now.
    if (await postFiles(this.#world, folders)) candidates = await this.#candidates(theirs);
    for (const candidate of candidates) this.#interrupt(candidate);
    return candidates;
  }

  /** A root has one live host (H1): who hosts everything leaves alone what another process of this machine hosts. */
  async #theirs(): Promise<ReadonlySet<string>> {
    const { store, machine } = this.#world;
    if (this.#options.scope !== "*") return NOBODY;
    const hosts = (await store.hosts()).filter((each) => each.scope !== "*");
    const living = hosts.filter(({ owner }) => machine.ownerState(owner) === "alive");
    return new Set(living.map((each) => each.scope));
  }

  /** Of threads that stand still nothing is read: there may be thousands. */
  async #candidates(theirs: ReadonlySet<string>): Promise<readonly Candidate[]> {
    const { store, clock } = this.#world;
    this.#seenUntil = clock.now() + AHEAD_MS;
    const candidates = await store.stirring(this.#options.scope, this.#seenUntil);
    return theirs.size === 0 ? candidates : candidates.filter(({ row }) => !theirs.has(row.root_id));
  }

  /** An end asked for in the present run, or the loss of the thread, reaches everything it is doing at once. */
  #interrupt({ row, requests }: Candidate): void {
    const active = this.#actives.get(row.thread_id)?.active;
    if (!active) return;
    const { epoch } = active.lease;
    // Who was handed over meanwhile is newer than this look: there will be another.
    if (row.epoch < epoch) return;
    if (row.epoch > epoch) return interrupt(active, new Fenced(row.thread_id));
    const endings = requests.filter(
      (request) =>
        (request.kind === "cancel" && request.nonce === active.thread.nonce) || request.kind === "mark_error",
    );
    const isPatient = endings.every((request) => request.kind === "cancel" && request.after_tool);
    if (!endings[0]) return this.#interruptWork(active, requests);
    interrupt(active, endings[0], isPatient ? "all but tools" : "all");
    if (!isPatient) stopEarly(active);
  }

  /** One message is stopped: everything that is done for it is told to stop, and what outlives a call goes on. */
  #interruptWork(active: Active, requests: Candidate["requests"]): void {
    const stop = requests.find(
      (request) =>
        request.kind === "stop" &&
        !active.taken.has(request.request_id) &&
        stopHits(active.thread, request) === "work",
    );
    if (stop) interrupt(active, stop);
  }

  /**
   * Whom a commit of ours woke is taken up before that is durable, where all that can follow is a commit of its own: the
   * two share a flush. Whoever else is looked for as ever.
   */
  readonly #handOver: HandOver = (woken) => {
    const ready = this.#ready(woken.filter((each) => this.#onlyWrites(each)));
    if (ready.length < woken.length || this.#isStopping()) return false;
    // What fails is tried again by the next round, which knows what to do about it.
    this.#start(ready).catch(() => this.#lookAtOurs());
    return true;
  };

  #onlyWrites(woken: Candidate): boolean {
    const known = this.#warm.find(woken.row);
    return known !== undefined && onlyWrites(woken, known) && !this.#world.exports.isBehind(known.id);
  }

  #ready(candidates: readonly Candidate[]): readonly Ready[] {
    return candidates.flatMap((candidate) => {
      const { thread_id } = candidate.row;
      const isLeft = this.#actives.has(thread_id) || this.#pauseMs(thread_id) !== undefined;
      const reason = isLeft ? undefined : this.#scope.reason(candidate);
      return reason ? [{ candidate, reason }] : [];
    });
  }

  async #start(ready: readonly Ready[]): Promise<number> {
    let started = 0;
    for (let at = 0; at < ready.length && !this.#isStopping(); at += STARTS_PER_SLICE) {
      const slice = ready.slice(at, at + STARTS_PER_SLICE);
      const claimed = await Promise.all(slice.map(({ candidate, reason }) => this.#claim(candidate, reason)));
      started += claimed.filter(Boolean).length;
    }
    return started;
  }

  async #claim({ row }: Candidate, reason: ClaimReason): Promise<boolean> {
    const { store, machine } = this.#world;
    const { thread_id: threadId, epoch: seenEpoch } = row;
    // Noted before it is asked for: nobody else in this process may take the new lease for one without a walker.
    const key = walkKey(threadId, seenEpoch + 1);
    machine.walking.add(key);
    const entry: { active?: Active } = {};
    this.#actives.set(threadId, entry);
    const known = this.#known(row);
    const over = () => {
      machine.walking.delete(key);
      this.#actives.delete(threadId);
      // One that has ended leaves nothing to be taken up. The last one lets us go: who is looking sees that by itself.
      const hasEnded = entry.active !== undefined && isTerminal(entry.active.thread.status);
      if (entry.active?.parked && !hasEnded) this.#warm.keep(entry.active.thread, entry.active.lease);
      const isLast = this.#actives.size === 0 && this.#isResting;
      if (!hasEnded || isLast || this.#isStopping()) this.#lookAtOurs();
    };
    try {
      // A timer may let it ask its model at once, with what is held for that already: not before the claim is durable.
      const withCommit = known !== undefined && reason !== "timer";
      const answer = await store.claim({ threadId, owner: machine.owner, seenEpoch, withCommit });
      if ("refused" in answer) {
        over();
        return false;
      }
      this.#scope.noteClaim(threadId);
      this.#walk(answer, { reason, known }, entry).finally(over);
      return true;
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Whom we parked ourselves, and whose files are whole: of all others, and of those nobody looks after, everything is read. */
  #known(row: ThreadRow): Thread | undefined {
    const known = row.owner === null ? this.#warm.take(row) : undefined;
    return known && !this.#world.exports.isBehind(row.thread_id) ? known : undefined;
  }

  async #walk(
    claimed: Parameters<typeof activate>[1],
    { reason, known }: { readonly reason: ClaimReason; readonly known: Thread | undefined },
    entry: { active?: Active },
  ): Promise<void> {
    const surveys = this.#surveys;
    const onActive = (active: Active) => {
      entry.active = active;
      // Whoever looked while it was being loaded found nobody to interrupt.
      if (this.#surveys !== surveys) this.#lookAtOurs();
      if (this.#isStopping()) interrupt(active, new HostStops());
    };
    const { patienceMs } = this.#options;
    const { threadId } = claimed.lease;
    const hopeless = this.#failed.verdict(threadId);
    try {
      const [look, handOver] = [() => this.#lookAtOurs(), this.#handOver];
      const timerFired = reason === "timer";
      const how = { timerFired, patienceMs, hopeless, known };
      await activate(this.#world, claimed, { ...how, onActive, look, handOver });
    } catch (error) {
      if (this.#options.stays && isItsOwn(error)) return this.#setAside(threadId, error);
      this.#failure ??= { error };
      this.stop();
    }
  }

  /** Who stays does not go because of one thread: it keeps its lease in our name, and is tried again. */
  #setAside(threadId: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#failed.note(threadId, message, this.#world.clock.monotonic());
    this.#world.notify({ type: "walk_failed", threadId, message });
  }

  #pauseMs(threadId: string): number | undefined {
    return this.#failed.msLeft(threadId, this.#world.clock.monotonic());
  }

  /** Told to stop, or an activation failed in a way that is not its thread's: nothing new is taken up. */
  #isStopping(): boolean {
    return this.#options.signal?.aborted === true || this.#failure !== undefined;
  }

  async #rest(candidates: readonly Candidate[]): Promise<void> {
    const { clock, store } = this.#world;
    this.#rouse = new AbortController();
    this.#isResting = true;
    while (!this.#looked) {
      const waiting = candidates.filter(({ row }) => !this.#actives.has(row.thread_id));
      const dues = waiting.map((each) => this.#pauseMs(each.row.thread_id) ?? this.#scope.msUntil(each));
      const due = Math.max(0, Math.min(this.#folders.msToLook ?? LOOK_EVERY_MS, LOOK_EVERY_MS, ...dues));
      await clock.sleep(due, this.#rouse.signal);
      this.#hasRested();
      if (due < LOOK_EVERY_MS || store.version() !== this.#version) return;
      if (clock.monotonic() >= this.#nextBeat || clock.now() >= this.#seenUntil) return;
    }
  }

  async #leave(hostId: string): Promise<boolean> {
    const { left } = await this.#world.store.leave(hostId, (candidates) => this.#scope.isIdle(candidates));
    return left;
  }

  async #leaveAnyway(hostId: string): Promise<void> {
    const left = this.#world.store.leave(hostId, () => true);
    if (!this.#failure) return void (await left);
    // The failure is what must be told; a row that could not be removed is seen to be dead later.
    await left.catch(() => {});
    throw this.#failure.error;
  }

  async #beat(hostId: string): Promise<void> {
    const { clock, store } = this.#world;
    const now = clock.monotonic();
    if (now < this.#nextBeat) return;
    // The row that was just enrolled is its own first beat.
    if (Number.isFinite(this.#nextBeat)) await store.beat(hostId);
    this.#nextBeat = now + BEAT_EVERY_MS;
    this.#folders.note("beat");
    this.#scope.noteBeats(await store.hosts());
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** A disk or a store that fails concerns everybody; anything else is the thread's own. */
function isItsOwn(error: unknown): boolean {
  const isCorrupt = error instanceof Problem && error.code === "E_CORRUPT";
  return !(error instanceof StorageFailure) && !isCorrupt && !isStoreGone(error);
}

function isStoreGone(error: unknown): boolean {
  return error instanceof Problem && error.code === "E_STORE_GONE";
}
