/** Threads that go for good, with all that is theirs: journal, questions, requests, timers, money. */
import { type RemovalRefusal, removalRefusal } from "../core/removal.ts";
import type { Connection } from "./connection.ts";
import { placesOf } from "./event-table.ts";
import { readHosts } from "./host-table.ts";
import type { StoreNeeds } from "./stores/needs.ts";
import { queryThreads } from "./thread-table.ts";

const AMONG = "IN (SELECT value FROM json_each(?))";
/** Of the threads that are named. */
const PLACES = `(SELECT no FROM threads WHERE thread_id ${AMONG}) CROSS JOIN places ON ${placesOf("no")}`;
const JOURNALS = `${PLACES} CROSS JOIN events USING (cursor)`;

export function removeThreads(
  connection: Connection,
  { ownerState }: StoreNeeds,
  threadIds: readonly string[],
): RemovalRefusal | undefined {
  const rows = queryThreads(connection, {});
  const hosts = readHosts(connection).filter(({ owner }) => ownerState(owner) !== "dead");
  const hosted = hosts.map(({ scope }) => scope);
  const refusal = removalRefusal(threadIds, { rows, hosted, last: lastThread(connection) });
  if (refusal) return refusal;
  const wanted = new Set(threadIds);
  const chains = rows.filter(({ thread_id }) => wanted.has(thread_id)).map((row) => row.chain_root_id);
  const threads = JSON.stringify(threadIds);
  erase(connection, threads, JSON.stringify([...new Set(chains)]));
  return undefined;
}

function erase(connection: Connection, threads: string, chains: string): void {
  const run = (sql: string, ...values: string[]) => connection.statement(sql).run(...values);
  const blobs = connection
    .statement(`SELECT DISTINCT blob FROM ${JOURNALS} WHERE blob IS NOT NULL`)
    .all(threads)
    .map(({ blob }) => String(blob));
  run(`DELETE FROM events WHERE cursor IN (SELECT cursor FROM ${PLACES})`, threads);
  run(`DELETE FROM places WHERE place IN (SELECT place FROM ${PLACES})`, threads);
  // One content may stand in the journals of several threads.
  if (blobs.length > 0) {
    run(
      `DELETE FROM blobs WHERE sha256 ${AMONG} AND sha256 NOT IN (SELECT blob FROM events WHERE blob IS NOT NULL)`,
      JSON.stringify(blobs),
    );
  }
  const questions = `(SELECT approval_id FROM approvals WHERE thread_id ${AMONG})`;
  run(`DELETE FROM decisions WHERE approval_id IN ${questions}`, threads);
  run(`DELETE FROM approvals WHERE thread_id ${AMONG}`, threads);
  for (const table of ["requests", "timers"])
    run(`DELETE FROM ${table} WHERE chain_root_id ${AMONG}`, chains);
  run(`DELETE FROM accounts WHERE account ${AMONG}`, chains);
  run(`DELETE FROM threads WHERE thread_id ${AMONG}`, threads);
}

function lastThread(connection: Connection): string | undefined {
  const found = connection
    .statement("SELECT thread_id FROM events JOIN threads ON no = thread ORDER BY cursor DESC LIMIT 1")
    .get();
  return found && String(found["thread_id"]);
}

/** Bytes of their journals. What several of them share counts once for each. */
export function weighThreads(connection: Connection, threadIds: readonly string[]): number {
  const found = connection
    .statement(
      `SELECT sum(octet_length(coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)))) AS bytes
       FROM ${JOURNALS}`,
    )
    .get(JSON.stringify(threadIds));
  return Number(found?.["bytes"] ?? 0);
}
