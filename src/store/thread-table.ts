/** The registry table: rows in and out. */
import type { ThreadRow } from "../core/row.ts";
import type { Status } from "../core/status.ts";
import type { ThreadQuery } from "../core/store.ts";
import type { SuspendReason } from "../core/suspension.ts";
import type { Connection } from "./connection.ts";
import type { Row, Value } from "./driver.ts";

export interface NumberedRow {
  readonly no: number;
  readonly row: ThreadRow;
}

const COLUMNS = `thread_id, chain_root_id, root_id, parent_id, continuation_of, continuation_thread_id, directive, model, brought, address, limits,
  status, suspend_reason, waits_for,
  run, nonce, seq, hash, turns, input_tokens, output_tokens, active_ms, spent, held, living, below, watches, channels, stopping,
  recoveries, error,
  created_at, updated_at, epoch, owner, strikes, corrupt_seq, corrupt_why`;

const NAMES = COLUMNS.split(",").map((name) => name.trim());
/** A row as one text: to be handed some forty values one by one takes several times as long. */
const WHOLE = `json_array(${COLUMNS}) AS whole`;
const ONE = `SELECT no, ${WHOLE} FROM threads WHERE thread_id = ?`;

export function readThread(connection: Connection, threadId: string): NumberedRow | undefined {
  const found = connection.statement(ONE).get(threadId);
  return found && { no: Number(found["no"]), row: toRow(found) };
}

/** Rows by what stands behind the name of the table. */
export function readRows(connection: Connection, behind: string, ...values: Value[]): ThreadRow[] {
  return connection
    .statement(`SELECT ${WHOLE} FROM threads ${behind}`)
    .all(...values)
    .map(toRow);
}

/** The thread that a chain goes on in now; undefined where the links do not lead to one, which is damage. */
export function readHead(connection: Connection, threadId: string): ThreadRow | undefined {
  const seen = new Set<string>();
  for (let row = readThread(connection, threadId)?.row; row; ) {
    if (row.status !== "continued") return row;
    const { thread_id, continuation_thread_id: next } = row;
    if (next === null || seen.has(thread_id)) return undefined;
    seen.add(thread_id);
    row = readThread(connection, next)?.row;
  }
  return undefined;
}

export function insertThread(connection: Connection, row: ThreadRow): number {
  const places = COLUMNS.split(",")
    .map(() => "?")
    .join(", ");
  const insert = connection.statement(`INSERT INTO threads (${COLUMNS}) VALUES (${places})`);
  const { corrupt } = row;
  return insert.run(
    row.thread_id,
    row.chain_root_id,
    row.root_id,
    row.parent_id,
    row.continuation_of,
    row.continuation_thread_id,
    row.directive,
    row.model,
    JSON.stringify(row.brought),
    row.address,
    JSON.stringify(row.limits),
    row.status,
    row.suspend_reason,
    row.waits_for && JSON.stringify(row.waits_for),
    row.run,
    row.nonce,
    row.seq,
    row.hash,
    row.turns,
    row.input_tokens,
    row.output_tokens,
    row.active_ms,
    row.spent,
    row.held,
    row.living,
    row.below,
    JSON.stringify(row.watches),
    JSON.stringify(row.channels),
    row.stopping && JSON.stringify(row.stopping),
    row.recoveries,
    row.error,
    row.created_at,
    row.updated_at,
    row.epoch,
    row.owner,
    JSON.stringify(row.strikes),
    corrupt?.last_good ?? null,
    corrupt?.why ?? null,
  ).lastInsertRowid;
}

/**
 * Writes what a commit changed. The index on live threads is touched only when the status moves: naming an indexed
 * column in an UPDATE rewrites its index page even when the value stays the same.
 */
export function updateThread(connection: Connection, no: number, before: ThreadRow, after: ThreadRow): void {
  connection
    .statement(
      `UPDATE threads SET seq = ?, hash = ?, turns = ?, input_tokens = ?, output_tokens = ?, active_ms = ?,
        spent = ?, held = ?, living = ?, below = ?, recoveries = ?, updated_at = ?, owner = ?, strikes = ? WHERE no = ?`,
    )
    .run(
      after.seq,
      after.hash,
      after.turns,
      after.input_tokens,
      after.output_tokens,
      after.active_ms,
      after.spent,
      after.held,
      after.living,
      after.below,
      after.recoveries,
      after.updated_at,
      // The owner goes first when the thread ends: the CHECK allows no owner of an ended thread.
      after.owner,
      JSON.stringify(after.strikes),
      no,
    );
  const isSame = (["status", "waits_for", "run", "limits", "stopping", "watches", "channels"] as const).every(
    (key) => before[key] === after[key],
  );
  if (isSame) return;
  connection
    .statement(
      `UPDATE threads SET status = ?, suspend_reason = ?, waits_for = ?, run = ?, nonce = ?, error = ?, limits = ?,
        stopping = ?, watches = ?, channels = ?, continuation_thread_id = ? WHERE no = ?`,
    )
    .run(
      after.status,
      after.suspend_reason,
      after.waits_for && JSON.stringify(after.waits_for),
      after.run,
      after.nonce,
      after.error,
      JSON.stringify(after.limits),
      after.stopping && JSON.stringify(after.stopping),
      JSON.stringify(after.watches),
      JSON.stringify(after.channels),
      after.continuation_thread_id,
      no,
    );
}

export function childrenOf(connection: Connection, chainRootId: string): ThreadRow[] {
  return readRows(connection, "WHERE parent_id = ? ORDER BY no", chainRootId);
}

