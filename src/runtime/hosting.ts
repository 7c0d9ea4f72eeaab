/** The rounds of a host: look, take up, rest; until it may go. */
import type { Candidate, ClaimReason } from "../core/claim.ts";
import { StorageFailure } from "../core/failure.ts";
import type { World } from "../core/world.ts";
import { activate } from "./activation.ts";
import { type Active, Fenced, HostStops, interrupt } from "./active.ts";
import { stopEarly } from "./end-processes.ts";
import type { HostOptions } from "./host.ts";
import { namesOf, postInbox } from "./inbox.ts";
import { Scope, walkKey } from "./scope.ts";

/** Whoever asks without ringing is seen within a second (§12), on a machine that does other things too. */
const LOOK_EVERY_MS = 500;
const BEAT_EVERY_MS = 10_000;
const STORAGE_PAUSE_MS = 500;
/** Claims of one slice share a flush, and the loop breathes between two slices. */
const STARTS_PER_SLICE = 16;
/** Folders watched for cancel files; those of the others are found when anything else changes, or with a beat. */
const WATCHED_FOLDERS = 1_000;

export class Hosting {
  readonly #world: World;
  readonly #options: HostOptions;
  readonly #scope: Scope;
  readonly #actives = new Map<string, { active?: Active }>();
  readonly #watches = new Map<string, () => void>();
  #rouse = new AbortController();
  #looked = false;
  #failure: { readonly error: unknown } | undefined;
  #nextBeat = Number.NEGATIVE_INFINITY;
  #version = 0;
  #surveys = 0;

  constructor(world: World, options: HostOptions) {
    this.#world = world;
    this.#options = options;
    this.#scope = new Scope(world, options);
  }

  look(): void {
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
          if (!(error instanceof StorageFailure) || error === this.#failure?.error) throw error;
          // The walks wait for the disk with what they have in hand: as long as one does, so do we.
          failedSince ??= clock.monotonic();
          const isOver = clock.monotonic() - failedSince > this.#options.patienceMs;
          if (isOver && this.#actives.size === 0) throw error;
          await clock.sleep(STORAGE_PAUSE_MS);
        }
      }
    } finally {
      for (const unwatch of this.#watches.values()) unwatch();
    }
  }

  /** One look at the scope and what follows from it; true when this host may go. */
  async #round(hostId: string): Promise<boolean> {
    this.#looked = false;
    await this.#beat(hostId);
    const candidates = await this.#survey();
    const started = await this.#takeUp(candidates);
    if (this.#isStopping() && this.#actives.size === 0) {
      await this.#leaveAnyway(hostId);
      return true;
    }
    if (started > 0 && this.#looked) return false;
    const mayGo = this.#actives.size === 0 && started === 0 && !this.#options.stays;
    if (mayGo && (await this.#leave(hostId))) return true;
    await this.#rest(candidates);
    return false;
  }

  async #survey(): Promise<readonly Candidate[]> {
    const { store } = this.#world;
    this.#surveys += 1;
    this.#version = store.version();
    let candidates = await store.candidates(this.#options.scope);
    this.#watch(candidates);
    this.#scope.keep(candidates);
    // What we posted ourselves does not show in `version`: it is looked at now.
    if (await postInbox(this.#world, candidates)) candidates = await store.candidates(this.#options.scope);
    for (const candidate of candidates) this.#interrupt(candidate);
    return candidates;
  }

  /** Cancel files of parked threads are seen as soon as those of running ones. */
  #watch(candidates: readonly Candidate[]): void {
    const ids = new Set(candidates.slice(0, WATCHED_FOLDERS).flatMap(({ row }) => namesOf(row)));
    for (const [threadId, unwatch] of this.#watches) {
      if (ids.has(threadId)) continue;
      unwatch();
      this.#watches.delete(threadId);
    }
    for (const threadId of ids) {
      if (this.#watches.has(threadId)) continue;
      this.#watches.set(
        threadId,
        this.#world.inbox.watch(threadId, () => this.look()),
      );
    }
  }

  /** An end asked for in the present run, or the loss of the thread, reaches everything it is doing at once. */
  #interrupt({ row, requests }: Candidate): void {
    const active = this.#actives.get(row.thread_id)?.active;
    if (!active) return;
    if (row.epoch !== active.lease.epoch) return interrupt(active, new Fenced(row.thread_id));
    const endings = requests.filter(
      (request) =>
        (request.kind === "cancel" && request.nonce === active.thread.nonce) || request.kind === "mark_error",
    );
    const isPatient = endings.every((request) => request.kind === "cancel" && request.after_tool);
    if (!endings[0]) return;
    interrupt(active, endings[0], isPatient ? "all but tools" : "all");
    if (!isPatient) stopEarly(active);
  }

  async #takeUp(candidates: readonly Candidate[]): Promise<number> {
    let started = 0;
    const ready = candidates.flatMap((candidate) => {
      const reason = this.#actives.has(candidate.row.thread_id) ? undefined : this.#scope.reason(candidate);
      return reason ? [{ candidate, reason }] : [];
    });
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
    const over = () => {
      machine.walking.delete(key);
      this.#actives.delete(threadId);
      this.look();
    };
    try {
      const answer = await store.claim({ threadId, owner: machine.owner, seenEpoch });
      if ("refused" in answer) {
        over();
        return false;
      }
      this.#scope.noteClaim(threadId);
      this.#walk(answer, reason, entry).finally(over);
      return true;
    } catch (error) {
      over();
      throw error;
    }
  }

  async #walk(
    claimed: Parameters<typeof activate>[1],
    reason: ClaimReason,
    entry: { active?: Active },
  ): Promise<void> {
    const surveys = this.#surveys;
    const onActive = (active: Active) => {
      entry.active = active;
      // Whoever looked while it was being loaded found nobody to interrupt.
      if (this.#surveys !== surveys) this.look();
      if (this.#isStopping()) interrupt(active, new HostStops());
    };
    const { patienceMs } = this.#options;
    try {
      const look = () => this.look();
      await activate(this.#world, claimed, { timerFired: reason === "timer", patienceMs, onActive, look });
    } catch (error) {
      this.#failure ??= { error };
      this.stop();
    }
  }

  /** Told to stop, or an activation failed in a way that is not its thread's: nothing new is taken up. */
  #isStopping(): boolean {
    return this.#options.signal?.aborted === true || this.#failure !== undefined;
  }

  async #rest(candidates: readonly Candidate[]): Promise<void> {
    const { clock, store } = this.#world;
    this.#rouse = new AbortController();
    while (!this.#looked) {
      const waiting = candidates.filter(({ row }) => !this.#actives.has(row.thread_id));
      const due = Math.max(0, Math.min(LOOK_EVERY_MS, ...waiting.map((each) => this.#scope.msUntil(each))));
      await clock.sleep(due, this.#rouse.signal);
      if (due < LOOK_EVERY_MS || store.version() !== this.#version) return;
      if (clock.monotonic() >= this.#nextBeat) return;
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
    this.#scope.noteBeats(await store.hosts());
  }
}
