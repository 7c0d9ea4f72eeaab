/**
 * `reduce`: a thread is the fold of its journal. Counters, retries, open calls and waits all live here, so that
 * start, resume and recover are the same walk and no crash loses one of them.
 */
import { afterStepKey, answered, billed, changed, finished, partialResult, withStep } from "./answer.ts";
import { created } from "./beginning.ts";
import { corrected, type Unbilled } from "./charge.ts";
import { type Measure, SHOWN_CHARS } from "./context.ts";
import { type Compacted, type Compaction, type Pressed, pressing, reduceContext } from "./context-fold.ts";
import type { Event } from "./event.ts";
import type { Category, UndecidedFailure } from "./failure.ts";
import { aboutChildren, type Family, NO_FAMILY } from "./family.ts";
import type { CallId, ThreadId } from "./id.ts";
import { emptyLog, type Log } from "./log.ts";
import { type ManagedById, reduceProcesses } from "./managed.ts";
import type { Block, CallBlock, CallResult, Message, Usage } from "./message.ts";
import type { Repeat } from "./repeat.ts";
import { moved, resumed, retrying, suspended } from "./resting.ts";
import { NO_RIGHTS, type Rights, withoutRights } from "./rights.ts";
import { type FollowUp, type Halting, spoken } from "./spoken.ts";
import type { Status } from "./status.ts";
import { awake, failed, NONE_EARLIER, newStep, resulted, started, withoutRetry } from "./step.ts";
import type { SuspendReason, WaitsFor } from "./suspension.ts";
import { copyAt, type Own } from "./thread-copy.ts";

export interface OpenCall {
  readonly call_id: CallId;
  readonly at: number;
  readonly tool: string;
  readonly input: unknown;
  readonly executes?: CallBlock["executes"];
  /** Set once the intent is durable; a call without it has certainly not run. */
  readonly effect?: Event<"tool_call_start">["effect"];
  readonly result?: CallResult;
}

interface RetryWait {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly wakeAt: string;
  readonly error: string;
}

export interface Step {
  readonly turn: number;
  /** The number of the request that is (or would be) under way: one more than the failures recorded. */
  readonly attempt: number;
  /** The number of its first request: those before it were made for a message that failed or was stopped, or before a hand-off. */
  readonly first: number;
  readonly startedAt: string;
  readonly blocks: readonly (Block | undefined)[];
  readonly calls: readonly OpenCall[];
  readonly answer?: readonly Block[] | undefined;
  /** Said while an answer was being dealt with: it stands after it. */
  readonly later?: readonly string[] | undefined;
  readonly retry?: RetryWait | undefined;
  readonly lastError?: string | undefined;
  readonly lastCategory?: Category | undefined;
  /** The last failure, while hooks are asked what to make of it. */
  readonly undecided?: UndecidedFailure | undefined;
  /** When the provider said that it would answer again. */
  readonly resetAt?: string | undefined;
  /** A person asked for the next request: it does not wait at the gate. */
  readonly urged?: true | undefined;
  /** What is held for the request that is, or is about to be, under way; and how many of these the turn has had. */
  readonly hold?: Hold | undefined;
  readonly holds: number;
  /** It stopped without a word about its request: what is held may have been spent. */
  readonly doubted?: true | undefined;
  /** How often this turn went on with another key or model. */
  readonly switches: number;
  /** Time spent waiting for a retry or a person: no time at work. */
  readonly restedMs: number;
  readonly rest?: { readonly since: string; readonly until?: string } | undefined;
}

export type Hold = NonNullable<Event<"step_start">["hold"]>;

/** Where requests go: one of the models of the thread's chain, with one of that provider's keys. */
export interface Target {
  readonly model: string;
  readonly key: number;
}

