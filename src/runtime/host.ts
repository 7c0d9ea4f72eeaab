/**
 * Hosting (R2): one process takes up what is claimable in its scope and walks it.
 *   H1. A root has at most one live host; a second one is refused and told who it is.
 *   H2. A host leaves only in a transaction that finds nothing to do in its scope, so nothing is left between two.
 *   H3. Signals (bell, park, timer) are hints to look; the look at the store decides.
 */
import { type Candidate, type ClaimReason, claimReason, type OwnerState } from "../core/claim.ts";
import { StorageFailure } from "../core/failure.ts";
import { randomName } from "../core/id.ts";
import type { ThreadRow } from "../core/row.ts";
import { isTerminal } from "../core/status.ts";
import type { HostRow } from "../core/store.ts";
import type { World } from "../core/world.ts";
import { activate } from "./activation.ts";
import { type Active, Fenced, HostStops } from "./active.ts";
import { Deadlines } from "./deadlines.ts";
import { postInbox } from "./inbox.ts";

export interface HostOptions {
  readonly scope: string;
  /** Whether a thread whose owner died may be taken up without asking. */
  readonly mayRecover: (row: ThreadRow) => boolean;
  /** Whether a thread may be taken from an owner that is alive but stuck; its late commits are refused. */
  readonly mayTake?: (row: ThreadRow) => boolean;
  /** How long a walk waits for a disk that does not take writes. */
  readonly patienceMs: number;
  /** Runs when the scope is ours and before the first look: a thread made here is never seen without its host. */
  readonly prepare?: () => Promise<void>;
  /** Ends hosting: effects stop, threads stay claimable. */
  readonly signal?: AbortSignal;
}

export type HostEnd = { readonly type: "idle" } | { readonly type: "refused"; readonly by: HostRow };

const LOOK_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 10_000;
/** A foreign host whose beats stand still for this long, by our own clock, is taken for dead. */
const SILENT_MS = 60_000;
const STORAGE_PAUSE_MS = 500;
/** Request starts per round: a thousand threads must not block the loop (pacing). */
const STARTS_PER_ROUND = 16;
/** A thread that waits longer than this does not keep a host alive. */
const MAX_WAIT_MS = 600_000;

export async function host(world: World, options: HostOptions): Promise<HostEnd> {
  const bell = await world.machine.listen();
  const hosting = new Hosting(world, options);
  const hostId = randomName(world.random(16));
  const row = {
    host_id: hostId,
    owner: world.machine.owner,
    socket: bell.socket,
    scope: options.scope,
    beats: 0,
  };
  try {
    const enrolled = await world.store.enroll(row, options.mayTake ? "replace" : "join");
    if (!enrolled.enrolled) return { type: "refused", by: enrolled.by };
    bell.onRing(() => hosting.look());
    await prepared(world, options, hostId);
    await hosting.run(hostId);
    return { type: "idle" };
  } finally {
    await bell.close();
  }
}

async function prepared(world: World, options: HostOptions, hostId: string): Promise<void> {
  try {
    await options.prepare?.();
  } catch (error) {
    await world.store.leave(hostId, () => true);
    throw error;
  }
}

class Hosting {
  readonly #world: World;
  readonly #options: HostOptions;
  readonly #actives = new Map<string, { active?: Active; unwatch: () => void }>();
  readonly #deadlines: Deadlines;
  /** Beats of all hosts by owner, and what was last seen of threads owned elsewhere. */
  #beats = new Map<string, number>();
  readonly #silences = new Map<string, { sign: string; since: number }>();
  #rouse: AbortController = new AbortController();
  #looked = false;
  #failure: { readonly error: unknown } | undefined;
  #nextBeat = Number.NEGATIVE_INFINITY;
  #version = 0;

