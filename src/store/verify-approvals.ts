/** Recomputes the questions of a thread from its events and compares them with what is stored (F5, L4). */
import type { Approval, ApprovalRow, Decision } from "../core/approval.ts";
import type { Event } from "../core/event.ts";
import { canonical } from "../core/id.ts";
import { approvalChange } from "../core/row.ts";

interface Told {
  readonly approval: Approval;
  readonly asked_at: string;
  readonly state: ApprovalRow["state"];
  readonly decision?: Decision;
}

/** What is wrong, a sentence each. */
export function approvalFindings(events: readonly Event[], stored: readonly ApprovalRow[]): string[] {
  const told = questionsIn(events);
  const known = new Map(stored.map((row) => [row.approval.approval_id, row]));
  const lost = [...told.keys()].filter((id) => !known.has(id));
  return [
    ...lost.map((id) => `the question ${id} is in the journal and not in the inbox`),
    ...stored.flatMap((row) => differences(row, told.get(row.approval.approval_id))),
  ];
}

/** What the events tell of each question, by its id. */
function questionsIn(events: readonly Event[]): Map<string, Told> {
  const told = new Map<string, Told>();
  const voidOpen = () => {
    for (const [id, each] of told) if (each.state === "open") told.set(id, { ...each, state: "void" });
  };
  for (const event of events) {
    const change = approvalChange(event);
    if (change?.type === "void") voidOpen();
    if (change?.type === "open") {
      const { approval, asked_at } = change;
      voidOpen(); // a thread asks one question at a time
      told.set(approval.approval_id, { approval, asked_at, state: "open" });
    }
    if (change?.type === "decided") {
      const { decision } = change;
      const asked = told.get(decision.approval_id);
      if (asked) told.set(decision.approval_id, { ...asked, state: "decided", decision });
    }
  }
  return told;
}

function differences(row: ApprovalRow, told: Told | undefined): string[] {
  const id = row.approval.approval_id;
  if (!told) return [`the question ${id} is in the inbox and not in the journal`];
  const found: string[] = [];
  if (row.state !== told.state)
    found.push(`the question ${id} is ${row.state} in the inbox, ${told.state} in the journal`);
  const isSame = row.asked_at === told.asked_at && canonical(row.approval) === canonical(told.approval);
  if (!isSame) found.push(`the question ${id} differs between inbox and journal`);
  if (told.decision && !row.decision)
    found.push(`the question ${id} is decided, and its decision is missing`);
  if (told.decision && row.decision && essence(row.decision) !== essence(told.decision))
    found.push(`the decision of ${id} differs between inbox and journal`);
  return found;
}

/** Its time is not compared: it was made when it was posted, and journaled when it was taken. */
function essence({ approval_id, approved, by, via, message }: Decision): string {
  return canonical([approval_id, approved, by, via, message ?? null]);
}
