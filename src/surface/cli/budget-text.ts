/** Limits and charges of one thread, as people read them. */
import { findBreach, type Limits, type LimitValue } from "../../core/limit.ts";
import { limitHistory } from "../../core/limit-change.ts";
import { parseDollars, showDollars, showShort } from "../../core/money.ts";
import { oneLine } from "../../core/text.ts";
import type { Outcome } from "./budget-ask.ts";
import { type BudgetSeen, correctableOf, limitRows, moneyOf } from "./budget-object.ts";
import { correctLines } from "./cost-text.ts";
import { changeText, limitText } from "./limit-text.ts";
import type { Session } from "./session.ts";
import { stepLines } from "./step-lines.ts";
import { table } from "./table.ts";

export function budgetText(seen: BudgetSeen, { terminal }: Session): { text: string; hint?: string } {
  const { row, above } = seen;
  const state = `${row.status}${row.suspend_reason ? ` (${row.suspend_reason})` : ""}`;
  const [head = "", ...lines] = table([["LIMIT", "USED", "OF", ""], ...limitRows(seen)], terminal.columns);
  const changes = seen.events.filter(
    ({ type }) => type === "budget_changed" || type === "charge_corrected",
  ).length;
  const text = [
    `${terminal.out.bold(row.thread_id)} · ${state}`,
    ...[terminal.out.dim(head), ...lines].map((line) => `  ${line}`),
    ...(above ? [`  ${parentText(above)}`] : []),
    ...(changes > 0
      ? [
          `  changed ${changes === 1 ? "once" : `${changes} times`}: selvage budget ${row.thread_id} --history`,
        ]
      : []),
    ...correctLines(correctableOf(seen)).map((line) => `  ${line}`),
  ].join("\n");
  return { text, ...goOnHint(seen) };
}

function parentText({ balance }: NonNullable<BudgetSeen["above"]>): string {
  return `${balance.account} ${Number.isFinite(balance.free) ? `keeps ${showShort(balance.free)} free` : "has no limit"}`;
}

/** `plan_react_ui spend $0.80 → $1.20 (build_crud_app keeps $0.58 free)`. */
export function changeLine(seen: BudgetSeen, outcome: Outcome, asked: Limits): string {
  const { row } = seen;
  if (outcome.type !== "done" || outcome.event.type !== "budget_changed") {
    const stands = Object.keys(asked).map((key) => `${key} ${limitText(key, row.limits[key])}`);
    return `${row.thread_id} has ${stands.join(", ")} already. Nothing was written.`;
  }
  const { request_id } = outcome.event;
  const change = limitHistory(seen.events).find(({ requestId }) => requestId === request_id);
  if (!change) throw new Error(`${request_id} is gone from the journal`);
  return `${row.thread_id} ${changeText(change.from, change.to)}${freeText(seen, change.to)}`;
}

function freeText(seen: BudgetSeen, { spend }: Limits): string {
  if (spend === undefined) return "";
  const { free } = moneyOf(seen);
  const own = free === null ? [] : [`${showShort(free)} free`];
  return ` (${[...own, ...(seen.above ? [parentText(seen.above)] : [])].join("; ")})`;
}

export function settledLine(seen: BudgetSeen, outcome: Outcome, hold: string): string {
  const { row } = seen;
  if (outcome.type !== "done" || outcome.event.type !== "charge_corrected") {
    return `${oneLine(hold, 120)} stands at that already. Nothing was written.`;
  }
  const { was, amount } = outcome.event;
  const { spent, free } = moneyOf(seen);
  const left = free === null ? "" : `, ${showShort(free)} free`;
  return `${row.thread_id} charge ${oneLine(hold, 120)} $${showDollars(was)} → $${showDollars(amount)} ($${showDollars(spent)} spent${left})`;
}

/** A live owner has it: nothing is lost, and nothing is promised. */
export function waitingText({ row }: BudgetSeen, what: string): string {
  return `${row.thread_id} is asked to change ${what}; its owner takes it between two steps: selvage budget ${row.thread_id} --history`;
}

/** A thread that stopped for a limit does not go on by itself when the limit is raised: a person says so. */
export function goOnHint({ row, thread }: BudgetSeen): { hint?: string } {
  const { thread_id: id, suspend_reason: reason } = row;
  if (reason !== "limit" && reason !== "budget") return {};
  const short = lacking(thread);
  const raise = { cmd: `selvage budget ${id} --add ${short}=…`, why: "more of what it lacks" };
  const goOn = { cmd: `selvage resume ${id}`, why: "lets it go on with the limits it has" };
  const steps = short === undefined ? [goOn] : [raise];
  return { hint: [`It is suspended (${reason}).`, ...stepLines(steps)].join("\n") };
}

/** The limit that would stop it again at once; for money: while no more is free than when it was asked about. */
function lacking(thread: BudgetSeen["thread"]): string | undefined {
  const breach = findBreach(thread);
  if (breach) return breach.key;
  const { limit_code, current = 0, current_max = 0 } = thread.approval ?? {};
  if (limit_code !== "spend_exceeded") return undefined;
  const then = nanos(current_max) - Math.round(current * 1e9);
  return nanos(thread.limits["spend"] ?? 0) - thread.spent <= then ? "spend" : undefined;
}

function nanos(amount: LimitValue): number {
  return parseDollars(String(amount)) ?? 0;
}

export function historyText(seen: BudgetSeen): { text: string; hint?: string } {
  const limits = limitHistory(seen.events).map(({ at, by, from, to, refused }) => ({
    at,
    text: `${refused === null ? changeText(from, to) : `refused: ${oneLine(refused, 160)}`}  by ${oneLine(by, 60)}`,
  }));
  const charges = seen.events.flatMap((event) => {
    if (event.type !== "charge_corrected") return [];
    const { ts: at, hold, was, amount, by, refused } = event;
    const change = `$${showDollars(was)} → $${showDollars(amount)}`;
    const told = refused === undefined ? change : `refused: ${oneLine(refused, 160)}`;
    return [{ at, text: `charge ${oneLine(hold, 80)} ${told}  by ${oneLine(by, 60)}` }];
  });
  const lines = [...limits, ...charges].sort((left, right) =>
    left.at < right.at ? -1 : left.at > right.at ? 1 : 0,
  );
  if (lines.length === 0)
    return { text: "", hint: `Nothing of the budget of ${seen.row.thread_id} was changed.` };
  return { text: lines.map(({ at, text }) => `${at}  ${text}`).join("\n") };
}
