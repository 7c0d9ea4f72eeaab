/** The inbox (L4): every open question, and every thread that needs somebody without having asked. */
import type { ApprovalRow } from "../../core/approval.ts";
import type { ThreadRow } from "../../core/row.ts";
import { grouped, oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import {
  type ApprovalObject,
  approvalObject,
  approvalState,
  asksText,
  resumesAt,
} from "./approval-object.ts";
import { counted, shortTime } from "./moment.ts";
import { openQuestion } from "./question-first.ts";
import { type Sighting, surveyLive, uncaredText } from "./survey.ts";

export interface InboxEntry {
  readonly object: ApprovalObject;
  readonly asks: string;
  readonly evidence: string;
}

/** The oldest first. */
export async function readInbox(world: World, { all }: { readonly all: boolean }): Promise<InboxEntry[]> {
  const now = world.clock.now();
  const live = await surveyLive(world);
  const questions = await world.store.approvals(all ? {} : { states: ["open"] });
  const isOpen = (question: ApprovalRow) => approvalState(question) === "open";
  const damaged = new Set(live.filter(({ damage }) => damage).map(({ row }) => row.thread_id));
  const asked = questions.filter((question) => (isOpen(question) ? !damaged.has(question.thread_id) : all));
  const asking = new Set(asked.filter(isOpen).map(({ thread_id }) => thread_id));
  const rows = new Map(live.map(({ row }) => [row.thread_id, row]));
  const entries = await Promise.all(
    asked.map(async (question) => {
      const { thread_id: threadId } = question;
      const row = rows.get(threadId) ?? (await world.store.find({ threadId, limit: 1 }))[0];
      return questionEntry(question, row, now);
    }),
  );
  const derived = live
    .filter((sighting) => needsSomebody(sighting) && (sighting.damage || !asking.has(sighting.row.thread_id)))
    .map((sighting) => derivedEntry(sighting, now));
  return [...entries, ...derived].sort((left, right) =>
    left.object.asked_at < right.object.asked_at ? -1 : left.object.asked_at > right.object.asked_at ? 1 : 0,
  );
}

/** Without a question of its own. */
function needsSomebody(sighting: Sighting): boolean {
  return sighting.damage !== null || sighting.isAbandoned || waitsForResume(sighting);
}

/** Agreed to and not let go on (`approve --no-resume`): no question is open, and only a person moves it. */
export function waitsForResume({ row, requests }: Sighting): boolean {
  const isStill = row.status === "suspended" && requests.length === 0;
  return isStill && openQuestion(row) === null && resumesAt(row) === null;
}

function questionEntry(question: ApprovalRow, row: ThreadRow | undefined, now: number): InboxEntry {
  const object = approvalObject(question, row, now);
  return { object, asks: asksText(question), evidence: evidenceText(object, row, now) };
}

function evidenceText(object: ApprovalObject, row: ThreadRow | undefined, now: number): string {
  const { decided, state, reason, resumes_at, reminders, call } = object;
  if (decided) return `${decided.approved ? "approved" : "denied"} by ${oneLine(decided.by, 40)}`;
  if (state === "void") return "void: its thread went on or ended without an answer";
  const parts = [
    reason === "limit" && row ? usedSoFar(row) : "",
    call ? "runs exactly this call" : "",
    resumes_at ? `goes on by itself at ${shortTime(resumes_at, now)}` : "",
    reason === "error" || (reason === "quota" && !resumes_at) ? "asks again, with the same limits" : "",
    reminders ? `reminded ${counted(reminders, "time")}, still open` : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function usedSoFar({ turns, input_tokens, output_tokens, active_ms }: ThreadRow): string {
  const tokens = counted(input_tokens + output_tokens, "token");
  return `${counted(turns, "turn")}, ${tokens}, ${grouped(Math.round(active_ms / 1000))} s`;
}

/** No question of its own: the command that deals with it stands in place of an id. */
function derivedEntry(sighting: Sighting, now: number): InboxEntry {
  const { row, damage, requests } = sighting;
  const { reason, command } = derivedNeed(sighting);
  const asked_at = row.updated_at;
  const object: ApprovalObject = {
    approval_id: null,
    thread_id: row.thread_id,
    directive: row.directive,
    reason,
    limit_code: null,
    current: null,
    current_max: null,
    proposed_max: null,
    prompt: null,
    asked_at,
    waits_seconds: Math.max(0, Math.round((now - Date.parse(asked_at)) / 1000)),
    reminders: null,
    resumes_at: null,
    on_deny: null,
    call: null,
    digest: null,
    state: "open",
    decided: null,
    command,
  };
  if (damage) {
    const asks = `damaged after event ${damage.last_good}`;
    return { object, asks, evidence: oneLine(damage.why, 80) };
  }
  if (!sighting.isAbandoned) return { object, asks: `approved; waits for ${command}`, evidence: "" };
  const waiting = requests.length > 0 ? "what was asked of it is stored" : "everything finished is stored";
  return { object, asks: uncaredText(sighting), evidence: waiting };
}

function derivedNeed({ row, damage, isAbandoned }: Sighting): { reason: string; command: string } {
  const recover = `selvage recover ${row.thread_id}`;
  if (damage) return { reason: "corrupt", command: `${recover} --mark-error` };
  if (isAbandoned) return { reason: "orphaned", command: recover };
  return { reason: row.suspend_reason ?? "approval", command: `selvage resume ${row.thread_id}` };
}
