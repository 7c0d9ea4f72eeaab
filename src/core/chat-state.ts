/**
 * What the actor of a chat knows: the fold of its chain's events, and nothing beside it (S1 without its memory).
 *   C1. What somebody said is a prompt. Each go at it ends in one outcome: an answer, a failure, a stop. A failed prompt that
 *       goes on is another go, with deliveries of its own.
 *   C2. What must not happen twice hangs on `delivery_noted`, by the key of the go, of the approval, or of the notice.
 *   C3. What is delivered is forgotten: the state stays as small as what is open.
 *   C4. Of threads below, only their questions are looked at.
 */
import { BEGIN_ANEW, type ChatEvent, type Noted } from "./chat-events.ts";
import { type ChatQuestion, questionsAfter } from "./chat-question.ts";
import { originOf } from "./chat-request.ts";
import { type ChatRun, IDLE, runAfter } from "./chat-run.ts";
import { type SentFile, sentIn } from "./chat-send.ts";
import type { ChatError } from "./chat-texts.ts";
import { errorOf, noTrouble, type Trouble, troubleAfter } from "./chat-trouble.ts";
import type { Event, LiveEvent } from "./event.ts";
import { BY_FOLLOW_UP } from "./past-failure.ts";

interface Delivery {
  readonly state: "none" | Noted["state"];
  readonly messageId?: string | undefined;
  /** When that was noted. */
  readonly at: number;
}

export type ChatOutcome =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "error"; readonly error: ChatError }
  | { readonly kind: "stopped" }
  /** Other words for a message that had begun by then, and may be answered. */
  | { readonly kind: "too_late"; readonly isAnswered: boolean }
  /** The thread ended before it came to it, and to others after it; kept, they come next when somebody writes again. */
  | { readonly kind: "unread"; readonly count: number; readonly isKept: boolean }
  /** The thread went on to the next prompt: whatever there was to say was said. */
  | { readonly kind: "none" };

/** One go at one prompt. */
export interface ChatWork {
  /** What deliveries of this go are noted for. */
  readonly key: string;
  /** The request that brought it. */
  readonly prompt: string;
  readonly go: number;
  readonly by: string;
  readonly text: string;
  /** The request that brought these words, when they are not the first. */
  readonly version?: string | undefined;
  /** When it was received. */
  readonly at: number;
  /** Absent: it waits for its turn. */
  readonly startedAt?: number;
  /** Words that were said while it was under way. */
  readonly also: readonly string[];
  /** Of the chain, before it began. */
  readonly spentBefore: number;
  readonly outcome?: ChatOutcome & { readonly at: number };
  readonly progress: Delivery;
  readonly answer: Delivery;
  /** The last text of the progress message, or that the answer could not be delivered. */
  readonly end: Delivery;
  /** The progress message was marked after a restart. */
  readonly isLeft: boolean;
}

/** A file that the agent hands over, until it is delivered. */
export interface ChatOutgoing extends SentFile {
  readonly callId: string;
  readonly threadId: string;
  readonly delivery: Delivery;
}

export interface ChatState {
  /** Of the chain, the first one first. */
  readonly threads: readonly string[];
  /** In the order in which they came; only those of which something is still to be delivered. */
  readonly works: readonly ChatWork[];
  /** The key of the work under way. */
  readonly current?: string | undefined;
  /** The last go that failed: it may be gone on with. */
  readonly failed?: ChatWork | undefined;
  readonly run: ChatRun;
  readonly trouble: Trouble;
  readonly questions: readonly ChatQuestion[];
  readonly files: readonly ChatOutgoing[];
  readonly undelivered?: { readonly text: string; readonly at: number } | undefined;
  readonly recoveries: number;
  /** When the chain last did something by itself. */
  readonly movedAt: number;
}

export const NEW_CHAT: ChatState = {
  ...{ threads: [], works: [], questions: [], files: [], recoveries: 0, movedAt: 0 },
  ...{ run: IDLE, trouble: noTrouble },
};

const NO_DELIVERY: Delivery = { state: "none", at: 0 };
const KEPT_TEXT = 2_000;