/** Those of a tree that are, or were, in a channel. */
export function rowsInChannels(connection: Connection, rootId: string): ThreadRow[] {
  return readRows(connection, "WHERE root_id = ? AND channels <> '[]' ORDER BY no", rootId);
}

export function queryThreads(connection: Connection, query: ThreadQuery): ThreadRow[] {
  const where: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    where.push(condition);
    values.push(...given);
  };
  if (query.threadId !== undefined) add("thread_id = ?", query.threadId);
  // A range, not LIKE: ids may contain its wildcards, and a range uses the index.
  if (query.prefix !== undefined)
    add("thread_id >= ? AND thread_id < ?", query.prefix, `${query.prefix}\u{10ffff}`);
  if (query.rootId !== undefined) add("root_id = ?", query.rootId);
  // In two halves, each of which has its index: the first thread of a chain, and those that go on from it.
  if (query.chainRootId !== undefined)
    add(
      "(thread_id = ? OR (chain_root_id = ? AND chain_root_id <> thread_id))",
      query.chainRootId,
      query.chainRootId,
    );
  if (query.address !== undefined) add("address = ?", query.address);
  if (query.onlyRoots) add("parent_id IS NULL");
  if (query.onlyHeads) add("status <> 'continued'");
  if (query.statuses) add(`status IN (${query.statuses.map(() => "?").join(", ")})`, ...query.statuses);
  if (query.since !== undefined) add("updated_at >= ?", query.since);
  if (query.words)
    add(`(${query.words.map(() => "instr(thread_id, ?) > 0").join(" OR ") || "0"})`, ...query.words);
  const filter = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
  const order = query.order ? `${ORDERS[query.order]}, no DESC` : "no DESC";
  return readRows(connection, `${filter} ORDER BY ${order} LIMIT ?`, ...values, query.limit ?? -1);
}

const ORDERS: Readonly<Record<NonNullable<ThreadQuery["order"]>, string>> = {
  age: "created_at DESC",
  spend: "spent + below DESC, created_at DESC",
  turns: "turns DESC, created_at DESC",
};

function toRow({ whole }: Row): ThreadRow {
  const values: readonly Value[] = JSON.parse(String(whole));
  const found: Record<string, Value> = {};
  for (let at = 0; at < NAMES.length; at += 1) found[NAMES[at] as string] = values[at] as Value;
  const text = (key: string) => String(found[key]);
  const maybe = (key: string) => (found[key] === null ? null : String(found[key]));
  const number = (key: string) => Number(found[key]);
  const corruptSeq = found["corrupt_seq"];
  return {
    thread_id: text("thread_id"),
    chain_root_id: text("chain_root_id"),
    root_id: text("root_id"),
    parent_id: maybe("parent_id"),
    continuation_of: maybe("continuation_of"),
    continuation_thread_id: maybe("continuation_thread_id"),
    directive: text("directive"),
    model: text("model"),
    brought: JSON.parse(text("brought")),
    address: maybe("address"),
    limits: JSON.parse(text("limits")),
    status: text("status") as Status,
    suspend_reason: maybe("suspend_reason") as SuspendReason | null,
    waits_for: found["waits_for"] === null ? null : JSON.parse(text("waits_for")),
    run: number("run"),
    nonce: text("nonce"),
    seq: number("seq"),
    hash: text("hash"),
    turns: number("turns"),
    input_tokens: number("input_tokens"),
    output_tokens: number("output_tokens"),
    active_ms: number("active_ms"),
    spent: number("spent"),
    held: number("held"),
    living: number("living"),
    below: number("below"),
    watches: JSON.parse(text("watches")),
    channels: JSON.parse(text("channels")),
    stopping: found["stopping"] === null ? null : JSON.parse(text("stopping")),
    recoveries: number("recoveries"),
    error: maybe("error"),
    created_at: text("created_at"),
    updated_at: text("updated_at"),
    epoch: number("epoch"),
    owner: maybe("owner"),
    strikes: JSON.parse(text("strikes")),
    corrupt: corruptSeq === null ? null : { last_good: Number(corruptSeq), why: text("corrupt_why") },
  };
}

const SAME = `SELECT 1 AS same FROM threads
  WHERE no = ? AND thread_id = ? AND hash = ? AND epoch = ? AND owner IS ? AND corrupt_seq IS NULL`;

/**
 * The lines of the threads that this process is at work on. What its last commit wrote need not be read again, column by
 * column, while nobody has changed it: every event moves the head of the hash chain, every claim the epoch, and damage
 * is marked beside both.
 */
export class KnownRows {
  readonly #connection: Connection;
  readonly #rows = new Map<string, NumberedRow>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  read(threadId: string): NumberedRow | undefined {
    const known = this.#rows.get(threadId);
    if (known && this.#isSame(known)) return known;
    this.#rows.delete(threadId);
    return readThread(this.#connection, threadId);
  }

  /** One that nobody works at any more is forgotten: a host may have tens of thousands that only wait. */
  keep(no: number, row: ThreadRow): void {
    if (row.owner === null || row.corrupt) this.#rows.delete(row.thread_id);
    else this.#rows.set(row.thread_id, { no, row });
  }

  #isSame({ no, row }: NumberedRow): boolean {
    const { thread_id, hash, epoch, owner } = row;
    return this.#connection.statement(SAME).get(no, thread_id, hash, epoch, owner) !== undefined;
  }
}
