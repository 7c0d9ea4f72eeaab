/** Questions to people, and the one decision of each: rows in and out. */
import {
  type Approval,
  type ApprovalChange,
  type ApprovalQuery,
  type ApprovalRow,
  type Decision,
  decisionOf,
} from "../core/approval.ts";
import type { ThreadRow } from "../core/row.ts";
import type { Connection } from "./connection.ts";
import type { Row, Value } from "./driver.ts";

const OPEN_IN_CHAIN = "chain_root_id = ? AND state = 'open'";

/** What a commit changes about the questions of its chain. */
export function noteQuestions(
  connection: Connection,
  { thread_id, chain_root_id }: Pick<ThreadRow, "thread_id" | "chain_root_id">,
  changes: readonly ApprovalChange[],
): void {
  for (const change of changes) {
    if (change.type === "open") {
      const { approval, asked_at } = change;
      // A thread asks one question at a time: a new one takes the place of the one before.
      setState(connection, OPEN_IN_CHAIN, chain_root_id, "void");
      connection
        .statement(
          `INSERT INTO approvals (approval_id, thread_id, chain_root_id, body, asked_at, state)
           VALUES (?, ?, ?, ?, ?, 'open')`,
        )
        .run(approval.approval_id, thread_id, chain_root_id, JSON.stringify(approval), asked_at);
    } else if (change.type === "decided") {
      insertDecision(connection, change.decision);
      setState(connection, "approval_id = ?", change.decision.approval_id, "decided");
    } else {
      setState(connection, OPEN_IN_CHAIN, chain_root_id, "void");
    }
  }
}

function setState(connection: Connection, where: string, value: string, state: ApprovalRow["state"]): void {
  connection.statement(`UPDATE approvals SET state = ? WHERE ${where}`).run(state, value);
}

/** An answer that somebody posts. */
export function takeAnswer(
  connection: Connection,
  request: Parameters<typeof decisionOf>[0],
  now: number,
): void {
  insertDecision(connection, decisionOf(request, now));
}

/** The first one stands: the table has one row per question. */
function insertDecision(connection: Connection, decision: Decision): void {
  connection
    .statement(
      `INSERT OR IGNORE INTO decisions (approval_id, body)
       SELECT approval_id, ? FROM approvals WHERE approval_id = ?`,
    )
    .run(JSON.stringify(decision), decision.approval_id);
}

export function queryApprovals(connection: Connection, query: ApprovalQuery): ApprovalRow[] {
  const where: string[] = ["true"];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    where.push(condition);
    values.push(...given);
  };
  const { approvalId, prefix, threadId, states } = query;
  if (approvalId !== undefined) add("a.approval_id = ?", approvalId);
  if (prefix !== undefined) add("a.approval_id >= ? AND a.approval_id < ?", prefix, `${prefix}\u{10ffff}`);
  if (threadId !== undefined) add("a.thread_id = ?", threadId);
  if (states) add(`a.state IN (${states.map(() => "?").join(", ")})`, ...states);
  const sql = `SELECT a.*, d.body AS decision FROM approvals a LEFT JOIN decisions d USING (approval_id)
    WHERE ${where.join(" AND ")} ORDER BY a.rowid`;
  return connection
    .statement(sql)
    .all(...values)
    .map(toApproval);
}

function toApproval(found: Row): ApprovalRow {
  const { decision } = found;
  return {
    approval: JSON.parse(String(found["body"])) as Approval,
    thread_id: String(found["thread_id"]),
    chain_root_id: String(found["chain_root_id"]),
    asked_at: String(found["asked_at"]),
    state: String(found["state"]) as ApprovalRow["state"],
    ...(decision == null ? {} : { decision: JSON.parse(String(decision)) as Decision }),
  };
}
