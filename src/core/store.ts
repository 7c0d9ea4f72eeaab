/** The store's port: one authority, two write verbs. One conformance suite runs on every implementation. */
import type { ApprovalQuery, ApprovalRow, Decision } from "./approval.ts";
import type { BirthRefusal } from "./birth.ts";
import type { Statement } from "./bookkeeping.ts";
import type { Candidate, HandOver } from "./claim.ts";
import type { Batch, Lease, Refusal, Shortage } from "./commit.ts";
import type { Event, NewEvent } from "./event.ts";
import type { RemovalRefusal } from "./removal.ts";
import type { Request } from "./request.ts";
import type { Damage, Named, ThreadRow } from "./row.ts";
import type { SearchAsk, SearchPage } from "./search.ts";
import type { Status } from "./status.ts";

export interface Birth {
  readonly threadId: string;
  readonly events: readonly NewEvent[];
  readonly requests: readonly Request[];
  /** The thread that has ended and goes on in this one; as it was when that was decided. */
  readonly continues?: { readonly threadId: string; readonly seq: number; readonly by: string } | undefined;
}

export interface Committed {
  readonly events: readonly Event[];
  readonly tailLanded: boolean;
  /** Why the tail did not land, when it was for money. */
  readonly shortage?: Shortage | undefined;
  readonly parked: boolean;
  /** Requests still open. */
  readonly open: readonly Request[];
  /** Others have something to do because of it, and were not handed over. */
  readonly wakes?: boolean;
}

export interface ClaimAsk {
  readonly threadId: string;
  readonly owner: string;
  /** The epoch at which the thread was looked at: somebody else's claim in between makes this one fail. */
  readonly seenEpoch: number;
  /**
   * Whoever claims knows the thread already and commits at once: the claim may land together with that commit, and be told
   * before it is durable. Nothing happens between the two; a claim that did not land refuses the commit.
   */
  readonly withCommit?: boolean;
}

export type ClaimAnswer =
  | {
      readonly lease: Lease;
      readonly row: ThreadRow;
      readonly open: readonly Request[];
      /** The owner the thread was taken from, and its epoch. */
      readonly tookFrom?: { readonly owner: string; readonly epoch: number };
    }
  | { readonly refused: "changed" | "ended" };

export interface HostRow {
  readonly host_id: string;
  readonly owner: string;
  readonly socket: string | null;
  /** One root's id, or `*`. */
  readonly scope: string;
  readonly beats: number;
}

export type Enrolled = { readonly enrolled: true } | { readonly enrolled: false; readonly by: HostRow };

export type Posted =
  | { readonly accepted: true; readonly host: HostRow | undefined }
  | { readonly accepted: false; readonly why: string; readonly decided?: Decision };

export interface ThreadQuery {
  readonly threadId?: string;
  readonly prefix?: string;
  readonly statuses?: readonly Status[];
  readonly rootId?: string;
  /** Only those that no other thread started. */
  readonly onlyRoots?: boolean;
  /** Those to which people write there. */
  readonly address?: string;
  /** The threads of one chain. */
  readonly chainRootId?: string;
  /** Without those that go on in another thread. */
  readonly onlyHeads?: boolean;
  /** Something happened in them at this time or later, as ISO text. */
  readonly since?: string;
  /** Those with one of these in their id. */
  readonly words?: readonly string[];
  /** Which come first: those that were made last, unless it is said. */
  readonly order?: "age" | "spend" | "turns";
  readonly limit?: number;
}

export type Loaded =
  | { readonly events: readonly Event[]; readonly damage?: undefined }
  | { readonly events: readonly Event[]; readonly damage: Damage };

interface Inspected {
  readonly row: ThreadRow;
  readonly loaded: Loaded;
  readonly timerDue: number | undefined;
  readonly statement: Statement | undefined;
  readonly approvals: readonly ApprovalRow[];
}

interface Relative {
  readonly row: ThreadRow;
  readonly statement: Statement | undefined;
}

interface FeedPage {
  readonly events: readonly { readonly cursor: number; readonly event: Event }[];
  readonly cursor: number;
}

/** The one authority. Two write verbs, `commit` and `post`; `create` is a commit that brings its thread along. */
export interface Store {
  readonly storeId: string;
  create(birth: Birth): Promise<BirthRefusal | undefined>;
  /**
   * `handOver` is told of those whom it woke and nobody holds, perhaps before it is durable: what they commit at once lands
   * with it or not at all. Its answer: all of them are taken up.
   */
  commit(lease: Lease, batch: Batch, handOver?: HandOver): Promise<Committed | Refusal>;
  post(requests: readonly Request[]): Promise<Posted[]>;
  claim(ask: ClaimAsk): Promise<ClaimAnswer>;
  /** `replace` puts a live host of the same scope out of its place; `join` is refused then. */
  enroll(host: HostRow, how: "join" | "replace"): Promise<Enrolled>;
  /** Removes the host's row if `isIdle` holds for what is in its scope, judged inside the transaction. */
  leave(
    hostId: string,
    isIdle: (candidates: readonly Candidate[]) => boolean,
  ): Promise<{ readonly left: boolean }>;
  beat(hostId: string): Promise<void>;
  hosts(): Promise<readonly HostRow[]>;
  load(threadId: string): Promise<Loaded>;
  /** Row, journal, timer and questions of one thread as they were at one moment. */
  inspect(threadId: string): Promise<Inspected | undefined>;
  find(query: ThreadQuery): Promise<readonly ThreadRow[]>;
  /** Threads of a scope that are not terminal, with what is open on them. */
  candidates(scope: string): Promise<readonly Candidate[]>;
  /** Of the candidates, those that somebody may have to do something about before this time (`isStirring`). */
  stirring(scope: string, until: number): Promise<readonly Candidate[]>;
  /** Names of threads of a scope that are not terminal: so many, after so many others. */
  names(scope: string, slice: { readonly from: number; readonly limit: number }): Promise<readonly Named[]>;
  /** How many threads have each status. */
  tally(): Promise<Readonly<Record<Status, number>>>;
  /** Questions to people, the oldest first. */
  approvals(query: ApprovalQuery): Promise<readonly ApprovalRow[]>;
  /** The chains of one tree, each as its last thread, and what their accounts have, as they were at one moment. */
  family(rootId: string): Promise<readonly Relative[]>;
  /** What an account has, and its attempts that are under way; undefined when there is none. */
  balance(account: string): Promise<Statement | undefined>;
  openRequests(chainRootId: string): Promise<readonly Request[]>;
  feed(after: number, limit: number): Promise<FeedPage>;
  /** Cursor of the last event there is. */
  feedEnd(): Promise<number>;
  /** A bounded piece of a search (`core/search.ts`). */
  search(ask: SearchAsk): Promise<SearchPage>;
  /** Sets a thread aside, if the lease still holds; false when somebody else owns it by now. */
  markCorrupt(lease: Lease, damage: Damage): Promise<boolean>;
  /** Threads go for good with all that is theirs, all of them or none (`core/removal.ts`). */
  remove(threadIds: readonly string[]): Promise<RemovalRefusal | undefined>;
  /** Bytes of their journals. */
  weigh(threadIds: readonly string[]): Promise<number>;
  /** A number that changes when another process wrote. */
  version(): number;
  close(): Promise<void>;
}