export function foldChat(state: ChatState, event: ChatEvent): ChatState {
  if (event.type === "delivery_noted") return forgotten(noted(state, event));
  const questions = questionsAfter(state.questions, event);
  const threads = chainAfter(state.threads, event);
  const asked = { ...state, questions, threads };
  if (!threads.includes(event.thread_id)) return forgotten(asked);
  return forgotten(moved(asked, event));
}

/** C4: a thread that goes on from one of ours is ours. */
function chainAfter(threads: readonly string[], event: ChatEvent): readonly string[] {
  if (event.type !== "thread_created" || threads.includes(event.thread_id)) return threads;
  const { continuation_of: before } = event;
  const isOurs = threads.length === 0 || (before !== undefined && threads.includes(before));
  return isOurs ? [...threads, event.thread_id] : threads;
}

function moved(state: ChatState, event: Exclude<ChatEvent, Noted>): ChatState {
  const at = Date.parse(event.ts);
  // What people say moves nothing by itself.
  const isMove = event.type !== "message_received";
  const next: ChatState = {
    ...state,
    run: runAfter(state.run, event),
    trouble: troubleAfter(state.trouble, event),
    movedAt: isMove ? Math.max(state.movedAt, at) : state.movedAt,
    recoveries: state.recoveries + (event.type === "crash_recovered" ? 1 : 0),
  };
  switch (event.type) {
    case "message_received":
      return received(next, event, at);
    case "cognition_in":
      return event.request_id === undefined ? next : takenUp(next, event, event.request_id, at);
    case "message_answered":
      return answered(next, event.for, event.text, at);
    case "message_stopped":
      return stopped(next, event, at);
    case "tool_call_result":
      return { ...next, files: filesAfter(next.files, event) };
    default:
      return milestone(next, event, at);
  }
}

function milestone(state: ChatState, event: Event | LiveEvent, at: number): ChatState {
  switch (event.type) {
    case "thread_suspended":
    case "thread_failed": {
      const error = errorOf(event, state.trouble);
      const next = error ? ended(state, { kind: "error", error }, at) : state;
      return event.type === "thread_failed" ? unread(next, true, at) : next;
    }
    case "thread_cancelled":
      return unread(ended(state, { kind: "stopped" }, at), event.reason === BEGIN_ANEW, at);
    case "thread_completed":
      return state.current === undefined ? state : ended(state, { kind: "answer", text: event.text }, at);
    case "thread_resumed":
      // With what waits, which is told of next.
      return event.by === BY_FOLLOW_UP ? state : goneOn(state, at);
    default:
      return state;
  }
}

type Said = Pick<ChatWork, "prompt" | "by" | "text" | "at">;

function newWork(said: Said, go: number, spentBefore: number): ChatWork {
  const key = go === 1 ? said.prompt : `${said.prompt}#${go}`;
  const deliveries = { progress: NO_DELIVERY, answer: NO_DELIVERY, end: NO_DELIVERY, isLeft: false };
  return { key, go, ...said, also: [], spentBefore, ...deliveries };
}

function received(state: ChatState, event: Event<"message_received">, at: number): ChatState {
  const { request_id: prompt, by, text, after, replaces } = event;
  if (isKnown(state, prompt)) return state;
  if (replaces !== undefined) return reworded(state, event, replaces, at);
  if (after) return { ...state, works: [...state.works, newWork({ prompt, by, text, at }, 1, 0)] };
  if (state.current === undefined) return begun(state, { prompt, by, text, at }, at);
  return changed(state, state.current, (work) => ({ also: [...work.also, prompt] }));
}

/** Decided where the thread decides it: what has begun stays as it was, and who changed it is told. */
function reworded(
  state: ChatState,
  { request_id: prompt, by, text }: Event<"message_received">,
  replaces: string,
  at: number,
): ChatState {
  const meant = state.works.find((work) => work.prompt === replaces && !work.outcome);
  if (meant && meant.startedAt === undefined)
    return changed(state, meant.key, () => ({ text, version: prompt }));
  const outcome = { kind: "too_late" as const, isAnswered: !meant, at };
  const told = { ...newWork({ prompt, by, text, at }, 1, state.run.spent), startedAt: at, outcome };
  return { ...state, works: [...state.works, told] };
}

function isKnown({ works }: ChatState, prompt: string): boolean {
  return works.some((work) => work.prompt === prompt || work.also.includes(prompt));
}

