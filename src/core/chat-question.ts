/** Questions of a tree, as cards in its chat (UX d.2). The stored request is the truth, the card a view of it. */
import type { Approval } from "./approval.ts";
import type { ChatEvent, Noted } from "./chat-events.ts";
import type { Event } from "./event.ts";
import { type LimitValue, limitKeyOf } from "./limit.ts";
import { ENDS } from "./status.ts";

export interface ChatQuestion {
  readonly approval: Approval;
  readonly threadId: string;
  readonly at: number;
  readonly state: "open" | "decided" | "void";
  readonly decision?: Omit<Event<"approval_decided">, "type"> | undefined;
  /** What the limit became by the decision. */
  readonly granted?: LimitValue | undefined;
  readonly card: "none" | Noted["state"];
  readonly cardAt: number;
  readonly messageId?: string | undefined;
  /** How often it was brought to mind. */
  readonly reminded: number;
}

/** Failures are told as failures: what is asked about them is answered by `/retry`. */
const CARDS: readonly string[] = ["limit", "budget", "approval"];
const GOES_ON: readonly string[] = [...ENDS, "thread_resumed", "thread_continued"];

export function questionsAfter(
  questions: readonly ChatQuestion[],
  event: ChatEvent,
): readonly ChatQuestion[] {
  if (event.type === "approval_requested") return asked(questions, event);
  if (questions.length === 0) return questions;
  if (event.type === "delivery_noted") return noted(questions, event).filter((each) => !isOver(each));
  return questions.map((question) => after(question, event)).filter((each) => !isOver(each));
}

function asked(
  questions: readonly ChatQuestion[],
  event: Event<"approval_requested">,
): readonly ChatQuestion[] {
  const { v: _, seq: __, ts, thread_id: threadId, type: ___, ...approval } = event;
  if (!CARDS.includes(event.reason)) return questions;
  if (questions.some((each) => each.approval.approval_id === event.approval_id)) return questions;
  const open = { state: "open", card: "none", cardAt: 0, reminded: 0 } as const;
  return [...questions, { approval, threadId, at: Date.parse(ts), ...open }];
}

function after(question: ChatQuestion, event: Exclude<ChatEvent, Noted>): ChatQuestion {
  const { approval, threadId } = question;
  if (event.thread_id !== threadId) return question;
  if (event.type === "approval_decided" && event.approval_id === approval.approval_id)
    return { ...question, state: "decided", decision: event };
  if (event.type === "budget_changed" && question.state === "decided" && approval.limit_code !== undefined) {
    const granted = event.refused === undefined ? event.limits[limitKeyOf(approval.limit_code)] : undefined;
    return granted === undefined ? question : { ...question, granted };
  }
  const isWithdrawn = event.type === "stop_requested" && event.hits === "work";
  const isVoid = question.state === "open" && (isWithdrawn || GOES_ON.includes(event.type));
  return isVoid ? { ...question, state: "void" } : question;
}

function noted(questions: readonly ChatQuestion[], event: Noted): readonly ChatQuestion[] {
  const [, topic, about = "", count = "0"] = /^(\w+):([^:]*)(?::(\d+))?$/.exec(event.for) ?? [];
  return questions.map((question) => {
    const id = question.approval.approval_id;
    if (event.what === "card" && event.for === id) {
      const messageId = event.state === "given_up" ? undefined : (event.message_id ?? question.messageId);
      return { ...question, card: event.state, cardAt: Date.parse(event.ts), messageId };
    }
    if (event.what !== "notice" || about !== id) return question;
    if (topic === "remind") return { ...question, reminded: Math.max(question.reminded, Number(count)) };
    // Its card shows the decision: there is nothing left to do about it.
    return topic === "decided" ? { ...question, card: "given_up", messageId: undefined } : question;
  });
}

/** Decided or void, and no card is left that says otherwise. */
function isOver({ state, card, messageId }: ChatQuestion): boolean {
  if (state === "open") return false;
  return card === "none" || (card === "given_up" && messageId === undefined);
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How often a question should have been brought to mind by now: after 15 minutes, an hour, then daily. */
export function remindersDue(waitedMs: number): number {
  if (waitedMs < 15 * MINUTE) return 0;
  if (waitedMs < 60 * MINUTE) return 1;
  return 2 + Math.floor(waitedMs / DAY);
}

/** When the one after that is due, from when it was asked. */
export function reminderAfter(count: number): number {
  if (count === 0) return 15 * MINUTE;
  return count === 1 ? 60 * MINUTE : (count - 1) * DAY;
}
