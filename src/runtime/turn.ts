/** The model call and what follows from it (T1–T4, T6). */
import { afterRetries, decideFailure, glide } from "../core/decide.ts";
import type { NewEvent } from "../core/event.ts";
import type { Failure } from "../core/failure.ts";
import { noUsage, type Usage } from "../core/message.ts";
import type { Ending, ModelEvent, ModelRequest } from "../core/model.ts";
import type { Step } from "../core/thread.ts";
import type { ToolSpec } from "../core/tool.ts";
import { type Active, record } from "./active.ts";
import { COMPANY_MS, Dispatch } from "./dispatch.ts";

/** How long a stream may take to end after it was told to (§12). */
const STREAM_GRACE_MS = 200;

/** Asks the model for the open step and runs its tools as their blocks close. */
export function ask(active: Active, step: Step): Promise<void> {
  return withDispatch(active, step, async (dispatch) => {
    const ending = await stream(active, step, dispatch);
    if (ending.type === "failure" && !(await keepsAnswer(dispatch))) return fail(active, ending.failure);
    await conclude(active, dispatch, () => [...afterRetries(step), answerEvent(step, dispatch, ending)]);
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

/** A crash cut the stream after a call was acted on: what is journaled of the answer is the answer. */
export function closingAnswer(step: Step): NewEvent[] {
  const content = step.blocks.flatMap((block, at) => {
    if (!block) return [];
    return [block.type === "text" ? block : { type: "journaled" as const, at }];
  });
  const usage = estimate(step.blocks.map((block) => JSON.stringify(block ?? "").length));
  const answer: NewEvent = {
    type: "cognition_out",
    turn: step.turn,
    attempt: step.attempt,
    content,
    stop: "cut",
    truncated: true,
    usage,
  };
  return [...afterRetries(step), answer];
}

async function stream(active: Active, step: Step, dispatch: Dispatch): Promise<Ending> {
  const { world, thread, effects } = active;
  const model = world.model(thread.model);
  if (!model) {
    return { type: "failure", failure: { kind: "misuse", message: `There is no model "${thread.model}".` } };
  }
  let over = false;
  const on = (event: ModelEvent) => {
    if (over) return;
    if (event.type === "block") dispatch.take(event.block);
    else if (model.streams) showDelta(active, step.turn, event.text);
  };
  const asked = model.ask(modelRequest(active, step), on, effects.signal);
  const ending = await unlessAbandoned(active, asked);
  over = true;
  return ending;
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

function modelRequest(active: Active, step: Step): ModelRequest {
  const { thread, world } = active;
  const tools = thread.tools.flatMap((name): ToolSpec[] => {
    const tool = world.tool(name);
    return tool ? [{ name: tool.name, description: tool.description, input: tool.input }] : [];
  });
  const { id: threadId, model, system, messages, turns: answers } = thread;
  const { max_output_tokens: maxOutputTokens } = world.settings.model;
  const { model_output_chars: maxResultChars } = world.settings.tool;
  const caps = { maxOutputTokens, maxResultChars };
  return { threadId, model, system, messages, tools, ...caps, answers, attempt: step.attempt };
}

/** A broken stream leaves no trace if nothing of it was acted on; else its closed blocks are the answer (T3). */
async function keepsAnswer(dispatch: Dispatch): Promise<boolean> {
  await dispatch.hold();
  if (!dispatch.acted()) return false;
  dispatch.release();
  return true;
}

async function fail(active: Active, failure: Failure): Promise<void> {
  // Our own abort is no failure of the model: the walk asks why it was aborted.
  if (active.effects.signal.aborted) return;
  const now = active.world.clock.now();
  const events = decideFailure(active.thread, failure, retryPolicy(active), now);
  active.timerFired = false;
  await record(active, glide(active.thread, events, { now }));
}

function retryPolicy(active: Active) {
  const { retry } = active.world.settings;
  return {
    maxRetries: retry.enabled ? retry.max_retries : 0,
    baseDelayMs: retry.base_delay_ms,
    maxDelayMs: retry.max_delay_ms,
    rateLimitedMs: retry.rate_limited_ms,
  };
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
  return Promise.race([inTime, late]).finally(() => over.abort());
}

async function finishWith(active: Active, dispatch: Dispatch, answer: () => NewEvent[]): Promise<void> {
  await dispatch.inOrder(() => {
    const events = [...dispatch.takeResults(), ...answer()];
    return record(active, glide(active.thread, events, { now: active.world.clock.now() }));
  });
}

function answerEvent(step: Step, dispatch: Dispatch, ending: Ending): NewEvent {
  const content = dispatch.content();
  const truncated = ending.type === "failure";
  return {
    type: "cognition_out",
    turn: step.turn,
    attempt: step.attempt,
    content,
    stop: ending.type === "end" ? ending.stop : "cut",
    truncated,
    usage: ending.usage ?? estimate([JSON.stringify(content).length]),
  };
}

/** Nobody reported the usage: about four characters a token, flagged. */
function estimate(lengths: readonly number[]): Usage {
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  return { ...noUsage, output: Math.ceil(characters / 4), estimated: true };
}

function showDelta(active: Active, turn: number, text: string): void {
  const { world, thread } = active;
  const ts = new Date(world.clock.now()).toISOString();
  world.notify({
    type: "live",
    event: { v: 1, ts, thread_id: thread.id, type: "cognition_out_delta", turn, text },
  });
}
