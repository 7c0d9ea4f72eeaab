/**
 * What a thread does next. `nextAction` looks at the fold alone, and at the hooks that match it; `glide` adds every
 * following fact that needs no effect, so that one commit holds all of them.
 */
import { afterStepKey } from "./answer.ts";
import { type AskedCall, leaveForCall } from "./call-rights.ts";
import { type ChannelEnd, channelWaitEnd } from "./channel-read.ts";
import { effectless, type Following } from "./effectless.ts";
import type { Event, NewEvent } from "./event.ts";
import { afterToolFacts, beforeToolFacts, limitFacts, pressureFacts, threadFacts } from "./facts.ts";
import { livingChildren } from "./family.ts";
import type { Facts, Hook, HookEvent } from "./hook.ts";
import { matchHooks } from "./hook-match.ts";
import { isoTime } from "./iso-time.ts";
import { finalText, light } from "./last-said.ts";
import { asItFailed, errorPoint } from "./left-open.ts";
import { type Breach, findBreach } from "./limit.ts";
import { comesLast, SPAWN_TOOL } from "./orchestration.ts";
import { nextAfterFailure } from "./past-failure.ts";
import { spawnBreach } from "./spawn.ts";
import { type HoldPlan, planHold, type RequestCost, stepStart } from "./spending.ts";
import { isFull, newPressure, waitsForNotes } from "./strain.ts";
import { askPoint, type Hold, type OpenCall, reduce, type Step, type Thread } from "./thread.ts";
import { type WaitEnd, waitEnd } from "./wait.ts";

/** A moment of a thread for which hooks are to run, each moment once. */
export interface HookPoint {
  readonly key: string;
  readonly event: HookEvent;
  readonly facts: Facts;
  readonly call?: OpenCall;
}

export type Action =
  | { readonly type: "rest" }
  | { readonly type: "wake" }
  | { readonly type: "open_step"; readonly turn: number; readonly hold?: Hold | undefined }
  | { readonly type: "judge"; readonly point: HookPoint }
  | { readonly type: "escalate"; readonly breach: Breach }
  | { readonly type: "ask_about_call"; readonly call: OpenCall }
  | { readonly type: "ask_about_loop" }
  | { readonly type: "ask_about_overrun" }
  | { readonly type: "ask_about_price" }
  | { readonly type: "wait_retry" }
  | { readonly type: "ask" }
  | { readonly type: "close_answer" }
  | { readonly type: "run_calls" }
  | { readonly type: "perform"; readonly call: OpenCall }
  | { readonly type: "finish_wait"; readonly end: WaitEnd | ChannelEnd | undefined }
  | { readonly type: "wait_again" }
  | { readonly type: "join" }
  | { readonly type: "end"; readonly end: NewEvent }
  /** The conversation is too full: it is made shorter, or handed on. */
  | { readonly type: "relieve" }
  | { readonly type: "finish_step"; readonly turn: number }
  /** It would end, or stand still over a failure, and somebody had more to say then. */
  | { readonly type: "follow_up"; readonly said: Thread["followUps"][number] }
  /** A lasting thread has answered: it waits for the next message. */
  | { readonly type: "answered"; readonly text: string }
  /** What a lasting thread was at is stopped, here and below. */
  | { readonly type: "halt" }
  | { readonly type: "complete"; readonly text: string };

export interface Moment {
  readonly now: number;
  /** The thread was woken because its timer fired; the wall clock may say otherwise after a jump. */
  readonly timerFired?: boolean;
  /** Time at work on the open step, by a clock that does not jump; without it the journal's times tell. */
  readonly workedMs?: number;
  readonly hooks?: readonly Hook[];
  /** What the next request may cost; without it nothing is held. */
  readonly requestOf?: (thread: Thread) => RequestCost;
  /** Tokens that a conversation may have with the model that is asked next, and at what part of it it is handed on. */
  readonly windowOf?: (thread: Thread) => number | undefined;
  readonly threshold?: number;
  /** What a request shows of one result. */
  readonly resultChars?: number;
  /** The system prompt as it would be made now, for the message that is taken up; undefined: it stays as it is. */
  readonly systemOf?: (thread: Thread, messageId: string) => string | undefined;
  /** The same call with the same result this often asks a person (D8). */
  readonly askAfter?: number;
}

