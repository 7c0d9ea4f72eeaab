/** The commands of the family, on the session of a connection. */
import type { ModelShown } from "../../core/model-list.ts";
import { Problem } from "../../core/problem.ts";
import { resolveHead } from "../cli/resolve.ts";
import { splitModel } from "../session/message.ts";
import type { AgentSession } from "../session/session.ts";
import type { Desk, Handlers } from "./desk.ts";
import type { FAMILY_COMMANDS } from "./family-commands.ts";
import { noImages, REFUSALS, refused } from "./refused.ts";

type Family = keyof typeof FAMILY_COMMANDS;

export const SESSION_HANDLERS: Handlers<Family> = {
  ...REFUSALS,
  prompt: async ({ message, images, streamingBehavior }, desk) => {
    noImages(images);
    const how = streamingBehavior === undefined ? {} : { streamingBehavior };
    const { threadId } = await desk.session.accept(message, how);
    await desk.began(threadId);
    return undefined;
  },
  steer: async ({ message, images }, { session }) => {
    noImages(images);
    await session.steer(message);
  },
  follow_up: async ({ message, images }, { session }) => {
    noImages(images);
    await session.followUp(message);
  },
  abort: (_, { session }) => session.abort(),
  new_session: async ({ parentSession }, desk) => {
    if (parentSession !== undefined)
      refused("A chain has no parent.", "new_session takes no parentSession here. Nothing was changed.");
    await desk.change(undefined);
    return { cancelled: false };
  },
  switch_session: async ({ sessionPath }, desk) => {
    await desk.change(await resolveHead(desk.world.store, sessionPath));
    return { cancelled: false };
  },
  get_state: (_, desk) => state(desk),
  set_model: ({ provider, modelId }, { session, needs }) => {
    const name = session.setModel(`${provider}/${modelId}`);
    return shownModel(needs.models(), name);
  },
  cycle_model: (_, desk) => cycled(desk),
  get_available_models: (_, { needs }) => {
    const models = needs.models().filter(({ name }) => !name.endsWith("/*"));
    return { models: models.map(({ name }) => shownModel(models, name)) };
  },
  cycle_thinking_level: () => null,
  set_steering_mode: ({ mode }) => {
    if (mode !== "all")
      refused("Steering is read all at once.", "What was said by then is read before the next turn.");
  },
  set_follow_up_mode: ({ mode }) => {
    if (mode !== "one-at-a-time")
      refused("Follow-ups are read one at a time.", "Each is read when the thread would end.");
  },
  compact: ({ customInstructions }, { session }) => compacted(session, customInstructions),
  set_auto_compaction: ({ enabled }) => {
    if (!enabled)
      refused(
        "A conversation that is full is always made shorter.",
        "It could not go on otherwise. continuation.trigger_threshold says when that is.",
      );
  },
  set_auto_retry: ({ enabled }, { session }) => session.setAutoRetryEnabled(enabled),
  abort_retry: (_, { session }) => session.abortRetry(),
  get_session_stats: async (_, { session }) => session.stats(),
  get_messages: async (_, { session }) => ({ messages: await session.messages() }),
  get_last_assistant_text: async (_, { session }) => ({ text: await lastText(session) }),
  get_commands: () => ({ commands: [] }),
};

async function state(desk: Desk) {
  const { session, needs } = desk;
  const { steering, followUp } = session.queue;
  const stats = await session.stats();
  const { model } = session;
  return {
    model: model === undefined ? null : shownModel(needs.models(), model),
    thinkingLevel: "off",
    isStreaming: session.isStreaming,
    isCompacting: session.isCompacting,
    isRetrying: session.isRetrying,
    autoRetryEnabled: session.autoRetryEnabled,
    autoCompactionEnabled: true,
    steeringMode: "all",
    followUpMode: "one-at-a-time",
    sessionId: stats.sessionId,
    threadId: stats.threadId,
    messageCount: stats.totalMessages,
    pendingMessageCount: steering.length + followUp.length,
  };
}

/** As the family describes one; what nobody knows is left out. */
function shownModel(known: readonly ModelShown[], name: string) {
  const { provider, model: id } = splitModel(name);
  const found =
    known.find((each) => each.name === name) ?? known.find((each) => each.name === `${provider}/*`);
  const { price } = found ?? {};
  const perMillion = (rate: number) => rate / 1_000;
  return {
    ...{ id, name: id, provider, reasoning: false, input: ["text"] },
    ...(found ? { contextWindow: found.window } : {}),
    ...(found?.maxOutput == null ? {} : { maxTokens: found.maxOutput }),
    ...(price
      ? {
          cost: {
            input: perMillion(price.input),
            output: perMillion(price.output),
            cacheRead: perMillion(price.cache_read),
            cacheWrite: perMillion(price.cache_write),
          },
        }
      : {}),
  };
}

function cycled({ session, needs }: Desk) {
  const names = needs.models().flatMap(({ name, ready }) => (ready && !name.endsWith("/*") ? [name] : []));
  if (names.length < 2) return null;
  const at = names.indexOf(session.model ?? "");
  const next = session.setModel(names[(at + 1) % names.length] ?? "");
  return { model: shownModel(needs.models(), next), thinkingLevel: "off", isScoped: false };
}

async function compacted(session: AgentSession, instructions: string | undefined) {
  const answer = await session.compact(instructions);
  if ("failed" in answer)
    throw new Problem("E_WRONG_STATE", {
      what: "The conversation was not made shorter.",
      why: `${answer.failed}.`,
    });
  if ("pending" in answer) return { summary: "", tokensBefore: 0, details: { pending: true } };
  const { summary, tokensBefore, tokensAfter } = answer;
  return { summary, firstKeptEntryId: session.threadId, tokensBefore, details: { tokensAfter } };
}

async function lastText(session: AgentSession): Promise<string | null> {
  const last = (await session.messages()).findLast(
    (message) => message.role === "assistant" && message.errorMessage === undefined,
  );
  if (last?.role !== "assistant") return null;
  return last.content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("");
}
