/** Threads in a list, as people read it: the more columns there are, the more is told (UX a.6). */
import { oneLine } from "../../core/text.ts";
import { VIEW_ORDER, VIEWS, type View } from "./glyph.ts";
import { usedText } from "./limit-text.ts";
import { age, shortTime } from "./moment.ts";
import { underThread } from "./process-text.ts";
import { shortId } from "./short-id.ts";
import { cutTo } from "./shown-width.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import type { ThreadObject } from "./thread-object.ts";

export interface Listed {
  readonly thread: ThreadObject;
  readonly depth: number;
}

/** From here on there is room for whole ids, and for bars. */
const WIDE = 90;
const BAR = 10;

export function psTable(listed: readonly Listed[], { look, out, columns }: Terminal, now: number): string {
  const isWide = columns >= WIDE;
  const rows = [
    ["", "THREAD", "STATE", "FOR", "TURN", "SPEND", "NOW"],
    ...listed.map(({ thread, depth }) => [
      look.ascii ? VIEWS[thread.view].ascii : VIEWS[thread.view].glyph,
      `${"  ".repeat(Math.min(depth, 10))}${isWide ? thread.thread_id : shortId(thread.thread_id)}`,
      thread.view,
      age(now - Date.parse(thread.now.since)),
      usedText(thread.cost.turns, thread.limits["turns"]),
      spendText(thread, isWide),
      noteOf(thread, now),
    ]),
  ];
  const [head = "", ...lines] = table(rows, columns);
  const painted = lines.flatMap((line, index) => [
    paint(line, listed[index]?.thread.view ?? "running", out),
    ...(listed[index]?.thread.processes ?? []).map((process) => cutTo(underThread(process), columns)),
  ]);
  return [out.dim(head), ...painted].join("\n");
}

function paint(line: string, view: View, colours: Terminal["out"]): string {
  const end = line.indexOf(" ");
  return `${colours[VIEWS[view].colour](line.slice(0, end))}${line.slice(end)}`;
}

/** `$0.17 +0.80r / 3.00 ▓▒▒▒░`: spent, held for what is under way, the limit. */
function spendText({ cost, budget }: ThreadObject, hasBar: boolean): string {
  if (cost.spend === null) return "—";
  if (!budget) return `$${cents(cost.spend)}`;
  const held = Number(budget.reserved) > 0 ? ` +${cents(budget.reserved)}r` : "";
  const text = `$${cents(budget.spent)}${held} / ${cents(budget.max)}`;
  return hasBar ? `${text} ${bar(budget)}` : text;
}

function bar({ spent, reserved, max, over }: NonNullable<ThreadObject["budget"]>): string {
  if (Number(over) > 0) return "!".repeat(BAR);
  const share = (amount: string) => (Number(max) === 0 ? 0 : (Number(amount) / Number(max)) * BAR);
  const used = Math.min(BAR, Math.round(share(spent)));
  const held = Math.min(BAR - used, Math.round(share(reserved)));
  return `${"▓".repeat(used)}${"▒".repeat(held)}${"░".repeat(BAR - used - held)}`;
}

function cents(dollars: string): string {
  return Number(dollars).toFixed(2);
}

function noteOf(thread: ThreadObject, now: number): string {
  const text = oneLine(thread.now.doing, 60);
  const { resumes_at, approval, suspend_reason } = thread;
  if (thread.view === "suspended") {
    if (resumes_at !== null) return `resumes ${shortTime(resumes_at, now)} · ${suspend_reason}: ${text}`;
    return `needs you: ${approval === null ? "" : `${approval} `}${suspend_reason}: ${text}`;
  }
  if (thread.view === "orphaned") return `${text}: selvage recover`;
  if (thread.view === "completed") return oneLine(thread.result?.text ?? "", 60);
  if (thread.view === "cancelled") return "";
  const { retry } = thread.now;
  if (!retry) return text;
  const seconds = Math.max(0, Math.ceil((Date.parse(retry.wake_at) - now) / 1000));
  return `${retry.attempt}/${retry.max} in ${seconds}s · ${text}`;
}

/** Fixed columns: id, status, view, since, turns, max_turns, spend, reserved, max_spend, note. */
export function plainThread(thread: ThreadObject, now: number): string {
  const { thread_id, status, view, cost, limits } = thread;
  const columns = [
    thread_id,
    status,
    view,
    thread.now.since,
    cost.turns,
    limits["turns"],
    cost.spend,
    thread.budget?.reserved,
    limits["spend"],
    noteOf(thread, now),
  ];
  return columns.map((column) => (column === null || column === undefined ? "-" : String(column))).join("\t");
}

export function psSummary(counts: Record<View, number>, truncated: boolean, isAll: boolean): string {
  const finished = counts.completed + counts.error + counts.cancelled + counts.continued;
  const live = VIEW_ORDER.reduce((sum, view) => sum + counts[view], 0) - finished;
  const parts = [
    live === 0 ? "No live threads" : `${live} live`,
    ...(counts.suspended > 0
      ? [`${counts.suspended} ${counts.suspended === 1 ? "needs" : "need"} you: selvage approvals`]
      : []),
    ...(counts.orphaned > 0 ? [`${counts.orphaned} orphaned: selvage recover`] : []),
    ...(finished > 0 ? [isAll ? `${finished} finished` : `selvage ps -a for ${finished} finished`] : []),
    ...(truncated ? ["more with -n"] : []),
  ];
  return parts.join(" · ");
}