export function nextAction(thread: Thread, moment: Moment): Action {
  const { status, stopping } = thread;
  // How it ends is written down: what else it waited for when it was told to does not matter any more.
  if (status === "suspended" && !stopping) return stoodStill(thread, moment);
  if (status !== "running" && status !== "suspended") return { type: "rest" };
  const waiting = waitingFor(thread, moment);
  if (waiting) return waiting;
  // What comes after a stop is nobody's to judge: neither hooks nor limits stand before it.
  if (thread.halting) return { type: livingChildren(thread).length > 0 ? "join" : "halt" };
  const { step, asked } = thread;
  // A hook's directive has come to its end: its moment is judged before anything else is looked at.
  if (asked) return { type: "judge", point: askedPoint(thread, asked) };
  // What did not fit is not sent again as it is; what a person asked for comes before the next turn.
  if (thread.compaction && (!step || isOverflow(thread))) return relief(thread);
  if (!step) return thread.wantsMore ? beforeTurn(thread, moment) : afterAll(thread, moment);
  if (!step.answer) return unanswered(thread, step, moment);
  return openCalls(thread, step, moment);
}

/** What it waits for below it: the end of those it told to stop, a wait of its own, its children at its end. */
function waitingFor(thread: Thread, { now, timerFired }: Moment): Action | undefined {
  const { stopping, wait, waitsFor } = thread;
  const rest = waitsFor ? ({ type: "rest" } as const) : ({ type: "wait_again" } as const);
  if (stopping) return livingChildren(thread).length > 0 ? rest : { type: "end", end: stopping };
  if (!wait) return undefined;
  if (wait.callId === null && wait.hook === undefined) {
    const hasMore = thread.wantsMore && !thread.halting;
    const isOver = hasMore || livingChildren(thread).length === 0;
    return isOver ? { type: "finish_wait", end: undefined } : rest;
  }
  const isUp = wait.until !== undefined && (timerFired === true || Date.parse(wait.until) <= now);
  const { channel } = wait;
  const end =
    channel === undefined
      ? waitEnd(thread, wait, now, isUp)
      : channelWaitEnd(thread, { ...wait, channel }, now, isUp);
  return end ? { type: "finish_wait", end } : rest;
}

function askedPoint({ step }: Thread, { point: key, event, facts }: NonNullable<Thread["asked"]>): HookPoint {
  const call = step?.calls.find(({ call_id }) => beforeToolKey(call_id) === key);
  return { key, event, facts, ...(call ? { call } : {}) };
}

/** Its time has come, or what was said before it stopped over a failure comes next. */
function stoodStill(thread: Thread, moment: Moment): Action {
  const next = nextAfterFailure(thread);
  if (next) return { type: "follow_up", said: next };
  return { type: isDue(thread, moment) ? "wake" : "rest" };
}

function isDue({ waitsFor }: Thread, { now, timerFired }: Moment): boolean {
  if (waitsFor?.kind !== "person" || waitsFor.until === undefined) return false;
  return timerFired === true || Date.parse(waitsFor.until) <= now;
}

/** Limits before hooks before the model (T1). */
function beforeTurn(thread: Thread, moment: Moment): Action {
  const turn = thread.turns + 1;
  const ended = afterStep(thread, moment);
  if (ended) return ended;
  if (moment.askAfter && (thread.repeat?.times ?? 0) >= moment.askAfter) return { type: "ask_about_loop" };
  if (thread.overrun) return { type: "ask_about_overrun" };
  const strained = underPressure(thread, moment);
  if (strained) return strained;
  const planned = planRequest(thread, turn, moment);
  // Before the first answer nobody has counted the conversation: what it is estimated at is expected.
  const expected = thread.contextTokens || (moment.requestOf?.(thread).inputTokens ?? 0);
  const breach = findBreach(thread, expected) ?? ("breach" in planned ? planned.breach : undefined);
  if (breach) return atLimit(thread, breach, moment);
  if ("unpriced" in planned) return { type: "ask_about_price" };
  const point = {
    key: `before_step:${turn}`,
    event: "before_step" as const,
    facts: () => threadFacts(thread),
  };
  return judge(thread, point, moment) ?? { type: "open_step", turn, ...held(planned) };
}

