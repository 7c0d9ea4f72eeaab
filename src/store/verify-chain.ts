/** The links of chains, both ways, and what was carried over them (F5, X3). A chain that leads in a circle is damage. */
import type { Event } from "../core/event.ts";
import type { ThreadRow } from "../core/row.ts";

type Rows = ReadonlyMap<string, ThreadRow>;

interface Told {
  readonly row: ThreadRow;
  readonly what: string;
}

/** What is wrong with the links of all threads there are, as they were at one moment. */
export function chainFindings(rows: readonly ThreadRow[]): Told[] {
  const rowOf: Rows = new Map(rows.map((row) => [row.thread_id, row]));
  return rows.flatMap((row) =>
    [...wrongLinks(row, rowOf), ...(isInCircle(row, rowOf) ? ["its chain leads in a circle"] : [])].map(
      (what) => ({ row, what }),
    ),
  );
}

function wrongLinks(row: ThreadRow, rowOf: Rows): string[] {
  const { thread_id: id, continuation_thread_id: to, continuation_of: of, chain_root_id: chain } = row;
  const found: string[] = [];
  if ((row.status === "continued") !== (to !== null))
    found.push(`it is ${row.status}, and goes on in ${to ?? "no other thread"}`);
  if (to !== null && rowOf.get(to)?.continuation_of !== id)
    found.push(`it goes on in ${to}, which ${told(rowOf.get(to)?.continuation_of)}`);
  if (of === null) return found;
  const before = rowOf.get(of);
  if (before?.continuation_thread_id !== id)
    found.push(`it goes on from ${of}, which ${told(before?.continuation_thread_id, "goes on in")}`);
  // One whose parent has ended begins a chain, and a tree, of its own.
  if (before && chain !== id && chain !== before.chain_root_id)
    found.push(`it belongs to the chain ${chain}, the one before it to ${before.chain_root_id}`);
  return found;
}

function told(other: string | null | undefined, words = "goes on from"): string {
  if (other === undefined) return "is not there";
  return other === null ? `${words} none` : `${words} ${other}`;
}

function isInCircle(row: ThreadRow, rowOf: Rows): boolean {
  const seen = new Set<string>();
  let next = row.continuation_thread_id;
  while (next !== null && next !== row.thread_id && !seen.has(next)) {
    seen.add(next);
    next = rowOf.get(next)?.continuation_thread_id ?? null;
  }
  return next === row.thread_id;
}

/** A thread begins with the sums of the one before it; in a tree of its own, without its money. */
export function carriedFindings(events: readonly Event[], rowOf: Rows): string[] {
  const [created] = events;
  if (created?.type !== "thread_created" || !created.carried) return [];
  const { carried, continuation_of: of = "", chain_root_id, thread_id } = created;
  const before = rowOf.get(of);
  if (!before) return [];
  const expected = {
    turns: before.turns,
    active_ms: before.active_ms,
    spent: chain_root_id === thread_id ? 0 : before.spent,
  };
  return (["turns", "active_ms", "spent"] as const)
    .filter((key) => carried[key] !== expected[key])
    .map((key) => `it took over ${key} = ${carried[key]} from ${of}, which has ${expected[key]}`);
}
