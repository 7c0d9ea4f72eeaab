/** The model call and what follows from it (T1–T4, T6). */
import { chargedHold, estimate } from "../core/closing.ts";
import { glide } from "../core/decide.ts";
import type { NewEvent } from "../core/event.ts";
import type { Failure } from "../core/failure.ts";
import { matchHooks } from "../core/hook-match.ts";
import { isoTime } from "../core/iso-time.ts";
import { errorPoint, leftOpen } from "../core/left-open.ts";
import { outputCap } from "../core/limit.ts";
import { countable, noUsage } from "../core/message.ts";
import type { Ending, Model, ModelEvent, ModelRequest } from "../core/model.ts";
import { afterRetries, decideFailure, type RetryPolicy, retryDelay } from "../core/retry.ts";
import { classify } from "../core/rule.ts";
import { billFor } from "../core/spending.ts";
import type { Step, Target } from "../core/thread.ts";
import { type Active, Fenced, momentOf, record } from "./active.ts";
import { COMPANY_MS, Dispatch } from "./dispatch.ts";
import { gateFor, type Passage } from "./gate.ts";
import { toolSpecs } from "./request-cost.ts";
import { failureNeeds, policyOf } from "./retry-needs.ts";
import { targetOf } from "./target.ts";

/** Why what nobody needs any more is aborted. A reason of our own: one that Node makes carries a stack, and costs. */
const OVER = "over";
/** How long a stream may take to end after it was told to (§12). */
const STREAM_GRACE_MS = 200;

/** Asks the model for the open step and runs its tools as their blocks close. */
export function ask(active: Active, step: Step): Promise<void> {
  return withDispatch(active, step, async (dispatch) => {
    const ending = await stream(active, step, dispatch);
    if (ending.type === "failure" && !(await keepsAnswer(dispatch))) return fail(active, ending);
    await conclude(active, dispatch, () => [
      ...afterRetries(step),
      answerEvent(active, step, dispatch, ending),
    ]);
  });
}

/** Runs what is left of a recorded answer: calls never started, and calls that recovery runs again. */
export function runCalls(active: Active, step: Step): Promise<void> {
  return withDispatch(active, step, (dispatch) => conclude(active, dispatch, () => []));
}

async function withDispatch(
  active: Active,
  step: Step,
  use: (dispatch: Dispatch) => Promise<void>,
): Promise<void> {
  const dispatch = new Dispatch(active, step);
  try {
    await use(dispatch);
  } finally {
    dispatch.close();
  }
}

async function stream(active: Active, step: Step, dispatch: Dispatch): Promise<Ending> {
  const { world, effects } = active;
  const target = targetOf(active);
  const model = world.model(target.model);
  if (!model) {
    return { type: "failure", failure: { kind: "misuse", message: `There is no model "${target.model}".` } };
  }
  const policy = policyOf(active, model);
  const entry = await admission(active, model, target, policy);
  if ("failure" in entry) return { type: "failure", failure: entry.failure };
  let over = false;
  const on = (event: ModelEvent) => {
    if (over) return;
    if (event.type === "block") dispatch.take(event.block);
    else if (model.streams) showDelta(active, step.turn, event.text);
  };
  try {
    const asked = model.ask(modelRequest(active, step, target), on, effects.signal);
    const ending = await unlessAbandoned(active, asked);
    entry.passage?.leave(wayOut(active, ending, policy));
    return ending;
  } finally {
    over = true;
    entry.passage?.leave("failed"); // what threw has left as well; a second time does nothing
  }
}

type Entry = { readonly passage: Passage | undefined } | { readonly failure: Failure };

/** At the gate of the provider's key. Nobody waits there for longer than a thread waits in a process at all. */
async function admission(active: Active, model: Model, target: Target, policy: RetryPolicy): Promise<Entry> {
  const { world, effects, thread } = active;
  const key = model.gate?.(target.key);
  if (key === undefined) return { passage: undefined };
  if (thread.step?.urged) return { passage: gateFor(world.clock, key).enter() };
  const onWait = (ms: number) =>
    world.notify({ type: "held", threadId: thread.id, model: target.model, ms: Math.ceil(ms) });
  const answer = await gateFor(world.clock, key).pass(effects.signal, policy.maxWaitMs, onWait);
  if ("leave" in answer) return { passage: answer };
  if ("aborted" in answer) return { failure: { kind: "aborted", message: "the request was stopped" } };
  const retryAfterMs = Math.ceil(answer.heldMs);
  const message = `${target.model} is not asked: another request with this key was told to wait`;
  return { failure: { kind: "http", status: 429, message, retryAfterMs } };
}

function wayOut({ world }: Active, ending: Ending, policy: RetryPolicy): Parameters<Passage["leave"]>[0] {
  if (ending.type === "end") return "answered";
  const { failure } = ending;
  const classified = classify(failure, world.rules);
  if (classified.category !== "rate_limited" && classified.category !== "quota") return "failed";
  return { refusedForMs: retryDelay(1, { classified, failure }, policy) };
}