function isOverflow({ compaction, step }: Thread): boolean {
  return compaction?.why === "overflow" && !step?.answer && step?.blocks.length === 0;
}

function relief(thread: Thread): Action {
  return waitsForNotes(thread) ? { type: "rest" } : { type: "relieve" };
}

/** Hooks first: what they leave out may be enough (X1). */
function underPressure(thread: Thread, moment: Moment): Action | undefined {
  const window = moment.windowOf?.(thread);
  const pressure = newPressure(thread, window);
  if (pressure) {
    const key = `context_window_pressure:${thread.turns}`;
    const facts = () => pressureFacts(thread, pressure);
    const judged = judge(thread, { key, event: "context_window_pressure", facts }, moment);
    if (judged) return judged;
  }
  return isFull(thread, window, moment.threshold ?? 1) ? { type: "relieve" } : undefined;
}

function atLimit(thread: Thread, breach: Breach, moment: Moment): Action {
  const key = `limit:${breach.code}:${breach.max}`;
  const point = { key, event: "limit" as const, facts: () => limitFacts(thread, breach) };
  return judge(thread, point, moment) ?? { type: "escalate", breach };
}

function planRequest(thread: Thread, turn: number, { requestOf }: Moment): HoldPlan {
  return requestOf ? planHold(thread, turn, requestOf(thread)) : {};
}

function held(planned: HoldPlan): { hold?: Hold } {
  return "hold" in planned && planned.hold ? { hold: planned.hold } : {};
}

function afterAll(thread: Thread, moment: Moment): Action {
  const ended = afterStep(thread, moment);
  if (ended) return ended;
  // Nobody is left behind (T7).
  if (livingChildren(thread).length > 0) return { type: "join" };
  const [said] = thread.followUps;
  const text = finalText(thread);
  const { lasting, waitsFor, answering } = thread;
  // Each message has its answer before the next one is read.
  if (lasting && !waitsFor && (answering !== undefined || !said)) return { type: "answered", text };
  if (said) return { type: "follow_up", said };
  if (lasting) return { type: "rest" };
  const key = `after_complete:${thread.turns}`;
  const facts = () => ({ ...threadFacts(thread), result: text });
  const point = { key, event: "after_complete" as const, facts };
  return judge(thread, point, moment) ?? { type: "complete", text };
}

function afterStep(thread: Thread, moment: Moment): Action | undefined {
  if (thread.turns === 0) return undefined;
  const point = {
    key: afterStepKey(thread.turns),
    event: "after_step" as const,
    facts: () => threadFacts(thread),
  };
  return judge(thread, point, moment);
}

/** A journaled call means that part of an answer was acted on: that answer stands and is never sampled again (T3). */
function unanswered(thread: Thread, step: Step, moment: Moment): Action {
  if (step.blocks.length > 0) return { type: "close_answer" };
  if (step.undecided) return { type: "judge", point: errorPoint(asItFailed(thread), step.undecided) };
  const early = step.retry && !moment.timerFired && Date.parse(step.retry.wakeAt) > moment.now;
  if (early) return { type: "wait_retry" };
  if (step.hold || !moment.requestOf) return { type: "ask" };
  // A request after one that was billed, or after a wait for a person, is held for like the first.
  const planned = planRequest(thread, step.turn, moment);
  if ("breach" in planned && planned.breach) return atLimit(thread, planned.breach, moment);
  if ("unpriced" in planned) return { type: "ask_about_price" };
  return "hold" in planned ? { type: "open_step", turn: step.turn, ...held(planned) } : { type: "ask" };
}

function openCalls(thread: Thread, step: Step, moment: Moment): Action {
  const open = inTurn(step.calls.filter((call) => !call.result));
  const toStart = open.filter((call) => !call.effect && leaveToCall(thread, call) !== "denied");
  for (const call of toStart) {
    const judged = judge(thread, beforeTool(thread, call), moment);
    if (judged) return judged;
  }
  const held = toStart.find((call) => mustAsk(thread, call) || breachOf(thread, call));
  const breach = held && breachOf(thread, held);
  // What stands before it runs first: no yes grows old behind the next question.
  if (held && held === open[0])
    return breach ? atLimit(thread, breach, moment) : { type: "ask_about_call", call: held };
  const [first] = open;
  if (first) return comesLast(first) ? { type: "perform", call: first } : { type: "run_calls" };
  for (const call of step.calls) {
    const key = `after_tool:${call.call_id}`;
    const point = { key, event: "after_tool" as const, facts: () => afterToolFacts(thread, call) };
    const judged = judge(thread, point, moment);
    if (judged) return judged;
  }
  return { type: "finish_step", turn: step.turn };
}

