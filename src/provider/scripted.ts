/**
 * A model that follows a script: what it says next depends only on the answers in the fold and the attempt,
 * so it says the same after a kill (SPEC §16).
 */
import { SCRIPTED_PRICE } from "../core/catalogue-rows.ts";
import type { Failure } from "../core/failure.ts";
import { toArray } from "../core/log.ts";
import { type Message, noUsage, type Usage } from "../core/message.ts";
import type { Ending, Model, ModelEvent, ModelRequest } from "../core/model.ts";
import { filledStep, type ScriptFailure, type ScriptStep, scriptStep } from "../core/script.ts";
import type { Clock } from "../core/world.ts";
import { keepHanging, nextTurn } from "./waiting.ts";

export interface ScriptedOptions {
  readonly clock: Clock;
}

export function scriptedModel(steps: readonly ScriptStep[], { clock }: ScriptedOptions): Model {
  return {
    streams: true,
    price: SCRIPTED_PRICE,
    async ask(request, on, signal) {
      const found = scriptStep(steps, request.answers, request.attempt);
      if (!found) return ended(noStep(steps, request));
      const step = filledStep(found, () => outputsIn(request));
      let sent = 0;
      const send = (event: ModelEvent) => {
        if (event.type === "block") sent += JSON.stringify(event.block).length;
        on(event);
      };
      const failure = await play(step, { send, clock, signal });
      return ended(failure ?? step, usageOf(step, request, sent));
    },
  };
}

function outputsIn({ messages }: ModelRequest): string[] {
  return toArray(messages).flatMap((message) =>
    message.role === "tool" ? message.results.map(({ output }) => output) : [],
  );
}

interface Stage {
  readonly send: (event: ModelEvent) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends what the step holds, in order; undefined when it ended as an answer does. */
async function play(step: ScriptStep, stage: Stage): Promise<Failure | undefined> {
  try {
    for await (const event of eventsOf(step, stage)) {
      if (stage.signal.aborted) break;
      stage.send(event);
    }
  } catch (cause) {
    // A model never throws; only the listener it was handed can have.
    return { kind: "misuse", message: `the listener of a scripted model failed: ${String(cause)}` };
  }
  if (stage.signal.aborted) return { kind: "aborted", message: "the request was stopped" };
  return step.fails ? scriptedFailure(step.fails) : undefined;
}

/** Each block comes in a turn of its own, as over a network: a tool can start before the next one is there. */
async function* eventsOf(step: ScriptStep, { clock, signal }: Stage): AsyncGenerator<ModelEvent> {
  yield* textEvents(step.says === undefined ? [] : [step.says], () => nextTurn());
  if (step.streams) {
    const { chunks, every_ms: everyMs } = step.streams;
    yield* textEvents(chunks, () => (everyMs ? clock.sleep(everyMs, signal) : nextTurn()));
  }
  for (const { tool, input } of step.calls ?? []) {
    await nextTurn();
    yield { type: "block", block: { type: "call", tool, input } };
  }
  if (typeof step.hangs === "number") await clock.sleep(step.hangs * 1000, signal);
  if (step.hangs === true) await keepHanging(signal);
}

async function* textEvents(
  chunks: readonly string[],
  pause: () => Promise<void>,
): AsyncGenerator<ModelEvent> {
  for (const text of chunks) {
    await pause();
    if (text !== "") yield { type: "text_delta", text };
  }
  const text = chunks.join("");
  if (text !== "") yield { type: "block", block: { type: "text", text } };
}

function ended(result: Failure | ScriptStep, usage?: Usage): Ending {
  const billed = usage ? { usage } : {};
  if ("kind" in result) return { type: "failure", failure: result, ...billed };
  return { type: "end", stop: result.calls?.length ? "tool_use" : "end_turn", ...billed };
}

function scriptedFailure({ status, type, message, retry_after_ms }: ScriptFailure): Failure {
  const hint = retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms };
  if (status === undefined && type === undefined)
    return { kind: "stream_cut", message: message ?? "the stream was cut off", ...hint };
  return {
    kind: "http",
    message: message ?? `the provider answered with ${status === undefined ? type : `status ${status}`}`,
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...hint,
  };
}

function noStep(steps: readonly ScriptStep[], { model, answers }: ModelRequest): Failure {
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  const message = `the script of ${model} was asked for answer ${answers + 1}; it has ${count}, and no more answers`;
  return { kind: "script", message };
}

/** What the script says, else four characters a token. A failure before the first block costs nothing. */
function usageOf(step: ScriptStep, request: ModelRequest, sent: number): Usage | undefined {
  if (step.usage) return { ...noUsage, ...step.usage };
  if (step.fails && sent === 0) return undefined;
  // The last two messages only: looking at all of them in every turn would be quadratic.
  const { items, length } = request.messages;
  const recent = items
    .slice(Math.max(0, length - 2), length)
    .reduce((sum, message) => sum + size(message, request.maxResultChars), 0);
  return { ...noUsage, input: tokens(recent), output: tokens(sent), estimated: true };
}

/** Of what a tool said, a model is shown a part; more is not counted, or it would cost more than was held for it. */
function size(message: Message, longest: number): number {
  if (message.role !== "tool") return JSON.stringify(message).length;
  const shown = message.results.map((result) => ({ ...result, output: result.output.slice(0, longest) }));
  return JSON.stringify({ ...message, results: shown }).length;
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
