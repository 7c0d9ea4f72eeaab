/** Recomputes everything that follows from the events and compares it with what is stored (F5). Changes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRow } from "../core/approval.ts";
import type { Event } from "../core/event.ts";
import { newRow, type RowFold, reduceRow, type ThreadRow, timerChange } from "../core/row.ts";
import { isTerminal } from "../core/status.ts";
import type { Store } from "../core/store.ts";
import { type Driver, openReadOnly } from "./driver.ts";
import { readTranscript } from "./exports.ts";
import { approvalFindings } from "./verify-approvals.ts";
import { carriedFindings, chainFindings } from "./verify-chain.ts";
import { familyFindings } from "./verify-family.ts";
import { ledgerFindings } from "./verify-ledger.ts";

interface Finding {
  /** What of the store it is about: sums of money, or anything else. */
  readonly part: "state" | "ledger";
  readonly thread_id: string | null;
  readonly last_good: number | null;
  readonly what: string;
}

export interface VerifyReport {
  readonly threads: number;
  readonly events: number;
  readonly findings: readonly Finding[];
}

export async function verifyStore(store: Store, path: string, threadsFolder: string): Promise<VerifyReport> {
  // Before the threads: one that is asked about is there already.
  const questions = await store.approvals({});
  const rows = await store.find({});
  const links = chainFindings(rows).map(({ row, what }) => finding(row, row.seq, what));
  const findings: Finding[] = [...integrity(path), ...strays(questions, rows), ...links];
  const rowOf = new Map(rows.map((row) => [row.thread_id, row]));
  const isLone = loneliness(rows);
  let events = 0;
  for (const { thread_id } of rows) {
    // The file is read first: a thread that goes on meanwhile makes the store longer, never the file.
    const { lastSeq } = readTranscript(join(threadsFolder, thread_id, "transcript.jsonl"));
    const inspected = await store.inspect(thread_id);
    if (!inspected) continue;
    const { row, loaded, timerDue, approvals, statement } = inspected;
    events += loaded.events.length;
    const found = loaded.damage
      ? [finding(row, loaded.damage.last_good, loaded.damage.why)]
      : [
          ...projections(row, loaded.events, timerDue),
          ...approvalFindings(loaded.events, approvals).map((what) => finding(row, row.seq, what)),
          ...(isLone(row) ? ledgerFindings(row, loaded.events, statement) : []).map((what) =>
            finding(row, row.seq, what, "ledger"),
          ),
          ...carriedFindings(loaded.events, rowOf).map((what) => finding(row, row.seq, what)),
          ...transcript(row, lastSeq),
        ];
    findings.push(...found);
  }
  for (const rootId of new Set(rows.filter((row) => !isLone(row)).map(({ root_id }) => root_id))) {
    const found = familyFindings(await store.family(rootId));
    findings.push(...found.map(({ row, what }) => finding(row, row.seq, what, "ledger")));
  }
  return { threads: rows.length, events, findings };
}

/** Who has nobody above or below pays for itself alone. */
function loneliness(rows: readonly ThreadRow[]): (row: ThreadRow) => boolean {
  const sizes = new Map<string, number>();
  for (const { root_id } of rows) sizes.set(root_id, (sizes.get(root_id) ?? 0) + 1);
  return ({ root_id, parent_id }) => parent_id === null && sizes.get(root_id) === 1;
}

/** Questions of threads that are not there. */
function strays(questions: readonly ApprovalRow[], rows: readonly ThreadRow[]): Finding[] {
  const ids = new Set(rows.map((row) => row.thread_id));
  return questions
    .filter((each) => !ids.has(each.thread_id))
    .map(({ approval, thread_id }) => {
      const what = `the question ${approval.approval_id} is about ${thread_id}, and there is no such thread`;
      return { part: "state", thread_id: null, last_good: null, what };
    });
}

function finding(
  row: ThreadRow,
  lastGood: number | null,
  what: string,
  part: Finding["part"] = "state",
): Finding {
  return { part, thread_id: row.thread_id, last_good: lastGood, what };
}

function integrity(path: string): Finding[] {
  if (!existsSync(path)) return [];
  const driver = openReadOnly(path);
  try {
    const checked = driver
      .prepare("PRAGMA integrity_check(20)")
      .all()
      .map((found) => String(found["integrity_check"]))
      .filter((text) => text !== "ok");
    return [...checked, ...misplaced(driver)].map((text) => ({
      ...{ part: "state", thread_id: null, last_good: null },
      what: `database: ${text}`,
    }));
  } finally {
    driver.close();
  }
}

/** Events that stand in no journal, and places in journals without an event. */
function misplaced(driver: Driver): string[] {
  const count = (sql: string) => Number(driver.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.["n"]);
  const stray = count(
    `events e LEFT JOIN places ON place = (thread << 32) + seq
     WHERE places.cursor IS NOT e.cursor OR thread NOT IN (SELECT no FROM threads)`,
  );
  const empty = count("places LEFT JOIN events e USING (cursor) WHERE e.cursor IS NULL");
  return [
    ...(stray > 0 ? [`${stray} events that stand in no journal`] : []),
    ...(empty > 0 ? [`${empty} places in journals without an event`] : []),
  ];
}

function projections(row: ThreadRow, events: readonly Event[], timerDue: number | undefined): Finding[] {
  const folded = events.reduce((fold: RowFold, event) => reduceRow(fold, event), newRow(row.thread_id));
  const wrong = (Object.keys(folded) as (keyof RowFold)[]).filter(
    (key) => JSON.stringify(folded[key]) !== JSON.stringify(row[key]),
  );
  const found = wrong.map((key) =>
    finding(row, row.seq, `registry says ${key} = ${show(row[key])}, the journal says ${show(folded[key])}`),
  );
  const due = events.map(timerChange).findLast((change) => change !== undefined)?.due ?? null;
  const expected = due === null || isTerminal(row.status) ? undefined : Date.parse(due);
  if (!isTerminal(row.status) && expected !== timerDue) {
    found.push(finding(row, row.seq, `timer is ${show(timerDue)}, the journal says ${show(expected)}`));
  }
  return found;
}

function show(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function transcript(row: ThreadRow, lastSeq: number): Finding[] {
  if (lastSeq <= row.seq) return [];
  const what = `transcript.jsonl has ${lastSeq} events, the store only ${row.seq}: the store lost some`;
  return [finding(row, row.seq, what)];
}
