/** The store on one SQLite database. Every verb is one job of the connection's queue; the rules are `core/commit.ts`. */
import { type BirthPlan, birthRefusal, isWrittenTo, planBirth, planLink } from "../../core/birth.ts";
import { keep, statementOf } from "../../core/bookkeeping.ts";
import { handedDown, livingBelow, type Stop, spreading, stopRequest } from "../../core/cascade.ts";
import { type Candidate, type HandOver, struck } from "../../core/claim.ts";
import { afterDamage, type Batch, type Lease, planCommit } from "../../core/commit.ts";
import { damageRequests, type Registry } from "../../core/outcome.ts";
import { decisionRefusal, type Request, requestRefusal } from "../../core/request.ts";
import type { Damage, ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { Birth, ClaimAnswer, ClaimAsk, Loaded, Posted, Store } from "../../core/store.ts";
import { noteQuestions, queryApprovals, takeAnswer } from "../approval-table.ts";
import { Connection, type ConnectionOptions } from "../connection.ts";
import { insertEvents, lastSeq, loadEvents, readEnd, readFeed } from "../event-table.ts";
import { enroll, liveHost, readHosts, removeHost } from "../host-table.ts";
import { booksOf, writeBooks } from "../ledger-table.ts";
import { readCandidates, readNames, readStirring, tally } from "../registry-table.ts";
import { removeThreads, weighThreads } from "../removal-table.ts";
import { searchTable } from "../search-table.ts";
import {
  childrenOf,
  insertThread,
  KnownRows,
  queryThreads,
  readHead,
  readThread,
  rowsInChannels,
  updateThread,
} from "../thread-table.ts";
import type { StoreNeeds } from "./needs.ts";

/** Events from which on a journal is read faster when it is mapped. */
const LONG_JOURNAL = 1_000;

export type SqliteOptions = StoreNeeds & ConnectionOptions;

export function openSqliteStore(options: SqliteOptions): Store {
  const { path, durability, open, readOnly = false } = options;
  const connection = new Connection({ path, durability, readOnly, ...(open ? { open } : {}) });
  const known = new KnownRows(connection);
  const storeId = readStoreId(connection, readOnly ? undefined : options.newId);
  const write = <T>(apply: () => T) => connection.write(apply);
  const read = <T>(look: () => T) => landed(connection, () => connection.read(look));
  const snapshot = <T>(look: () => T) => landed(connection, () => connection.snapshot(look));
  return {
    storeId,
    create: (birth) => write(() => create(connection, options, birth)),
    commit: (lease, batch, handOver) =>
      handing(connection, handOver, (isHanded) =>
        commit({ connection, known, options }, lease, batch, isHanded),
      ),
    post: (requests) => write(() => requests.map((request) => post(connection, options, request))),
    claim: (ask) =>
      connection.write(
        () => claim({ connection, known, options }, ask),
        ask.withCommit ? "with the next" : "alone",
      ),
    enroll: (host, how) => write(() => enroll(connection, options, host, how)),
    leave: (hostId, isIdle) => write(() => leave(connection, hostId, isIdle)),
    beat: (hostId) =>
      write(() => {
        connection.statement("UPDATE hosts SET beats = beats + 1 WHERE host_id = ?").run(hostId);
      }),
    hosts: () => read(() => readHosts(connection)),
    load: (threadId) => snapshot(() => load(connection, options, threadId)),
    inspect: (threadId) => snapshot(() => inspect(connection, options, threadId)),
    find: (query) => read(() => queryThreads(connection, query)),
    candidates: (scope) => read(() => readCandidates(connection, scope)),
    stirring: (scope, until) => read(() => readStirring(connection, scope, until)),
    names: (scope, slice) => read(() => readNames(connection, scope, slice)),
    tally: () => read(() => tally(connection)),
    approvals: (query) => read(() => queryApprovals(connection, query)),
    family: (rootId) => snapshot(() => family(connection, rootId)),
    balance: (account) => snapshot(() => statementOf(booksOf(connection), account)),
    openRequests: (chainRootId) => read(() => readRequests(connection, chainRootId)),
    feed: (after, limit) => read(() => readFeed(connection, after, limit)),
    feedEnd: () =>
      read(() => Number(connection.statement("SELECT max(cursor) AS at FROM events").get()?.["at"] ?? 0)),
    search: (ask) => read(() => connection.mapped(() => searchTable(connection, ask))),
    markCorrupt: (lease, damage) => write(() => markCorrupt(connection, options, lease, damage)),
    remove: (threadIds) => write(() => removeThreads(connection, options, threadIds)),
    weigh: (threadIds) => read(() => weighThreads(connection, threadIds)),
    version: () =>
      connection.read(() => Number(connection.statement("PRAGMA data_version").get()?.["data_version"])),
    close: () => connection.close(),
  };
}

function readStoreId(connection: Connection, newId: (() => string) | undefined): string {
  // INSERT OR IGNORE: of several processes that make the store together, one names it.
  return connection.read(() => {
    const read = () => connection.statement("SELECT value FROM meta WHERE key = 'store_id'").get()?.["value"];
    const found = read();
    if (found || !newId) return String(found ?? "");
    connection.statement("INSERT OR IGNORE INTO meta (key, value) VALUES ('store_id', ?)").run(newId());
    return String(read());
  });
}

interface Writing {
  readonly connection: Connection;
  readonly known: KnownRows;
  readonly options: StoreNeeds;
}

/** What is told before it is durable is for who was told: everybody else sees it when it has landed. */
async function landed<T>(connection: Connection, look: () => T): Promise<T> {
  while (connection.isTelling) await new Promise((resolve) => setImmediate(resolve));
  connection.requireLayout();
  return look();
}

interface Landing {
  readonly answer: Awaited<ReturnType<Store["commit"]>>;
  /** Those who have something to do because of it and whom nobody holds; and whether others have, too. */
  readonly woken: readonly Candidate[];
  readonly wakesOthers: boolean;
}

const REFUSED = { woken: [], wakesOthers: false };

async function handing(
  connection: Connection,
  handOver: HandOver | undefined,
  land: (isHanded: boolean) => Landing,
): ReturnType<Store["commit"]> {
  let isTaken = false;
  const { answer, woken, wakesOthers } = await connection.write(
    () => land(handOver !== undefined),
    (landing) => {
      isTaken = landing.woken.length > 0 && handOver?.(landing.woken) === true;
      return isTaken;
    },
  );
  const wakes = wakesOthers || (woken.length > 0 && !isTaken);
  return wakes ? { ...answer, wakes } : answer;
}

function commit(
  { connection, known, options }: Writing,
  lease: Lease,
  batch: Batch,
  isHandedOver: boolean,
): Landing {
  const found = known.read(lease.threadId);
  if (!found) return { answer: { refused: "stale" }, ...REFUSED };
  const row = found.row.corrupt ? afterDamage(found.row, lastSeq(connection, found.no)) : found.row;
  const plan = planCommit(commitFacts(connection, options, lease, row), lease, batch);
  if ("refused" in plan) return { answer: plan, ...REFUSED };
  insertEvents(connection, found.no, plan.stored, options.sha256);
  updateThread(connection, found.no, found.row, plan.row);
  known.keep(found.no, plan.row);
  setTimer(connection, lease.chainRootId, plan.timer);
  noteQuestions(connection, plan.row, plan.approvals);
  writeBooks(connection, plan.books);
  consume(connection, [...(batch.consumes ?? []), ...plan.voided], options.now());
  for (const birth of plan.births) land(connection, options, birth);
  const told = plan.outcomes.map((outcome) => tell(connection, options, outcome));
  for (const stop of plan.stops) halt(connection, options, stop, `stop_${plan.row.hash}`);
  const { events, tailLanded, shortage, parked } = plan;
  const answer = { events, tailLanded, parked, open: plan.open, ...(shortage ? { shortage } : {}) };
  const free = isHandedOver ? told.filter((row) => row?.owner === null) : [];
  const wakesOthers = plan.births.length + plan.stops.length + told.length > free.length;
  return { answer, woken: asCandidates(connection, free), wakesOthers };
}

/** Each once, with all that is open on it now. */
function asCandidates(connection: Connection, rows: readonly (ThreadRow | undefined)[]): Candidate[] {
  const woken = new Map(rows.flatMap((row) => (row ? [[row.thread_id, row]] : [])));
  return [...woken.values()].map((row) => ({
    row,
    requests: readRequests(connection, row.chain_root_id),
    timerDue: readTimer(connection, row.chain_root_id),
  }));
}

function create(
  connection: Connection,
  needs: StoreNeeds,
  birth: Birth,
): Awaited<ReturnType<Store["create"]>> {
  const refused = birthRefusal(birth, {
    isKnown: (id) => isKnown(connection, id),
    isTaken: (address) => queryThreads(connection, { address }).some(isWrittenTo),
  });
  if (refused) return refused;
  const facts = { now: needs.now(), sha256: needs.sha256 };
  const plan = planBirth(birth, facts);
  const before = birth.continues && readThread(connection, birth.continues.threadId);
  const link = planLink(birth, before?.row, facts);
  if (link && "refused" in link) return link;
  writeBooks(connection, keep(booksOf(connection), plan.row, plan.events));
  land(connection, needs, plan);
  if (!link || !before) return undefined;
  insertEvents(connection, before.no, link.stored, needs.sha256);
  updateThread(connection, before.no, before.row, link.row);
  if (link.outcome) tell(connection, needs, link.outcome);
  return undefined;
}

function land(connection: Connection, needs: StoreNeeds, plan: BirthPlan): void {
  const { row } = plan;
  const no = insertThread(connection, row);
  insertEvents(connection, no, plan.stored, needs.sha256);
  setTimer(connection, row.chain_root_id, plan.timer);
  noteQuestions(connection, row, plan.approvals);
  for (const request of plan.requests) insertRequest(connection, row.chain_root_id, request, needs.now());
}

/** To who lives, as it is then; told again, it is told once. */
function tell(connection: Connection, needs: StoreNeeds, request: Request): ThreadRow | undefined {
  const row = readHead(connection, request.thread_id);
  if (!row || isTerminal(row.status)) return undefined;
  insertRequest(connection, row.chain_root_id, request, needs.now());
  return row;
}

function halt(connection: Connection, needs: StoreNeeds, stop: Stop, name: string): void {
  const row = readHead(connection, stop.thread_id);
  if (!row || isTerminal(row.status)) return;
  const request = stopRequest(stop, row, name);
  if (!stop.onlyBelow) insertRequest(connection, row.chain_root_id, request, needs.now());
  handDown(connection, needs, request, row);
}

function handDown(connection: Connection, needs: StoreNeeds, request: Request, row: ThreadRow): void {
  const spread = spreading(request, row);
  if (!spread) return;
  for (const below of livingBelow(row.chain_root_id, (id) => childrenOf(connection, id))) {
    insertRequest(connection, below.chain_root_id, handedDown(spread, below), needs.now());
  }
}

function commitFacts(connection: Connection, needs: StoreNeeds, lease: Lease, row: ThreadRow) {
  return {
    row,
    open: readRequests(connection, lease.chainRootId),
    timerDue: readTimer(connection, lease.chainRootId),
    books: booksOf(connection),
    registry: registryOf(connection),
    now: needs.now(),
    sha256: needs.sha256,
  };
}

function registryOf(connection: Connection): Registry {
  return {
    row: (id) => readHead(connection, id),
    inChannels: (rootId) => rowsInChannels(connection, rootId),
    end: (id) => readEnd(connection, id),
  };
}

function claim({ connection, known, options: needs }: Writing, ask: ClaimAsk): ClaimAnswer {
  const found = readThread(connection, ask.threadId);
  if (!found || isTerminal(found.row.status)) return { refused: "ended" };
  const { row } = found;
  if (row.epoch !== ask.seenEpoch) return { refused: "changed" };
  const epoch = row.epoch + 1;
  const strikes = struck(row, needs);
  connection
    .statement("UPDATE threads SET epoch = ?, owner = ?, strikes = ? WHERE no = ? AND epoch = ?")
    .run(epoch, ask.owner, JSON.stringify(strikes), found.no, ask.seenEpoch);
  const claimed = { ...row, epoch, owner: ask.owner, strikes };
  known.keep(found.no, claimed);
  return {
    lease: { threadId: ask.threadId, chainRootId: row.chain_root_id, epoch, owner: ask.owner },
    row: claimed,
    open: readRequests(connection, row.chain_root_id),
    ...(row.owner === null ? {} : { tookFrom: { owner: row.owner, epoch: row.epoch } }),
  };
}

function post(connection: Connection, needs: StoreNeeds, request: Request): Posted {
  const row = readHead(connection, request.thread_id);
  // Posted once more, by who did not hear that it was stored: it is still the same request.
  if (row && isKnown(connection, request.request_id))
    return { accepted: true, host: liveHost(connection, needs, row.root_id) };
  if (request.kind === "decide") {
    const [found] = queryApprovals(connection, { approvalId: request.approval_id });
    const refusal = decisionRefusal(found, request);
    if (refusal) return { accepted: false, ...refusal };
  }
  const open = row ? readRequests(connection, row.chain_root_id) : [];
  const why = requestRefusal(row ?? readThread(connection, request.thread_id)?.row, request, open);
  if (why !== undefined || !row) return { accepted: false, why: why ?? "there is no such thread" };
  if (request.kind === "decide") takeAnswer(connection, request, needs.now());
  insertRequest(connection, row.chain_root_id, request, needs.now());
  handDown(connection, needs, request, row);
  return { accepted: true, host: liveHost(connection, needs, row.root_id) };
}

function isKnown(connection: Connection, requestId: string): boolean {
  return (
    connection.statement("SELECT 1 AS known FROM requests WHERE request_id = ?").get(requestId) !== undefined
  );
}

function insertRequest(connection: Connection, chainRootId: string, request: Request, now: number): void {
  connection
    .statement(
      "INSERT OR IGNORE INTO requests (request_id, chain_root_id, body, posted_at) VALUES (?, ?, ?, ?)",
    )
    .run(request.request_id, chainRootId, JSON.stringify(request), now);
}

function consume(connection: Connection, requestIds: readonly string[], now: number): void {
  for (const requestId of requestIds) {
    connection.statement("UPDATE requests SET consumed_at = ? WHERE request_id = ?").run(now, requestId);
  }
}

function readRequests(connection: Connection, chainRootId: string): Request[] {
  return connection
    .statement("SELECT body FROM requests WHERE chain_root_id = ? AND consumed_at IS NULL ORDER BY rowid")
    .all(chainRootId)
    .map((found) => JSON.parse(String(found["body"])));
}

function readTimer(connection: Connection, chainRootId: string): number | undefined {
  const found = connection.statement("SELECT due FROM timers WHERE chain_root_id = ?").get(chainRootId);
  return found && Number(found["due"]);
}

function setTimer(connection: Connection, chainRootId: string, due: number | null | undefined): void {
  if (due === undefined) return;
  if (due === null) connection.statement("DELETE FROM timers WHERE chain_root_id = ?").run(chainRootId);
  else
    connection
      .statement("INSERT OR REPLACE INTO timers (chain_root_id, due) VALUES (?, ?)")
      .run(chainRootId, due);
}

function markCorrupt(connection: Connection, needs: StoreNeeds, lease: Lease, damage: Damage): boolean {
  const marked = connection
    .statement(
      `UPDATE threads SET corrupt_seq = ?, corrupt_why = ?, owner = NULL
       WHERE thread_id = ? AND epoch = ? AND owner = ?`,
    )
    .run(damage.last_good, damage.why, lease.threadId, lease.epoch, lease.owner);
  if (marked.changes !== 1) return false;
  const row = readThread(connection, lease.threadId)?.row;
  const told = row ? damageRequests(row, damage, registryOf(connection)) : [];
  for (const request of told) tell(connection, needs, request);
  return true;
}

function leave(connection: Connection, hostId: string, isIdle: (found: readonly Candidate[]) => boolean) {
  const host = readHosts(connection).find((row) => row.host_id === hostId);
  const left = !host || isIdle(readCandidates(connection, host.scope));
  if (left) removeHost(connection, hostId);
  return { left };
}

function inspect(connection: Connection, needs: StoreNeeds, threadId: string) {
  const row = readThread(connection, threadId)?.row;
  if (!row) return undefined;
  return {
    row,
    loaded: load(connection, needs, threadId),
    timerDue: readTimer(connection, row.chain_root_id),
    approvals: queryApprovals(connection, { threadId }),
    statement: statementOf(booksOf(connection), row.chain_root_id),
  };
}

function family(connection: Connection, rootId: string) {
  const books = booksOf(connection);
  return queryThreads(connection, { rootId, onlyHeads: true }).map((row) => ({
    row,
    statement: statementOf(books, row.chain_root_id),
  }));
}

function load(connection: Connection, needs: StoreNeeds, threadId: string): Loaded {
  const found = readThread(connection, threadId);
  if (!found) return { events: [] };
  const read = () => loadEvents(connection, found, needs.sha256);
  return found.row.seq < LONG_JOURNAL ? read() : connection.mapped(read);
}
