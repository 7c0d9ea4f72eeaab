/** What one host may do with the threads of its scope, and when: the judgement behind every look. */
import { lackingOf } from "../core/brought.ts";
import { type Candidate, type ClaimReason, claimReason, type OwnerState } from "../core/claim.ts";
import { needsNoLoad } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import type { HostRow } from "../core/store.ts";
import type { World } from "../core/world.ts";
import { Deadlines } from "./deadlines.ts";

export interface ScopeRules {
  /** Whether this process can run a thread at all; one that it cannot is left as it is. */
  readonly mayRun?: (row: ThreadRow) => boolean;
  /** Whether a thread whose owner died may be taken up without asking. */
  readonly mayRecover: (row: ThreadRow) => boolean;
  /** Whether a thread may be taken from an owner that is alive but stuck; its late commits are refused. */
  readonly mayTake?: (row: ThreadRow) => boolean;
}

/** An owner on another host that gives no sign for this long, by our own clock, is taken for dead. */
export const SILENT_MS = 60_000;

export class Scope {
  readonly #world: World;
  readonly #rules: ScopeRules;
  readonly #deadlines: Deadlines;
  #beats = new Map<string, number>();
  readonly #claimed = new Set<string>();
  readonly #silences = new Map<string, { sign: string; since: number }>();

  constructor(world: World, rules: ScopeRules) {
    this.#world = world;
    this.#rules = rules;
    this.#deadlines = new Deadlines(world);
  }

  /** Why this thread may be claimed now; undefined when it may not. */
  reason(candidate: Candidate): ClaimReason | undefined {
    return this.#reasonWith(candidate, this.#deadlines.msLeft(candidate) <= 0);
  }

  /** How long until its timer lets us claim it; a timer of a thread we may not touch keeps nobody waiting. */
  msUntil(candidate: Candidate): number {
    return this.#reasonWith(candidate, true) ? this.#deadlines.msLeft(candidate) : Number.POSITIVE_INFINITY;
  }

  /** Nothing to do now, nothing owned by somebody alive, and no timer that is worth waiting for. */
  isIdle(candidates: readonly Candidate[]): boolean {
    return candidates.every((candidate) => {
      const owner = this.ownerState(candidate.row);
      if (owner === "alive" || owner === "elsewhere") return false;
      const leftMs = this.msUntil(candidate);
      // A retry was found worth waiting for when it was decided on, by the policy of its provider.
      const isRetry = candidate.row.waits_for?.kind === "timer" && Number.isFinite(leftMs);
      return !this.reason(candidate) && !isRetry && leftMs > this.#world.settings.retry.max_wait_ms;
    });
  }

  ownerState(row: ThreadRow): OwnerState {
    const { machine } = this.#world;
    if (row.owner === null) return "none";
    // Ours by name, but nobody here walks it: a claim or a walk of ours failed half way.
    if (row.owner === machine.owner)
      return machine.walking.has(walkKey(row.thread_id, row.epoch)) ? "alive" : "dead";
    const state = machine.ownerState(row.owner);
    if (state !== "dead" && this.#mayTake(row)) return "dead";
    return state === "elsewhere" && this.#isSilent(row) ? "dead" : state;
  }

  /** We claimed it: should somebody take it from us in turn, it is theirs. */
  noteClaim(threadId: string): void {
    this.#claimed.add(threadId);
  }

  noteBeats(hosts: readonly HostRow[]): void {
    this.#beats = new Map(hosts.map(({ owner, beats }) => [owner, beats]));
  }

  /** Forgets threads that are gone. */
  keep(candidates: readonly Candidate[]): void {
    this.#deadlines.keep(new Set(candidates.map(({ row }) => row.chain_root_id)));
    const ids = new Set(candidates.map(({ row }) => row.thread_id));
    for (const known of this.#silences.keys()) if (!ids.has(known)) this.#silences.delete(known);
  }

  #reasonWith(candidate: Candidate, isDue: boolean): ClaimReason | undefined {
    const { row, requests } = candidate;
    const timerDue = candidate.timerDue !== undefined && isDue ? 0 : undefined;
    const reason = claimReason({ ...candidate, timerDue }, this.ownerState(row), 0);
    // An end that was asked for needs nobody's leave: whoever asked relies on the host that covers the thread.
    if (!reason || requests.some((request) => needsNoLoad(request.kind))) return reason;
    // It lives from what a program brought, and that is not here: it is left to that program.
    if (lackingOf(row, this.#world).length > 0 || this.#rules.mayRun?.(row) === false) return undefined;
    if (reason !== "dead_lease") return reason;
    const isOurs = row.owner === this.#world.machine.owner;
    return isOurs || this.#rules.mayRecover(row) || this.#mayTake(row) ? reason : undefined;
  }

  #mayTake(row: ThreadRow): boolean {
    return !this.#claimed.has(row.thread_id) && this.#rules.mayTake?.(row) === true;
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
}

export function walkKey(threadId: string, epoch: number): string {
  return `${threadId} ${epoch}`;
}