/** A model that does not end when it is told to is left behind: what it sends from then on is not heard. */
function unlessAbandoned({ world, effects }: Active, asked: Promise<Ending>): Promise<Ending> {
  const { signal } = effects;
  return new Promise((resolve, reject) => {
    const giveUp = async () => {
      await world.clock.sleep(STREAM_GRACE_MS);
      resolve({ type: "failure", failure: { kind: "aborted", message: "the request was stopped" } });
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function modelRequest(active: Active, step: Step, { model, key }: Target): ModelRequest {
  const { thread, world } = active;
  const tools = toolSpecs(world, thread);
  const { id: threadId, system, messages, turns: answers } = thread;
  // What was held is what may be used.
  const maxOutputTokens =
    step.hold?.output_tokens ?? outputCap(thread, world.settings.model.max_output_tokens);
  const { model_output_chars: maxResultChars } = world.settings.tool;
  const caps = { maxOutputTokens, maxResultChars };
  return { threadId, model, key, system, messages, tools, ...caps, answers, attempt: step.attempt };
}

/** A broken stream leaves no trace if nothing of it was acted on; else its closed blocks are the answer (T3). */
async function keepsAnswer(dispatch: Dispatch): Promise<boolean> {
  await dispatch.hold();
  if (!dispatch.acted()) return false;
  dispatch.release();
  return true;
}

/** Hooks first, then the default (L2). What hooks are asked about is durable before: they may take their time. */
async function fail(active: Active, ending: Ending & { type: "failure" }): Promise<void> {
  const { thread, world, effects } = active;
  const { failure } = ending;
  const money = billOfFailure(active, ending);
  // Our own abort is no failure of the model: it is paid for, and the walk asks why it was aborted.
  if (effects.signal.aborted) return stopped(active, money);
  const classified = classify(failure, world.rules);
  const failed = { failure, classified, ...money };
  const needs = failureNeeds(active);
  const { event, facts } = errorPoint(thread, failed);
  const { matched, broken } = matchHooks(active.hooks, event, facts);
  active.timerFired = false;
  if (matched.length + broken.length > 0) await record(active, { events: [leftOpen(thread, failed, needs)] });
  else await record(active, glide(thread, decideFailure(thread, failed, needs), momentOf(active)));
}

type Money = Pick<NewEvent<"error_classified">, "usage" | "bill">;

/** What was heard of an answer is paid for; a provider that refused has done nothing (P6). */
function billOfFailure({ world, thread }: Active, { failure, usage }: Ending & { type: "failure" }): Money {
  const { step } = thread;
  if (!step?.hold) return {};
  const price = world.model(thread.target?.model ?? thread.model)?.price;
  const heard = failure.receivedBytes ?? 0;
  // What nobody reported is taken from what was heard, which may be no answer at all: never more than was asked for.
  const output = Math.min(Math.ceil(heard / 4), step.hold.output_tokens);
  const guess = { ...noUsage, input: step.hold.input_tokens, output, estimated: true };
  const spent = usage ? countable(usage) : heard > 0 ? guess : undefined;
  return { ...(spent ? { usage: spent } : {}), ...billFor(step, spent, price) };
}

/** A request that we stopped ourselves: what it came to is written down before anything else happens. */
async function stopped(active: Active, money: Money): Promise<void> {
  const { thread, effects } = active;
  const { step } = thread;
  if (!step?.hold || effects.signal.reason instanceof Fenced) return;
  const { turn, attempt } = step;
  const error = "the request was stopped";
  const model = targetOf(active).model;
  const said = { turn, attempt, category: "cancelled" as const, rule: "aborted", error, model, ...money };
  await record(active, { events: [{ type: "error_classified", ...said }] });
}

/** The second barrier: results, answer, end of the step and whatever follows, in one commit if the tools allow it. */
async function conclude(active: Active, dispatch: Dispatch, answer: () => NewEvent[]): Promise<void> {
  dispatch.gather();
  const drained = dispatch.drained();
  drained.catch(() => {}); // it is awaited below, or a failed commit is thrown first
  if (dispatch.isDrained || (await endsInTime(active, drained))) {
    await drained;
    return finishWith(active, dispatch, answer);
  }
  await dispatch.inOrder(() => record(active, { events: [...dispatch.takeResults(), ...answer()] }));
  dispatch.scatter();
  await drained;
  await finishWith(active, dispatch, () => []);
}

/** Tools that outlive the stream by 50 ms do not hold back the answer (T1). */
async function endsInTime(active: Active, drained: Promise<void>): Promise<boolean> {
  const over = new AbortController();
  const inTime = drained.then(() => true);
  const late = active.world.clock.sleep(COMPANY_MS, over.signal).then(() => false);
  return Promise.race([inTime, late]).finally(() => over.abort(OVER));
}

async function finishWith(active: Active, dispatch: Dispatch, answer: () => NewEvent[]): Promise<void> {
  await dispatch.inOrder(() => {
    const events = [...dispatch.takeResults(), ...answer()];
    return record(active, glide(active.thread, events, momentOf(active)));
  });
}

function answerEvent(active: Active, step: Step, dispatch: Dispatch, ending: Ending): NewEvent {
  const content = dispatch.content();
  const truncated = ending.type === "failure";
  const { model } = targetOf(active);
  const price = active.world.model(model)?.price;
  const usage = ending.usage && countable(ending.usage);
  return {
    type: "cognition_out",
    turn: step.turn,
    attempt: step.attempt,
    content,
    stop: ending.type === "end" ? ending.stop : "cut",
    truncated,
    usage: usage ?? estimate([JSON.stringify(content).length]),
    model,
    // Nothing was reported: what was held is charged (T3).
    ...(usage ? billFor(step, usage, price) : chargedHold(step)),
  };
}

function showDelta(active: Active, turn: number, text: string): void {
  const { world, thread } = active;
  const ts = isoTime(world.clock.now());
  world.notify({
    type: "live",
    event: { v: 1, ts, thread_id: thread.id, type: "cognition_out_delta", turn, text },
  });
}