  constructor(world: World, options: HostOptions) {
    this.#world = world;
    this.#options = options;
    this.#deadlines = new Deadlines(world);
    options.signal?.addEventListener("abort", () => this.#stopAll(), { once: true });
  }

  look(): void {
    this.#looked = true;
    this.#rouse.abort();
  }

  async run(hostId: string): Promise<void> {
    const { clock } = this.#world;
    let failedSince: number | undefined;
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
    if (this.#actives.size === 0 && started === 0 && (await this.#leave(hostId))) return true;
    await this.#rest(candidates);
    return false;
  }

  async #survey(): Promise<readonly Candidate[]> {
    const { store } = this.#world;
    this.#version = store.version();
    const candidates = await store.candidates(this.#options.scope);
    await postInbox(this.#world, candidates);
    for (const candidate of candidates) this.#interrupt(candidate);
    return candidates;
  }

  /** A cancel for the present run, or the loss of the thread, reaches everything it is doing at once. */
  #interrupt({ row, requests }: Candidate): void {
    const active = this.#actives.get(row.thread_id)?.active;
    if (!active) return;
    if (row.epoch !== active.lease.epoch) return active.effects.abort(new Fenced(row.thread_id));
    const cancel = requests.find(
      (request) => request.kind === "cancel" && request.nonce === active.thread.nonce,
    );
    if (cancel) active.effects.abort(cancel);
  }

  async #takeUp(candidates: readonly Candidate[]): Promise<number> {
    let started = 0;
    const ready = candidates.flatMap((candidate) => {
      const reason = this.#reason(candidate);
      return reason ? [{ candidate, reason }] : [];
    });
    // Some at a time: the claims of one slice share a flush, and the loop breathes between two slices.
    for (let at = 0; at < ready.length && !this.#isStopping(); at += STARTS_PER_ROUND) {
      const slice = ready.slice(at, at + STARTS_PER_ROUND);
      const claimed = await Promise.all(slice.map(({ candidate, reason }) => this.#claim(candidate, reason)));
      started += claimed.filter(Boolean).length;
    }
    return started;
  }

  #reason(candidate: Candidate): ClaimReason | undefined {
    const { row } = candidate;
    if (this.#actives.has(row.thread_id)) return undefined;
    const timerDue = this.#deadlines.isDue(candidate) ? 0 : undefined;
    const reason = claimReason({ ...candidate, timerDue }, this.#ownerState(row), 0);
    const allowed = reason !== "dead_lease" || this.#options.mayRecover(row) || this.#options.mayTake?.(row);
    return allowed ? reason : undefined;
  }

  #ownerState(row: ThreadRow): OwnerState {
    if (row.owner === null) return "none";
    const state = this.#world.machine.ownerState(row.owner);
    const isOurs = row.owner === this.#world.machine.owner;
    if (state !== "dead" && !isOurs && this.#options.mayTake?.(row)) return "dead";
    return state === "elsewhere" && this.#isSilent(row) ? "dead" : state;
  }

  /** No clock is compared between hosts: we watch whether the other gives a sign while our own time passes. */
  #isSilent(row: ThreadRow): boolean {
    const now = this.#world.clock.monotonic();
    const sign = `${this.#beats.get(row.owner ?? "")} ${row.epoch} ${row.seq}`;
    const seen = this.#silences.get(row.thread_id);
    if (seen?.sign === sign) return now - seen.since > SILENT_MS;
    this.#silences.set(row.thread_id, { sign, since: now });
    return false;
  }

  async #claim({ row }: Candidate, reason: ClaimReason): Promise<boolean> {
    const { store, machine, inbox } = this.#world;
    const { thread_id: threadId, epoch: seenEpoch } = row;
    const answer = await store.claim({ threadId, owner: machine.owner, seenEpoch });
    if ("refused" in answer) return false;
    const entry: { active?: Active; unwatch: () => void } = {
      unwatch: inbox.watch(threadId, () => this.look()),
    };
    this.#actives.set(threadId, entry);
    const onActive = (active: Active) => {
      entry.active = active;
    };
    activate(this.#world, answer, {
      timerFired: reason === "timer",
      patienceMs: this.#options.patienceMs,
      onActive,
    })
      .catch((error) => {
        this.#failure ??= { error };
        this.#stopAll();
      })
      .finally(() => {
        entry.unwatch();
        this.#actives.delete(threadId);
        this.look();
      });
    return true;
  }

  /** Told to stop, or an activation failed in a way that is not its thread's: nothing new is taken up. */
  #isStopping(): boolean {
    return this.#options.signal?.aborted === true || this.#failure !== undefined;
  }

  #stopAll(): void {
    for (const { active } of this.#actives.values()) active?.effects.abort(new HostStops());
    this.look();
  }

  async #rest(candidates: readonly Candidate[]): Promise<void> {
    const { clock, store } = this.#world;
    this.#rouse = new AbortController();
    while (!this.#looked) {
      const due = this.#deadlines.nextMs(candidates.filter(({ row }) => row.owner === null));
      await clock.sleep(Math.min(due, LOOK_EVERY_MS), this.#rouse.signal);
      if (due <= LOOK_EVERY_MS || store.version() !== this.#version) return;
      if (clock.monotonic() >= this.#nextBeat) return;
    }
  }

  async #leave(hostId: string): Promise<boolean> {
    const isIdle = (candidates: readonly Candidate[]) =>
      candidates.every((candidate) => {
        if (this.#reason(candidate)) return false;
        const { row, timerDue } = candidate;
        const owner = this.#ownerState(row);
        if (owner === "elsewhere") return false;
        if (owner === "alive" && row.owner !== this.#world.machine.owner) return false;
        return (
          timerDue === undefined || isTerminal(row.status) || this.#deadlines.msLeft(candidate) > MAX_WAIT_MS
        );
      });
    return (await this.#world.store.leave(hostId, isIdle)).left;
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
    this.#beats = new Map((await store.hosts()).map(({ owner, beats }) => [owner, beats]));
  }
}