export interface Thread extends Family {
  readonly id: ThreadId;
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly string[];
  /** Of its tools and its model, those that only the program which started it has. */
  readonly brought: readonly string[];
  readonly rights: Rights;
  readonly limits: Readonly<Record<string, number | string>>;
  readonly chainRootId: string;
  readonly rootId: string;
  readonly parentId: string | null;
  /** What it must hand back, and what becomes of children that outlive its work. */
  readonly outputs: NonNullable<Event<"thread_created">["outputs"]>;
  readonly onExit: "wait" | "cancel";
  /** Processes that it started, by handle. */
  readonly processes: ManagedById;
  /** What it handed back itself. */
  readonly returned?: Readonly<Record<string, unknown>> | undefined;
  /** The hook that it, or one above it, answers for: it triggers none itself. */
  readonly forHook?: string | undefined;
  readonly run: number;
  readonly nonce: string;
  readonly status: Status;
  readonly suspendReason?: SuspendReason | undefined;
  readonly waitsFor?: WaitsFor | undefined;
  readonly seq: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messages: Log<Message>;
  /** Characters of the conversation as the model is shown it, and what they were last counted as. */
  readonly chars: number;
  /** What the last request showed of one result. */
  readonly shownChars: number;
  readonly measure?: Measure | undefined;
  /** What its own first request was counted as. */
  readonly base?: number | undefined;
  readonly compaction?: Compaction | undefined;
  readonly compacted?: Compacted | undefined;
  readonly pressed?: Pressed | undefined;
  /** It did not fit, and was made shorter; no answer has come since. */
  readonly overflowed?: true | undefined;
  /** The thread it goes on from, and the one that goes on from it. */
  readonly continuationOf?: string | undefined;
  readonly continuedTo?: string | undefined;
  /** What it was forked from. */
  readonly forkedFrom?: Event<"thread_created">["forked_from"];
  /** Requests that were made for its first turn before it was there, and holds for them. */
  readonly earlier: { readonly attempts: number; readonly holds: number };
  readonly step?: Step | undefined;
  /** Whether the last finished answer asked for tools: if not, the thread has nothing more to do. */
  readonly wantsMore: boolean;
  /** Tokens of the conversation as it last went out and came back: the next request carries at least these. */
  readonly contextTokens: number;
  /** Nano-dollars that were billed. */
  readonly spent: number;
  /** Charges that were made for want of a bill: a person who has one may correct them. */
  readonly unbilled: readonly Unbilled[];
  /** How often in a row it stopped to look for money again by itself. */
  readonly looks: number;
  /** More was billed for its last request than had been held. */
  readonly overrun: boolean;
  /** Set once a failure made it leave its own model and first key. */
  readonly target?: Target | undefined;
  /** It does not end when it has answered, but waits for the next message; and where people write to it. */
  readonly lasting: boolean;
  readonly address?: string | undefined;
  /** The request of the message that it is at. */
  readonly answering?: string | undefined;
  /** It is stopped: nothing of it goes on, and it ends when nobody below works for it. */
  readonly halting?: Halting | undefined;
  /** What was said for the time when it would end, the oldest first. */
  readonly followUps: readonly FollowUp[];
  /** What somebody said about its retries; undefined: as the settings say. */
  readonly autoRetry?: boolean | undefined;
  /** The open question, while it is suspended: as it was asked, with its time. */
  readonly approval?: Event<"approval_requested"> | undefined;
  /** Moments of the present turn for which hooks have run. */
  readonly judged: readonly string[];
  /** The last call, and how often it came with the same result in a row. */
  readonly repeat?: Repeat | undefined;
  readonly turns: number;
  readonly usage: Usage;
  readonly activeMs: number;
  readonly recoveries: number;
  readonly result?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Total: any event on any thread gives a thread. */
export function reduce(thread: Thread, event: Event): Thread {
  return taken(copyAt(thread, event.seq, event.ts), event);
}

/** `base` is nobody else's: the events of which a turn is made change it as it stands, all others make another one. */
function taken(base: Own, event: Event): Thread {
  switch (event.type) {
    case "thread_created":
      return created(base, event);
    case "thread_started":
      return moved(base, "running");
    case "cognition_in":
    case "message_received":
    case "message_answered":
    case "message_stopped":
    case "stop_requested":
      return spoken(base, event);
    case "step_start":
      return stepped(base, event);
    case "cognition_out":
      return answered(base, event);
    case "tool_call_start":
    case "tool_call_result":
      return called(base, event);
    case "step_finish":
      return finished(base, event.duration_ms);
    case "error_classified":
      return failing(base, event);
    case "auto_retry_start":
      return retrying(base, event);
    case "auto_retry_end":
      return { ...withStep(base, withoutRetry), waitsFor: undefined };
    case "budget_changed":
      return { ...base, limits: { ...base.limits, ...event.limits } };
    case "charge_corrected":
      return corrected(base, event);
    case "hook_matched":
      return { ...heard(base, event), ...pressing(base, event) };
    case "rights_revoked":
      return { ...base, rights: withoutRights(base.rights, event.revoked) };
    case "approval_requested":
      return { ...base, approval: event, judged: [...base.judged, ...askedAbout(event)] };
    case "approval_decided":
      return { ...base, approval: undefined, ...(event.approved ? { repeat: undefined } : {}) };
    case "thread_suspended":
      return suspended(base, event);
    case "thread_resumed":
      return resumed(base, event);
    case "thread_completed":
    case "thread_failed":
    case "thread_cancelled":
      return ended(base, event);
    case "thread_continued":
      return moved(base, "continued", { continuedTo: event.to });
    case "process_started":
    case "process_stopped":
      return { ...base, processes: reduceProcesses(base.processes, event) };
    case "crash_recovered":
      return { ...billed(base, event.bill), recoveries: base.recoveries + 1 };
    default:
      return changed(changed(base, aboutChildren(base, event)), reduceContext(base, event));
  }
}

function called(own: Own, event: Event<"tool_call_start" | "tool_call_result">): Thread {
  const { step } = own;
  if (step) own.step = event.type === "tool_call_start" ? started(step, event) : resulted(step, event);
  return own;
}

function ended(
  thread: Thread,
  event: Event<"thread_completed" | "thread_failed" | "thread_cancelled">,
): Thread {
  switch (event.type) {
    case "thread_completed":
      return moved(charged(thread), "completed", { result: event.text });
    case "thread_failed":
      return moved(charged(thread), "error", { error: { code: event.code, message: event.message } });
    case "thread_cancelled":
      return moved(charged(thread), "cancelled", { result: partialResult(thread) });
  }
}

/** What a hook came to; when it was one that a child answered for, that child has been heard. */
function heard(thread: Thread, { point, child_id }: Event<"hook_matched">): Thread {
  const asked = child_id !== undefined && child_id === thread.asked?.childId ? undefined : thread.asked;
  return { ...thread, judged: [...thread.judged, point], asked };
}

function failing(thread: Thread, event: Event<"error_classified">): Thread {
  return billed({ ...withStep(thread, (step) => failed(step, event)) }, event.bill);
}

/** A call that a person is asked about is not asked about again: it goes on after a yes alone. */
function askedAbout({ call }: Event<"approval_requested">): string[] {
  return call ? [askPoint(call)] : [];
}

/** The moment of a call whose right must be asked for. */
export function askPoint({ call_id }: { readonly call_id: string }): string {
  return `ask:${call_id}`;
}

/** A turn begins; or its next request does, after one that failed. */
function stepped(own: Own, event: Event<"step_start">): Thread {
  const { turn, ts, hold } = event;
  const { step: open, earlier } = own;
  const isAgain = open !== undefined && open.turn === turn && !open.answer;
  const holds = (isAgain ? open.holds : earlier.holds) + (hold ? 1 : 0);
  own.step = isAgain
    ? { ...open, hold, holds }
    : newStep(turn, ts, { attempt: earlier.attempts + 1, hold, holds });
  own.looks = 0;
  // What follows the turn before it was asked, should this one be left without an answer.
  if (!isAgain) own.judged = own.judged.filter((key) => key === afterStepKey(own.turns));
  return Object.assign(own, reduceContext(own, event));
}

/** What is still held when a thread ends is charged: nobody will say what it was. */
function charged(thread: Thread): Thread {
  const held = thread.step?.hold;
  return held ? billed({ ...thread }, { hold: held.id, amount: held.amount }) : thread;
}

/** Time at work on the open step up to `ts`, as the journal tells it: without waits for retries and people. */
export function workedMs({ step }: Pick<Thread, "step">, ts: string): number {
  if (!step) return 0;
  return Math.max(0, Date.parse(ts) - Date.parse(step.startedAt) - awake(step, ts).restedMs);
}

/** A thread is the fold of its journal: `reduce` from event to event, without a copy for each of what nobody sees. */
export function foldThread(id: string, events: readonly Event[]): Thread {
  let own: Own = newThread(id);
  for (const event of events) {
    own.seq = event.seq;
    own.updatedAt = event.ts;
    const next = taken(own, event);
    if (next !== own) own = copyAt(next, event.seq, event.ts);
  }
  return own;
}

/** Every field from the start, and none ever taken away: objects of one shape are copied many times faster. */
export function newThread(id: string): Thread {
  return { ...NOBODY, id: id as ThreadId, chainRootId: id, rootId: id };
}

const NOBODY: Thread = {
  children: NO_FAMILY.children,
  further: NO_FAMILY.further,
  channels: NO_FAMILY.channels,
  spawns: NO_FAMILY.spawns,
  wait: undefined,
  asked: undefined,
  stopping: undefined,
  id: "" as ThreadId,
  directive: "",
  inputs: {},
  model: "",
  system: "",
  tools: [],
  brought: [],
  rights: NO_RIGHTS,
  limits: {},
  chainRootId: "",
  rootId: "",
  parentId: null,
  outputs: {},
  onExit: "wait",
  processes: {},
  returned: undefined,
  forHook: undefined,
  lasting: false,
  address: undefined,
  answering: undefined,
  halting: undefined,
  run: 0,
  nonce: "",
  status: "created",
  suspendReason: undefined,
  waitsFor: undefined,
  seq: 0,
  createdAt: "",
  updatedAt: "",
  messages: emptyLog,
  chars: 0,
  shownChars: SHOWN_CHARS,
  measure: undefined,
  base: undefined,
  compaction: undefined,
  compacted: undefined,
  pressed: undefined,
  overflowed: undefined,
  continuationOf: undefined,
  continuedTo: undefined,
  forkedFrom: undefined,
  earlier: NONE_EARLIER,
  step: undefined,
  wantsMore: true,
  contextTokens: 0,
  spent: 0,
  unbilled: [],
  looks: 0,
  overrun: false,
  target: undefined,
  followUps: [],
  autoRetry: undefined,
  approval: undefined,
  judged: [],
  repeat: undefined,
  turns: 0,
  usage: { input: 0, cache_read: 0, cache_write: 0, output: 0 },
  activeMs: 0,
  recoveries: 0,
  result: undefined,
  error: undefined,
};