function begun(state: ChatState, said: Said, at: number, go = 1): ChatState {
  const work = { ...newWork(said, go, state.run.spent), startedAt: at };
  return { ...state, works: [...state.works, work], current: work.key, failed: undefined };
}

/** What waited is begun. Whatever was under way has had its say. */
function takenUp(state: ChatState, event: Event<"cognition_in">, prompt: string, at: number): ChatState {
  const before = state.current === undefined ? state : ended(state, { kind: "none" }, at);
  const waiting = before.works.find((work) => work.prompt === prompt && work.startedAt === undefined);
  if (!waiting) {
    // Kept when the thread ended, and told of: this is another go.
    const told = before.works.findLast((work) => work.prompt === prompt || work.also.includes(prompt));
    if (told && !told.outcome) return before;
    return begun(before, { prompt, by: event.source, text: event.text, at }, at, (told?.go ?? 0) + 1);
  }
  const spentBefore = before.run.spent;
  const next = changed(before, waiting.key, () => ({ startedAt: at, spentBefore, text: event.text }));
  return { ...next, current: waiting.key, failed: undefined };
}

/** This prompt alone: what waits stays where it is. Of one that had failed before, people know that already. */
function stopped(
  state: ChatState,
  { for: prompt, unread: isUnread }: Event<"message_stopped">,
  at: number,
): ChatState {
  const named = state.works.find((work) => !work.outcome && work.prompt === prompt);
  const key = named?.key ?? (isUnread ? undefined : state.current);
  const next = key === undefined ? state : ended(state, { kind: "stopped" }, at, key);
  return { ...next, failed: isUnread ? state.failed : undefined };
}

/** An answer to something that we never heard of is delivered all the same. */
function answered(state: ChatState, prompt: string | undefined, text: string, at: number): ChatState {
  const named = state.works.find(
    (work) => !work.outcome && prompt !== undefined && (work.prompt === prompt || work.also.includes(prompt)),
  );
  const target = named?.key ?? state.current;
  if (target !== undefined) return ended(state, { kind: "answer", text }, at, target);
  if (prompt !== undefined && isKnown(state, prompt)) return state;
  const said = { prompt: prompt ?? `answer@${at}`, by: "", text: "", at };
  const next = begun(state, said, at);
  return ended(next, { kind: "answer", text }, at);
}

function ended(state: ChatState, outcome: ChatOutcome, at: number, key = state.current): ChatState {
  const work = state.works.find((each) => each.key === key);
  if (!work || work.outcome) return state;
  const next = changed(state, work.key, () => ({
    outcome: { ...outcome, at },
    startedAt: work.startedAt ?? at,
  }));
  const current = state.current === key ? undefined : state.current;
  return { ...next, current, failed: outcome.kind === "error" ? work : undefined };
}

/** What waited when the thread ended: one word about all of it. */
function unread(state: ChatState, isKept: boolean, at: number): ChatState {
  const [first, ...others] = state.works.filter(({ startedAt }) => startedAt === undefined);
  if (!first) return state;
  const { failed } = state;
  const told = ended(state, { kind: "unread", count: others.length + 1, isKept }, at, first.key);
  const all = others.reduce((next, { key }) => ended(next, { kind: "none" }, at, key), told);
  return { ...all, failed };
}

/** C1: what had failed goes on, unless something else does. */
function goneOn(state: ChatState, at: number): ChatState {
  const { failed } = state;
  if (state.current !== undefined || !failed) return state;
  const { prompt, by, text, go } = failed;
  return begun(state, { prompt, by, text, at }, at, go + 1);
}

function changed(state: ChatState, key: string, change: (work: ChatWork) => Partial<ChatWork>): ChatState {
  const works = state.works.map((work) => (work.key === key ? { ...work, ...change(work) } : work));
  return { ...state, works };
}

/** Notices have names: `end:KEY`, `left:KEY`, `decided:APPROVAL`, `remind:APPROVAL:N`. */
export function noticeFor(topic: "end" | "left" | "decided" | "remind", about: string): string {
  return `${topic}:${about}`;
}

