/** Looks at the registry as a whole: what is under way, what stands still, how many there are. */
import type { Candidate } from "../core/claim.ts";
import type { Request } from "../core/request.ts";
import type { Named, ThreadRow } from "../core/row.ts";
import { STATUSES, type Status } from "../core/status.ts";
import type { Connection } from "./connection.ts";
import type { Value } from "./driver.ts";
import { readRows } from "./thread-table.ts";

/** Word for word what the index of live threads says: only then it is used. */
const LIVE = "status NOT IN ('completed', 'error', 'cancelled', 'continued')";
const OPEN = "SELECT chain_root_id FROM requests WHERE consumed_at IS NULL";

/** `isStirring`, for the database: most threads of a host stand still, and their rows are never made. */
const STIRS = `(owner IS NOT NULL OR chain_root_id IN (${OPEN})
  OR (status = 'running' AND (waits_for IS NULL OR chain_root_id IN (SELECT chain_root_id FROM timers)))
  OR chain_root_id IN (SELECT chain_root_id FROM timers WHERE due <= ?))`;

/** Three queries, however many threads there are. */
export function readCandidates(connection: Connection, scope: string): Candidate[] {
  const { where, values } = living(scope);
  return withWhatIsOpen(connection, readRows(connection, where, ...values));
}

export function readStirring(connection: Connection, scope: string, until: number): Candidate[] {
  const { where, values } = living(scope);
  return withWhatIsOpen(connection, readRows(connection, `${where} AND ${STIRS}`, ...values, until));
}

export function readNames(
  connection: Connection,
  scope: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Named[] {
  const { where, values } = living(scope);
  return connection
    .statement(
      `SELECT thread_id, chain_root_id, continuation_of, root_id FROM threads ${where} LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, from) as unknown as Named[];
}

export function tally(connection: Connection): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status, n } of connection
    .statement("SELECT status, count(*) AS n FROM threads GROUP BY status")
    .all()) {
    counts[status as Status] = Number(n);
  }
  return counts;
}

function living(scope: string): { where: string; values: Value[] } {
  if (scope === "*") return { where: `WHERE ${LIVE}`, values: [] };
  return { where: `WHERE ${LIVE} AND root_id = ?`, values: [scope] };
}

function withWhatIsOpen(connection: Connection, rows: readonly ThreadRow[]): Candidate[] {
  if (rows.length === 0) return [];
  const chains = JSON.stringify(rows.map(({ chain_root_id }) => chain_root_id));
  const requests = openRequests(connection, chains);
  const timers = new Map(
    connection
      .statement(`SELECT chain_root_id, due FROM timers WHERE chain_root_id IN (${THESE})`)
      .all(chains)
      .map((timer) => [String(timer["chain_root_id"]), Number(timer["due"])]),
  );
  return rows.map((row) => ({
    row,
    requests: requests.get(row.chain_root_id) ?? [],
    timerDue: timers.get(row.chain_root_id),
  }));
}

const THESE = "SELECT value FROM json_each(?)";

function openRequests(connection: Connection, chains: string): ReadonlyMap<string, readonly Request[]> {
  const open = new Map<string, Request[]>();
  const found = connection
    .statement(
      `SELECT chain_root_id, body FROM requests WHERE consumed_at IS NULL AND chain_root_id IN (${THESE}) ORDER BY rowid`,
    )
    .all(chains);
  for (const { chain_root_id: chain, body } of found) {
    const request: Request = JSON.parse(String(body));
    const known = open.get(String(chain));
    if (known) known.push(request);
    else open.set(String(chain), [request]);
  }
  return open;
}
