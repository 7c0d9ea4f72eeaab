// A model of the stand-in, asked as the runtime asks it.
import { append, emptyLog, type Log } from "../../src/core/log.ts";
import type { Message, RawBlock } from "../../src/core/message.ts";
import type { Ending, Model, ModelEvent, ModelRequest } from "../../src/core/model.ts";
import type { Provider, ProviderEntry } from "../../src/core/provider.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import { realClock } from "../../src/machine/index.ts";
import { modelFor } from "../../src/provider/models.ts";

/** Must never be seen anywhere. */
export const CANARY = "sk-canary-3f9a1c77e2";

export type Wire = Provider["protocol"];

export interface Setting {
  readonly wire?: Wire;
  readonly options?: ProviderEntry;
  readonly stallSeconds?: number;
  readonly totalSeconds?: number;
  readonly environment?: Record<string, string>;
  readonly now?: number;
}

export function modelAt(address: string, setting: Setting = {}): Model {
  const { wire = "anthropic", options = { stream: {} }, environment = {}, now } = setting;
  const { stallSeconds = 30, totalSeconds = 60 } = setting;
  const provider: Provider = {
    id: "stand-in",
    protocol: wire,
    baseUrl: wire === "openai" ? `${address}/v1` : address,
    addressSaidBy: "the test",
    options,
    keys: ["STAND_IN_KEY", "STAND_IN_KEY_2"].map((variable) => ({ variable, saidBy: "the test" })),
  };
  const model = modelFor({
    projectRoot: "/nowhere",
    clock: now === undefined ? realClock : { ...realClock, now: () => now },
    settings: {
      ...defaultSettings,
      model: { ...defaultSettings.model, stall_timeout_seconds: stallSeconds, timeout_seconds: totalSeconds },
    },
    providers: new Map([[provider.id, provider]]),
    environment: { STAND_IN_KEY: CANARY, ...environment },
  })("stand-in/some-model");
  if (!model) throw new Error("no model");
  return model;
}

export function logOf(...messages: Message[]): Log<Message> {
  return messages.reduce<Log<Message>>(append, emptyLog);
}

export function requestOf(messages: Log<Message> = logOf({ role: "user", text: "Hello" })): ModelRequest {
  return {
    threadId: "t",
    model: "stand-in/some-model",
    system: "Be brief.",
    messages,
    tools: [],
    maxOutputTokens: 1_000,
    maxResultChars: 30_000,
    answers: 0,
    attempt: 1,
  };
}

export interface Heard {
  readonly ending: Ending;
  readonly blocks: readonly RawBlock[];
  readonly deltas: string;
  readonly events: readonly ModelEvent[];
}

export async function ask(
  model: Model,
  request: ModelRequest = requestOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const events: ModelEvent[] = [];
  const ending = await model.ask(request, (event) => events.push(event), signal);
  return {
    ending,
    events,
    blocks: events.flatMap((event) => (event.type === "block" ? [event.block] : [])),
    deltas: events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join(""),
  };
}
