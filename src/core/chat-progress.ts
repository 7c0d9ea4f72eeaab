/** The one message that is edited while work goes on (UX d.1), and what it shrinks to. */
import type { ChatText } from "./chat-platform.ts";
import type { ChatRun, RunChild } from "./chat-run.ts";
import type { ChatOutcome } from "./chat-state.ts";
import { spaced } from "./chat-texts.ts";
import { showShort } from "./money.ts";
import { oneLine } from "./text.ts";
import { VIEWS } from "./view-sign.ts";

const MOST_CHILDREN = 6;
const MOST_CALLS = 2;
const BAR = 9;

export interface ProgressLook {
  readonly now: number;
  readonly hideCosts: boolean;
}

/** What every progress message begins as. */
export const BEGUN = `${VIEWS.running.glyph} Working · turn 1`;

export function progressText(run: ChatRun, look: ProgressLook): ChatText {
  if (run.isStopping) return { text: stoppingText(run, look.now) };
  if (run.retry) {
    const text = `${VIEWS.retrying.glyph} Retrying (${run.retry.attempt}/${run.retry.max}) in ${countdown(run.retry, look.now)}s…`;
    return { text, buttons: [{ label: "Stop retrying", action: "stop_retry", value: "last" }] };
  }
  if (run.status === "suspended") return { text: `${VIEWS.suspended.glyph} Waiting for a decision.` };
  return { text: [workingLine(run, look), ...childLines(run, look.now)].join("\n") };
}

function workingLine(run: ChatRun, { now, hideCosts }: ProgressLook): string {
  const turn = Math.max(1, run.turn - run.turnsBefore);
  const calls = Object.values(run.calls);
  const sign = VIEWS.running.glyph;
  if (turn === 1 && calls.length === 0) return BEGUN;
  const shown = calls.slice(0, MOST_CALLS).map(({ tool, at, part }) => {
    const share = part === undefined ? "" : ` ${Math.round(part * 100)} %`;
    return `${oneLine(tool, 40)} ${lasting(now - at)}${share}`;
  });
  const more = calls.length - shown.length;
  const doing = more > 0 ? [...shown, `+${more}`].join(", ") : shown.join(", ");
  const cost = hideCosts ? "" : costText(run);
  return [`${sign} turn ${turn}`, doing, cost].filter((part) => part !== "").join(" · ");
}

/** `$0.04 of $0.25`. */
export function costText({ spent, limit }: Pick<ChatRun, "spent" | "limit">): string {
  if (limit === undefined) return spent === 0 ? "" : showShort(spent);
  return `${showShort(spent)} of ${showShort(limit)}`;
}

/** What lasts long is told in larger steps: nobody needs an edit for each second of an hour. */
function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const step = seconds < 60 ? 1 : seconds < 600 ? 10 : 60;
  return spaced(Math.floor(seconds / step) * step * 1000);
}

/** Whole, half and a quarter of the wait: three texts, so at most three edits. */
function countdown({ from, until }: NonNullable<ChatRun["retry"]>, now: number): number {
  const whole = Math.max(0, until - from);
  const left = Math.max(0, until - now);
  const shown = left > whole / 2 ? whole : left > whole / 4 ? whole / 2 : whole / 4;
  return Math.ceil(shown / 1000);
}

const SIGNS: Record<RunChild["state"], string> = {
  running: VIEWS.running.glyph,
  done: VIEWS.completed.glyph,
  failed: VIEWS.error.glyph,
  suspended: VIEWS.suspended.glyph,
};

function childLines({ wave, children }: ChatRun, now: number): string[] {
  if (children.length === 0) return [];
  const over = children.filter(({ state }) => state === "done" || state === "failed").length;
  if (over === children.length) return [];
  const full = Math.round((over / children.length) * BAR);
  const bar = `${"▓".repeat(full)}${"░".repeat(BAR - full)}`;
  const shown = children.slice(0, MOST_CHILDREN).map(({ directive, state, at }) => {
    const time = state === "running" ? ` ${lasting(now - at)}` : "";
    return `${SIGNS[state]} ${oneLine(directive, 60)}${time}`;
  });
  const more = children.length - shown.length;
  const head = `wave ${wave}: ${over} of ${children.length} done ${bar}`;
  return more > 0 ? [head, ...shown, `+${more}`] : [head, ...shown];
}

/** `◐ Stopping after run_tests (38 s so far).` */
export function stoppingText({ calls }: Pick<ChatRun, "calls">, now: number): string {
  const [first] = Object.values(calls);
  const sign = VIEWS.stopping.glyph;
  if (!first) return `${sign} Stopping at the next step.`;
  return `${sign} Stopping after ${oneLine(first.tool, 40)} (${lasting(now - first.at)} so far).`;
}

export const STOPPED = `${VIEWS.cancelled.glyph} Stopped. Work is kept.`;

/** To who wrote while something else was under way, when that ended. */
export function unreadText({ count, isKept }: { readonly count: number; readonly isKept: boolean }): string {
  const what = count === 1 ? "your last message" : `${count} more messages`;
  if (isKept) return `I did not come to ${what}. Nothing is lost: it goes on there when you write again.`;
  return `I was stopped before I came to ${what}. Send what still counts again.`;
}

/** To who changed a message when all was said about it. */
export const ALREADY_ANSWERED =
  "I have come to the end of the first version by now, send the change as a new message.";

const LAST: Record<ChatOutcome["kind"], string> = {
  answer: VIEWS.completed.glyph,
  none: VIEWS.completed.glyph,
  error: VIEWS.error.glyph,
  stopped: VIEWS.cancelled.glyph,
  unread: VIEWS.cancelled.glyph,
  too_late: VIEWS.cancelled.glyph,
};

/** `✓ 4 m 12 s · $0.31 · details`, once the answer stands elsewhere. */
export function doneText(done: {
  readonly kind: ChatOutcome["kind"];
  readonly ms: number;
  readonly spent: number;
  readonly hideCosts: boolean;
  readonly details?: string | undefined;
}): string {
  const cost = done.hideCosts || done.spent === 0 ? [] : [showShort(done.spent)];
  const details = done.details === undefined ? [] : [`[details](${done.details})`];
  return [`${LAST[done.kind]} ${spaced(done.ms)}`, ...cost, ...details].join(" · ");
}
