/**
 * The card of an open question (UX d.2), what it becomes, and how it is brought to mind. What models and repositories wrote
 * stands behind a bar, so that none of it passes for ours; a call that does not fit whole cannot be approved here.
 */

import type { ChatButton, ChatText } from "./chat-platform.ts";
import type { ChatQuestion } from "./chat-question.ts";
import { shortUtc, spaced } from "./chat-texts.ts";
import { type LimitValue, limitKeyOf } from "./limit.ts";
import { limitText } from "./limit-text.ts";
import { oneLine, spelledOut, stripControls } from "./text.ts";
import { VIEWS } from "./view-sign.ts";

/** Who decides when the time is up and the settings say that this is a no. */
const NOBODY = "nobody";
const MOST_CALL = 1_500;
const MOST_PROMPT = 800;

/** `name`: of the thread that asks, as people know it. */
export function cardText(question: ChatQuestion, name: string): ChatText {
  const { approval } = question;
  const asked = approval.limit_code === undefined ? callOrPrompt(question) : limitLines(question);
  return {
    text: [
      `${VIEWS.suspended.glyph} ${oneLine(name, 60)} needs a decision`,
      ...asked.lines,
      approval.on_deny === "refuse_call"
        ? "If denied: this call is refused, and the work goes on."
        : "If denied: it stops now, and what it did so far is kept.",
      asked.isWhole
        ? `${approval.approval_id} · waits for an answer`
        : `${approval.approval_id} · too long to be approved here: selvage approve ${approval.approval_id} shows all of it`,
    ].join("\n"),
    buttons: buttons(question, asked.isWhole),
  };
}

interface Asked {
  readonly lines: readonly string[];
  /** Nothing of what would be agreed to is left out. */
  readonly isWhole: boolean;
}

function limitLines({ approval }: ChatQuestion): Asked {
  const { limit_code: code = "", current, current_max: max, proposed_max: proposed } = approval;
  const key = limitKeyOf(code);
  const used =
    current === undefined ? undefined : key === "spend" ? dollars(current) : limitText(key, current);
  const reached = `${key[0]?.toUpperCase()}${key.slice(1)} limit reached`;
  return {
    isWhole: true,
    lines: [
      used === undefined
        ? `${reached}: ${limitText(key, max)}.`
        : `${reached}: ${used} of ${limitText(key, max)}.`,
      ...(proposed === undefined ? [] : [`Approving raises it to ${limitText(key, proposed)}.`]),
    ],
  };
}

/** Of an event that tells money as a number. */
function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}

function callOrPrompt({ approval }: ChatQuestion): Asked {
  const { call, prompt } = approval;
  if (!call) {
    const text = stripControls(prompt).trim();
    const isWhole = text.length <= MOST_PROMPT;
    return { isWhole, lines: barred(isWhole ? text : `${text.slice(0, MOST_PROMPT)}…`) };
  }
  const input = spelledOut(JSON.stringify(call.input) ?? "null");
  const isWhole = input.length <= MOST_CALL;
  const shown = isWhole ? input : `${input.slice(0, MOST_CALL)}…`;
  return { isWhole, lines: [`It wants to use ${oneLine(call.tool, 60)} with:`, ...barred(shown)] };
}

function barred(text: string): string[] {
  return text.split("\n").map((line) => `> ${line}`.trimEnd());
}

function buttons({ approval }: ChatQuestion, isWhole: boolean): readonly ChatButton[] {
  const { approval_id: value, limit_code: code, proposed_max: proposed } = approval;
  const amount = code === undefined ? "" : ` ${limitText(limitKeyOf(code), proposed)}`;
  const yes: ChatButton[] = [
    { label: `Approve${proposed === undefined ? "" : amount}`, action: "approve", value, style: "primary" },
    ...(code === undefined ? [] : [{ label: "Other amount…", action: "ask_amount", value }]),
  ];
  const no: ChatButton = {
    label: "Deny",
    action: "deny",
    value,
    style: "danger",
    confirm: "Deny this for good?",
  };
  return [...(isWhole ? yes : []), no];
}

/** After a decision that was made anywhere; buttons go away. */
export function decidedCard({ state, decision, approval, granted }: ChatQuestion): ChatText {
  if (state !== "decided" || !decision)
    return { text: "· Not asked any more: it went on or ended without an answer." };
  const { approved, by, via, ts, message } = decision;
  // Never "denied by": nobody said no.
  if (by === NOBODY)
    return { text: `${VIEWS.error.glyph} Nobody answered, and that counts as a no here, ${shortUtc(ts)}` };
  const sign = approved ? VIEWS.completed.glyph : VIEWS.error.glyph;
  const amount = approved ? amountText(approval.limit_code, granted ?? approval.proposed_max) : "";
  const who = `by ${oneLine(by, 60)} via ${oneLine(via, 30)}, ${shortUtc(ts)}`;
  const said = message === undefined ? "" : `: ${oneLine(message, 200)}`;
  return { text: `${sign} ${approved ? "Approved" : "Denied"}${amount} ${who}${said}` };
}

function amountText(code: string | undefined, value: LimitValue | undefined): string {
  return code === undefined || value === undefined ? "" : ` ${limitText(limitKeyOf(code), value)}`;
}

export function reminderText({ approval, at }: ChatQuestion, name: string, now: number): string {
  const { approval_id: id } = approval;
  const waits = `${oneLine(name, 60)} still needs a decision, for ${longer(now - at)}.`;
  return `${VIEWS.suspended.glyph} ${waits} /approve ${id} or /deny ${id} answers it.`;
}

function longer(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return spaced(Math.floor(ms / 60_000) * 60_000).replace(/ 00 s$/, "");
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