function filesAfter(files: ChatState["files"], event: Event<"tool_call_result">): ChatState["files"] {
  const file = sentIn(event);
  const { call_id: callId, thread_id: threadId } = event;
  if (!file || files.some((each) => each.callId === callId)) return files;
  return [...files, { ...file, callId, threadId, delivery: NO_DELIVERY }];
}

/** C3: what is there, or never will be, is forgotten. */
function filesNoted(files: ChatState["files"], callId: string, delivery: Delivery): ChatState["files"] {
  if (delivery.state !== "intended") return files.filter((each) => each.callId !== callId);
  return files.map((each) => (each.callId === callId ? { ...each, delivery } : each));
}

/** C2. */
function noted(state: ChatState, event: Noted): ChatState {
  const { what, for: key, state: stands, message_id: messageId } = event;
  const delivery = (before: Delivery): Delivery => ({
    state: stands,
    messageId: messageId ?? before.messageId,
    at: Date.parse(event.ts),
  });
  if (what === "answer") {
    const next = changed(state, key, (work) => ({ answer: delivery(work.answer) }));
    return { ...next, ...undeliveredAfter(state, event) };
  }
  if (what === "file") return { ...state, files: filesNoted(state.files, key, delivery(NO_DELIVERY)) };
  if (what === "progress" && stands === "given_up") return changed(state, key, withoutProgress);
  if (what === "progress") return changed(state, key, (work) => ({ progress: delivery(work.progress) }));
  if (what === "card") return { ...state, questions: questionsAfter(state.questions, event) };
  const [, topic, about = ""] = /^(\w+):([\s\S]*)$/.exec(key) ?? [];
  if (topic === "end") return changed(state, about, (work) => ({ end: delivery(work.end) }));
  if (topic === "left") return changed(state, about, () => ({ isLeft: true }));
  return { ...state, questions: questionsAfter(state.questions, event) };
}

/** It is not there, or not any more: an answer that was to take its place is posted after all. */
function withoutProgress({ answer }: ChatWork): Partial<ChatWork> {
  const isEdit = answer.state === "intended" && answer.messageId !== undefined;
  return { progress: { state: "given_up", at: 0 }, ...(isEdit ? { answer: NO_DELIVERY } : {}) };
}

/** What `/status` still shows, until an answer gets through. */
function undeliveredAfter(state: ChatState, event: Noted): Pick<ChatState, "undelivered"> {
  if (event.state === "posted") return { undelivered: undefined };
  const outcome = state.works.find(({ key }) => key === event.for)?.outcome;
  if (event.state !== "given_up" || outcome?.kind !== "answer") return { undelivered: state.undelivered };
  return { undelivered: { text: outcome.text.slice(0, KEPT_TEXT), at: outcome.at } };
}

/** C3. */
function forgotten(state: ChatState): ChatState {
  if (!state.works.some(isOver)) return state;
  return { ...state, works: state.works.filter((work) => !isOver(work)) };
}

function isOver({ outcome, progress, answer, end }: ChatWork): boolean {
  if (!outcome) return false;
  const isMarked = end.state === "posted" || end.state === "given_up";
  const isClosed = progress.state === "none" || progress.state === "given_up" || isMarked;
  if (outcome.kind === "none") return isClosed;
  if (answer.state === "given_up") return isMarked;
  if (answer.state !== "posted") return false;
  return isClosed || answer.messageId === progress.messageId;
}

/** Of a message that is not answered yet, for who edits it; by what the platform calls it. */
export function knownMessage(
  { works }: ChatState,
  requestId: string,
):
  | {
      /** What it is called now: it may have been handed on. */
      readonly prompt: string;
      readonly version: string;
      readonly text: string;
      readonly isStarted: boolean;
    }
  | undefined {
  const isIt = (id: string) => originOf(id) === requestId;
  const work = works.find((each) => !each.outcome && (isIt(each.prompt) || each.also.some(isIt)));
  if (!work) return undefined;
  const { prompt, version = prompt, text, startedAt } = work;
  return { prompt, version, text: isIt(prompt) ? text : "", isStarted: startedAt !== undefined };
}

/** Somebody began anew: what there was to say of the thread before is said, and nothing of it goes on. */
export function begunAnew({ works }: ChatState): ChatState {
  return { ...NEW_CHAT, works: works.filter(({ outcome }) => outcome !== undefined) };
}
