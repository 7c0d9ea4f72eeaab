/**
 * The store in memory: same rules, no disk. The disk is a value of its own, so that a world can die and another
 * can open what it left. Every verb computes first and then assigns, so a verb lands whole or not at all.
 */
import { type ApprovalChange, type ApprovalRow, type Decision, decisionOf } from "../../core/approval.ts";
import { type BirthPlan, birthRefusal, planBirth, planLink } from "../../core/birth.ts";
import { type Draft, keep, statementOf } from "../../core/bookkeeping.ts";
import type { Account, Attempt, Books } from "../../core/books.ts";
import { handedDown, livingBelow, type Stop, spreading, stopRequest } from "../../core/cascade.ts";
import { type Candidate, type HandOver, isStirring, struck } from "../../core/claim.ts";
import { afterDamage, type Batch, type Lease, planCommit } from "../../core/commit.ts";
import { checkChain, type StoredEvent, toEvent } from "../../core/journal.ts";
import { damageRequests, type Registry } from "../../core/outcome.ts";
import { decisionRefusal, type Request, requestRefusal } from "../../core/request.ts";
import type { Damage, ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type {
  Birth,
  ClaimAnswer,
  ClaimAsk,
  Enrolled,
  HostRow,
  Loaded,
  Posted,
  Store,
} from "../../core/store.ts";
import { searchMemory } from "../search-memory.ts";
import { birthFacts, chosen, endOf, feedOf, fits, isAskedFor, tallied } from "./memory-query.ts";
import { removeFromMemory, weighInMemory } from "./memory-removal.ts";
import type { StoreNeeds } from "./needs.ts";

interface PostedRequest {
  readonly chainRootId: string;
  readonly request: Request;
  readonly consumed: boolean;
}

export interface MemoryDisk {
  readonly storeId: string;
  readonly rows: Map<string, ThreadRow>;
  readonly journal: { readonly threadId: string; readonly stored: StoredEvent }[];
  readonly requests: Map<string, PostedRequest>;
  readonly timers: Map<string, number>;
  readonly hosts: Map<string, HostRow>;
  readonly approvals: Map<string, ApprovalRow>;
  readonly accounts: Map<string, Account>;
  readonly attempts: Map<string, Attempt>;
  version: number;
}

export function memoryDisk(storeId = "memory"): MemoryDisk {
  return {
    storeId,
    rows: new Map(),
    journal: [],
    requests: new Map(),
    timers: new Map(),
    hosts: new Map(),
    approvals: new Map(),
    accounts: new Map(),
    attempts: new Map(),
    version: 0,
  };
}

export function openMemoryStore(disk: MemoryDisk, needs: StoreNeeds): Store {
  const memory = new Memory(disk, needs);
  return {
    storeId: disk.storeId,
    create: async (birth) => memory.create(birth),
    commit: async (lease, batch, handOver) => memory.commit(lease, batch, handOver),
    post: async (requests) => requests.map((request) => memory.post(request)),
    claim: async (ask) => memory.claim(ask),
    enroll: async (host, how) => memory.enroll(host, how),
    leave: async (hostId, isIdle) => memory.leave(hostId, isIdle),
    beat: async (hostId) => memory.beat(hostId),
    hosts: async () => [...disk.hosts.values()],
    load: async (threadId) => memory.load(threadId),
    find: async (query) => chosen(disk.rows.values(), query),
    candidates: async (scope) => memory.candidates(scope),
    stirring: async (scope, until) => memory.candidates(scope).filter((each) => isStirring(each, until)),
    names: async (scope, { from, limit }) =>
      memory
        .candidates(scope)
        .slice(from, from + limit)
        .map(({ row }) => row),
    tally: async () => tallied(disk.rows.values()),
    approvals: async (query) => [...disk.approvals.values()].filter(isAskedFor(query)),
    family: async (rootId) =>
      [...disk.rows.values()]
        .filter(fits({ rootId, onlyHeads: true }))
        .map((row) => ({ row, statement: statementOf(memory.books, row.chain_root_id) })),
    balance: async (account) => statementOf(memory.books, account),
    openRequests: async (chainRootId) => memory.openRequests(chainRootId),
    feed: async (after, limit) => feedOf(disk.journal, after, limit),
    feedEnd: async () => disk.journal.length,
    search: async (ask) => searchMemory(disk, ask),
    inspect: async (threadId) => memory.inspect(threadId),
    markCorrupt: async (lease, damage) => memory.markCorrupt(lease, damage),
    remove: async (threadIds) => removeFromMemory(disk, needs, threadIds),
    weigh: async (threadIds) => weighInMemory(disk, threadIds),
    version: () => disk.version,
    close: async () => {},
  };
}

class Memory {
  readonly #disk: MemoryDisk;
  readonly #needs: StoreNeeds;

  constructor(disk: MemoryDisk, needs: StoreNeeds) {
    this.#disk = disk;
    this.#needs = needs;
  }

  /** Read by plans; written only by what lands. */
  readonly books: Books = {
    account: (id) => this.#disk.accounts.get(id),
    attempt: (id) => this.#disk.attempts.get(id),
    hasChildren: (id) => [...this.#disk.accounts.values()].some((each) => each.parent === id && !each.ended),
    openAttempts: (by) =>
      [...this.#disk.attempts.values()].filter((each) => each.by === by && each.settled === null),
    putAccount: (account) => void this.#disk.accounts.set(account.id, account),
    putAttempt: (attempt) => void this.#disk.attempts.set(attempt.id, attempt),
  };

  readonly registry: Registry = {
    row: (id) => this.#head(id),
    inChannels: (rootId) =>
      [...this.#disk.rows.values()].filter((row) => row.root_id === rootId && row.channels.length > 0),
    end: (id) => endOf(this.#disk, id),
  };

  create(birth: Birth): Awaited<ReturnType<Store["create"]>> {
    const refused = birthRefusal(birth, birthFacts(this.#disk));
    if (refused) return refused;
    const facts = { now: this.#needs.now(), sha256: this.#needs.sha256 };
    const plan = planBirth(birth, facts);
    const before = birth.continues && this.#disk.rows.get(birth.continues.threadId);
    const link = planLink(birth, before, facts);
    if (link && "refused" in link) return link;
    if (this.#disk.rows.has(birth.threadId)) throw new Error(`thread ${birth.threadId} exists`);
    this.#refuseSecond(plan);
    this.#writeBooks(keep(this.books, plan.row, plan.events));
    this.#land(plan);
    if (!link || !before) return undefined;
    this.#disk.rows.set(before.thread_id, link.row);
    this.#keep(before.thread_id, link.stored);
    if (link.outcome) this.#tell(link.outcome);
    return undefined;
  }

  /** The thread that a chain goes on in now. */
  #head(threadId: string): ThreadRow | undefined {
    const seen = new Set<string>();
    let row = this.#disk.rows.get(threadId);
    while (row?.status === "continued") {
      if (row.continuation_thread_id === null || seen.has(row.thread_id)) return undefined;
      seen.add(row.thread_id);
      row = this.#disk.rows.get(row.continuation_thread_id);
    }
    return row;
  }

  /** As the database does: nobody is continued twice. */
  #refuseSecond({ row: { continuation_of: of } }: BirthPlan): void {
    if (of !== null && [...this.#disk.rows.values()].some((row) => row.continuation_of === of))
      throw new Error(`thread ${of} is continued already`);
  }

  #land({ row, stored, timer, approvals, requests }: BirthPlan): void {
    this.#disk.rows.set(row.thread_id, row);
    if (timer !== undefined) this.#disk.timers.set(row.chain_root_id, timer);
    this.#noteQuestions(row, approvals);
    this.#keep(row.thread_id, stored);
    for (const request of requests) this.#ask(row.chain_root_id, request);
  }

  /** To who lives; told again, it is told once. */
  #tell(request: Request): ThreadRow | undefined {
    const row = this.#head(request.thread_id);
    if (!row || isTerminal(row.status)) return undefined;
    this.#ask(row.chain_root_id, request);
    return row;
  }

  #halt(stop: Stop, name: string): void {
    const row = this.#head(stop.thread_id);
    if (!row || isTerminal(row.status)) return;
    const request = stopRequest(stop, row, name);
    if (!stop.onlyBelow) this.#ask(row.chain_root_id, request);
    this.#handDown(request, row);
  }

  #handDown(request: Request, row: ThreadRow): void {
    const spread = spreading(request, row);
    if (!spread) return;
    const childrenOf = (id: string) => [...this.#disk.rows.values()].filter((each) => each.parent_id === id);
    for (const below of livingBelow(row.chain_root_id, childrenOf)) {
      this.#ask(below.chain_root_id, handedDown(spread, below));
    }
  }

  commit(lease: Lease, batch: Batch, handOver?: HandOver): Awaited<ReturnType<Store["commit"]>> {
    const found = this.#disk.rows.get(lease.threadId);
    if (!found) return { refused: "stale" };
    const row = afterDamage(found, Math.max(0, ...this.#seqs(lease.threadId, found)));
    const { now, sha256 } = this.#needs;
    const { requests: open, timerDue } = this.#candidate(row);
    const known = { row, open, timerDue, books: this.books, registry: this.registry };
    const plan = planCommit({ ...known, now: now(), sha256 }, lease, batch);
    if ("refused" in plan) return plan;
    for (const birth of plan.births) this.#refuseSecond(birth);
    this.#disk.rows.set(lease.threadId, plan.row);
    if (plan.timer === null) this.#disk.timers.delete(lease.chainRootId);
    else if (plan.timer !== undefined) this.#disk.timers.set(lease.chainRootId, plan.timer);
    for (const requestId of [...(batch.consumes ?? []), ...plan.voided]) this.#consume(requestId);
    this.#noteQuestions(plan.row, plan.approvals);
    this.#writeBooks(plan.books);
    this.#keep(lease.threadId, plan.stored);
    for (const birth of plan.births) this.#land(birth);
    const told = plan.outcomes.map((outcome) => this.#tell(outcome));
    for (const stop of plan.stops) this.#halt(stop, `stop_${plan.row.hash}`);
    const { events, tailLanded, shortage, parked } = plan;
    const free = told.flatMap((row) => (row?.owner === null ? [row] : []));
    const woken = [...new Set(free)].map((row) => this.#candidate(row));
    const isTaken = woken.length > 0 && handOver?.(woken) === true;
    const wakes = plan.births.length + plan.stops.length + told.length > (isTaken ? free.length : 0);
    const more = { ...(shortage && { shortage }), ...(wakes && { wakes }) };
    return { events, tailLanded, parked, open: plan.open, ...more };
  }

  post(request: Request): Posted {
    const row = this.#head(request.thread_id);
    if (row && this.#disk.requests.has(request.request_id)) return this.#accepted(row);
    if (request.kind === "decide") {
      const found = this.#disk.approvals.get(request.approval_id);
      const refusal = decisionRefusal(found, request);
      if (refusal) return { accepted: false, ...refusal };
    }
    const open = this.openRequests(row?.chain_root_id ?? "");
    const why = requestRefusal(row ?? this.#disk.rows.get(request.thread_id), request, open);
    if (why !== undefined || !row) return { accepted: false, why: why ?? "there is no such thread" };
    if (request.kind === "decide") this.#decide(decisionOf(request, this.#needs.now()));
    this.#ask(row.chain_root_id, request);
    this.#handDown(request, row);
    return this.#accepted(row);
  }

  #accepted({ root_id }: ThreadRow): Posted {
    const live = [...this.#disk.hosts.values()].filter((each) => !this.#isDead(each));
    const hostOf = (scope: string) => live.find((each) => each.scope === scope);
    return { accepted: true, host: hostOf(root_id) ?? hostOf("*") };
  }

  claim({ threadId, owner, seenEpoch }: ClaimAsk): ClaimAnswer {
    const row = this.#disk.rows.get(threadId);
    if (!row || isTerminal(row.status)) return { refused: "ended" };
    if (row.epoch !== seenEpoch) return { refused: "changed" };
    const strikes = struck(row, this.#needs);
    const claimed = { ...row, epoch: row.epoch + 1, owner, strikes };
    this.#disk.rows.set(threadId, claimed);
    this.#disk.version += 1;
    return {
      lease: { threadId, chainRootId: row.chain_root_id, epoch: claimed.epoch, owner },
      row: claimed,
      open: this.openRequests(row.chain_root_id),
      ...(row.owner === null ? {} : { tookFrom: { owner: row.owner, epoch: row.epoch } }),
    };
  }

  enroll(host: HostRow, how: "join" | "replace"): Enrolled {
    const { hosts } = this.#disk;
    for (const other of hosts.values()) {
      const replaced = how === "replace" && other.scope === host.scope;
      if (replaced || this.#isDead(other)) hosts.delete(other.host_id);
      else if (other.scope === host.scope || other.scope === "*") return { enrolled: false, by: other };
    }
    hosts.set(host.host_id, host);
    return { enrolled: true };
  }

  leave(hostId: string, isIdle: (candidates: readonly Candidate[]) => boolean): { left: boolean } {
    const host = this.#disk.hosts.get(hostId);
    const left = !host || isIdle(this.candidates(host.scope));
    if (left) this.#disk.hosts.delete(hostId);
    return { left };
  }

  beat(hostId: string): void {
    const host = this.#disk.hosts.get(hostId);
    if (host) this.#disk.hosts.set(hostId, { ...host, beats: host.beats + 1 });
  }

  load(threadId: string): Loaded {
    const row = this.#disk.rows.get(threadId);
    if (!row) return { events: [] };
    const stored = this.#disk.journal.flatMap((entry) => (entry.threadId === threadId ? [entry.stored] : []));
    const damage = checkChain(stored, row, this.#needs.sha256);
    const good = damage ? stored.filter((event) => event.seq <= damage.lastGood) : stored;
    const events = good.map((event) => toEvent(threadId, event));
    return damage ? { events, damage: { last_good: damage.lastGood, why: damage.why } } : { events };
  }

  candidates(scope: string): Candidate[] {
    const inScope = (row: ThreadRow) => !isTerminal(row.status) && (scope === "*" || row.root_id === scope);
    return [...this.#disk.rows.values()].filter(inScope).map((row) => this.#candidate(row));
  }

  #candidate(row: ThreadRow): Candidate {
    const { chain_root_id: id } = row;
    return { row, requests: this.openRequests(id), timerDue: this.#disk.timers.get(id) };
  }

  openRequests(chainRootId: string): Request[] {
    return [...this.#disk.requests.values()]
      .filter((posted) => posted.chainRootId === chainRootId && !posted.consumed)
      .map((posted) => posted.request);
  }

  inspect(threadId: string): Awaited<ReturnType<Store["inspect"]>> {
    const row = this.#disk.rows.get(threadId);
    if (!row) return undefined;
    const approvals = [...this.#disk.approvals.values()].filter(isAskedFor({ threadId }));
    const timerDue = this.#disk.timers.get(row.chain_root_id);
    const statement = statementOf(this.books, row.chain_root_id);
    return { row, loaded: this.load(threadId), timerDue, approvals, statement };
  }

  markCorrupt(lease: Lease, corrupt: Damage): boolean {
    const row = this.#disk.rows.get(lease.threadId);
    if (row?.epoch !== lease.epoch || row.owner !== lease.owner) return false;
    this.#disk.rows.set(lease.threadId, { ...row, corrupt, owner: null });
    for (const told of damageRequests(row, corrupt, this.registry)) this.#tell(told);
    return true;
  }

  /** Numbers in the journal; only a damaged thread needs to look. */
  #seqs(threadId: string, row: ThreadRow): number[] {
    if (!row.corrupt) return [];
    return this.#disk.journal.flatMap((entry) => (entry.threadId === threadId ? [entry.stored.seq] : []));
  }

  #noteQuestions({ thread_id, chain_root_id }: ThreadRow, changes: readonly ApprovalChange[]): void {
    const { approvals } = this.#disk;
    for (const change of changes) {
      if (change.type === "open") {
        const { approval, asked_at } = change;
        // A thread asks one question at a time: a new one takes the place of the one before.
        this.#voidQuestions(chain_root_id);
        const asked = { approval, thread_id, chain_root_id, asked_at, state: "open" as const };
        approvals.set(approval.approval_id, asked);
      } else if (change.type === "decided") {
        this.#decide(change.decision);
        const found = approvals.get(change.decision.approval_id);
        if (found) approvals.set(found.approval.approval_id, { ...found, state: "decided" });
      } else {
        this.#voidQuestions(chain_root_id);
      }
    }
  }

  #voidQuestions(chainRootId: string): void {
    for (const [id, found] of this.#disk.approvals) {
      const isOpen = found.chain_root_id === chainRootId && found.state === "open";
      if (isOpen) this.#disk.approvals.set(id, { ...found, state: "void" });
    }
  }

  /** The first decision stands. */
  #decide(decision: Decision): void {
    const found = this.#disk.approvals.get(decision.approval_id);
    if (found && !found.decision) this.#disk.approvals.set(decision.approval_id, { ...found, decision });
  }

  #writeBooks({ accounts, attempts }: Pick<Draft, "accounts" | "attempts">): void {
    for (const account of accounts.values()) this.#disk.accounts.set(account.id, account);
    for (const attempt of attempts.values()) this.#disk.attempts.set(attempt.id, attempt);
  }

  #keep(threadId: string, events: readonly StoredEvent[]): void {
    for (const stored of events) this.#disk.journal.push({ threadId, stored });
    this.#disk.version += 1;
  }

  #ask(chainRootId: string, request: Request): void {
    if (this.#disk.requests.has(request.request_id)) return;
    this.#disk.requests.set(request.request_id, { chainRootId, request, consumed: false });
    this.#disk.version += 1;
  }

  #consume(requestId: string): void {
    const posted = this.#disk.requests.get(requestId);
    if (posted) this.#disk.requests.set(requestId, { ...posted, consumed: true });
  }

  #isDead(host: HostRow): boolean {
    return this.#needs.ownerState(host.owner) === "dead";
  }
}