/** As they run: those that park or end the thread come last, one by one. */
function inTurn(calls: readonly OpenCall[]): OpenCall[] {
  return [...calls.filter((call) => !comesLast(call)), ...calls.filter(comesLast)];
}

function beforeToolKey(callId: string): string {
  return `before_tool:${callId}`;
}

type Asked = Pick<OpenCall, "call_id" | "tool" | "input" | "executes">;

function beforeTool(thread: Thread, call: Asked): Judged {
  const key = beforeToolKey(call.call_id);
  const facts = () => beforeToolFacts(thread, call);
  return { key, event: "before_tool", facts, call: call as OpenCall };
}

function leaveToCall({ rights }: Thread, call: AskedCall) {
  return leaveForCall(rights, call);
}

function breachOf(thread: Thread, { tool }: Pick<OpenCall, "tool">): Breach | undefined {
  return tool === SPAWN_TOOL ? spawnBreach(thread) : undefined;
}

/** A yes to exactly this call is all it takes, whoever asked for it. */
function mustAsk(thread: Thread, call: Asked): boolean {
  return leaveToCall(thread, call) === "ask" && !thread.judged.includes(askPoint(call));
}

/** Whether hooks want to see this call first, or a person has to be asked: it does not start while the answer streams. */
export function isHeld(thread: Thread, call: Asked, moment: Moment) {
  if (leaveToCall(thread, call) === "denied") return false;
  if (comesLast(call) || breachOf(thread, call)) return true;
  return mustAsk(thread, call) || judge(thread, beforeTool(thread, call), moment) !== undefined;
}

/** A moment at which nobody may be asking anything: what it would be about is put together when somebody does. */
interface Judged extends Omit<HookPoint, "facts"> {
  readonly facts: () => Facts;
}

function judge(thread: Thread, judged: Judged, { hooks = [] }: Moment): Action | undefined {
  if (!hooks.some((hook) => hook.event === judged.event) || thread.judged.includes(judged.key))
    return undefined;
  const point: HookPoint = { ...judged, facts: judged.facts() };
  const { matched, broken } = matchHooks(hooks, point.event, point.facts);
  return matched.length + broken.length > 0 ? { type: "judge", point } : undefined;
}

export interface Glide extends Following {
  readonly tail: readonly NewEvent[];
  readonly park: boolean;
}

/** Follows `events` with all facts that need nothing from outside. */
export function glide(thread: Thread, events: readonly NewEvent[], moment: Moment): Glide {
  const ts = isoTime(moment.now);
  const glided = [...events];
  const stops: NonNullable<Following["stops"]>[number][] = [];
  let fold = events.reduce((before, event) => ahead(before, event, ts), light(thread));
  for (;;) {
    const action = nextAction(fold, moment);
    if (action.type === "open_step") {
      const tail = [stepStart(action.turn, action.hold, moment.resultChars)];
      return { events: glided, tail, park: false, ...(stops.length > 0 ? { stops } : {}) };
    }
    const facts = effectless(action, fold, moment);
    if (!facts) {
      const park = action.type === "wait_retry" || (action.type === "rest" && fold.status === "running");
      return { events: glided, tail: [], park, ...(stops.length > 0 ? { stops } : {}) };
    }
    glided.push(...facts.events);
    stops.push(...(facts.stops ?? []));
    fold = facts.events.reduce((before, fact) => ahead(before, fact, ts), fold);
  }
}

/** The fold as it will be once `event` is recorded. */
export function ahead(thread: Thread, event: NewEvent, ts: string): Thread {
  return reduce(thread, { v: 1, seq: thread.seq + 1, ts, thread_id: thread.id, ...event } as Event);
}
