/** What commands of a chat are answered with (UX d.3). Who asked sees it alone, where the platform can. */
import type { Decision } from "./approval.ts";
import { costText, STOPPED, stoppingText } from "./chat-progress.ts";
import type { ChatState } from "./chat-state.ts";
import { shortUtc, spaced } from "./chat-texts.ts";
import { counted } from "./moment.ts";
import { showShort } from "./money.ts";
import { NOTHING_UNDER_WAY } from "./request.ts";
import { oneLine } from "./text.ts";
import { VIEWS } from "./view-sign.ts";

interface AnswerLook {
  readonly now: number;
  readonly hideCosts: boolean;
  /** Where a dashboard shows the thread. */
  readonly details?: string | undefined;
}

/** Six lines: state, turn, spend, queue, children, recoveries; a link, and what could not be delivered. */
export function statusText(state: ChatState, { now, hideCosts, details }: AnswerLook): string {
  const { run, works, questions, recoveries, undelivered } = state;
  const queue = works.filter(({ startedAt }) => startedAt === undefined).length;
  const running = run.children.filter((child) => child.state === "running").length;
  const failed = run.children.filter((child) => child.state === "failed").length;
  const open = questions
    .filter((question) => question.state === "open")
    .map((each) => each.approval.approval_id);
  const call = Object.values(run.calls)[0];
  return [
    stateLine(state, now),
    `turn ${run.turn}${call ? ` · ${oneLine(call.tool, 40)} ${spaced(now - call.at)}` : ""}`,
    hideCosts ? "spend: not shown here" : `spend ${costText(run) || showShort(0)}`,
    `queue ${queue === 0 ? "empty" : counted(queue, "message")}${open.length > 0 ? ` · asks ${open.join(", ")}` : ""}`,
    run.children.length === 0
      ? "children none"
      : `children ${run.children.length}: ${running} running, ${failed} failed`,
    recoveries === 0 ? "no crash" : `recovered ${counted(recoveries, "time")}`,
    ...(details === undefined ? [] : [`[details](${details})`]),
    ...(undelivered
      ? [`Not delivered, of ${shortUtc(new Date(undelivered.at).toISOString())}:\n${undelivered.text}`]
      : []),
  ].join("\n");
}

function stateLine({ run, current, threads }: ChatState, now: number): string {
  const name = oneLine(threads.at(-1) ?? "no thread yet", 80);
  if (run.isStopping) return `${VIEWS.stopping.glyph} stopping · ${name}`;
  if (run.retry)
    return `${VIEWS.retrying.glyph} retrying in ${spaced(Math.max(0, run.retry.until - now))} · ${name}`;
  if (run.status === "suspended") return `${VIEWS.suspended.glyph} suspended (${run.reason}) · ${name}`;
  if (run.status === "running" && current !== undefined) return `${VIEWS.running.glyph} running · ${name}`;
  if (run.status === "running" || run.status === "idle")
    return `${VIEWS.created.glyph} waits for a message · ${name}`;
  return `${VIEWS[run.status].glyph} ${run.status} · ${name}`;
}

/** To `/cancel`: what happens now; or why nothing does. */
export function cancelText({ run }: ChatState, now: number, refused?: string): string {
  if (refused === NOTHING_UNDER_WAY) return "There is nothing to stop.";
  if (refused !== undefined) return `Nothing was stopped: ${refused}.`;
  return run.retry || run.status === "suspended" ? STOPPED : stoppingText(run, now);
}

/** To `/approve` and `/deny`: what changed, and what was kept. */
export function decisionText(
  { approved, limits }: Pick<Decision, "approved" | "limits">,
  { on_deny }: { readonly on_deny: "cancel" | "refuse_call" },
): string {
  const raised = Object.entries(limits ?? {}).map(
    ([key, value]) => `${key} is ${key === "spend" ? "$" : ""}${value} now`,
  );
  if (approved)
    return `${VIEWS.completed.glyph} Approved. ${raised.length > 0 ? `${raised.join(", ")}; it` : "It"} goes on.`;
  const kept =
    on_deny === "refuse_call"
      ? "The call is refused, and the work goes on."
      : "It stops; what it did so far is kept.";
  return `${VIEWS.error.glyph} Denied. ${kept}`;
}

/** To whom it was too late, or not clear. */
export function undecidedText(
  why:
    | { readonly is: "none" }
    | { readonly is: "several"; readonly ids: readonly string[] }
    | { readonly is: "unknown"; readonly id: string }
    | { readonly is: "decided"; readonly decision: Decision },
): string {
  switch (why.is) {
    case "none":
      return "Nothing waits for a decision here.";
    case "several":
      return `Several wait for a decision: ${why.ids.slice(0, 6).join(", ")}. Say which: /approve ${why.ids[0]}.`;
    case "unknown":
      return `No question here begins with ${oneLine(why.id, 40)}. /status lists those that are open.`;
    case "decided": {
      const { approved, by, via, at } = why.decision;
      return `It was ${approved ? "approved" : "denied"} already, by ${oneLine(by, 60)} via ${oneLine(via, 30)}, ${shortUtc(at)}.`;
    }
  }
}

export function costAnswer(cost: {
  readonly here: number;
  readonly today: number;
  readonly limit?: number | undefined;
  readonly hideCosts: boolean;
}): string {
  if (cost.hideCosts) return "Costs are not shown here.";
  const limit = cost.limit === undefined ? "no limit" : `limit ${showShort(cost.limit)}`;
  return `here ${showShort(cost.here)} · today ${showShort(cost.today)} · ${limit}`;
}

/** To `/retry`, `/resume`, `/new` and `/log`. */
export const COMMAND_ANSWERS = {
  retry: `${VIEWS.retrying.glyph} Trying again now.`,
  nothingToRetry: "Nothing has failed here. Send a message, and I begin.",
  retryStopped: "No further try is made. /retry runs it again.",
  resumed: `${VIEWS.running.glyph} Going on.`,
  nothingToResume: "I am not waiting to be resumed. Send a message, and I begin.",
  log: "The transcript is in the file.",
  logCut: "The last part of the transcript is in the file; the whole was too long.",
  noLog: "Nothing has been said here yet.",
} as const;

/** `waiting`: messages that were not begun: they go on in the new conversation, before what is said next. */
export function newText(threadId: string | undefined, waiting = 0): string {
  const kept = threadId === undefined ? "" : ` The old thread is kept as ${oneLine(threadId, 160)}.`;
  const first = waiting === 0 ? "" : ` ${counted(waiting, "message")} that waited will be read first.`;
  return `Your next message begins afresh.${first}${kept}`;
}

/** Three lines. */
export const HELP = [
  "/status · /cost · /log · /help tell you something; /cancel [reason] stops, /retry tries again, /resume [text] goes on, /new begins afresh",
  "/approve [ap] [amount] and /deny [ap] [note] answer what I ask",
  "Anything else is a message: I take them in order. One that starts with ! is read before my next step",
].join("\n");
