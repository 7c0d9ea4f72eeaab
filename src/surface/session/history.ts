/** All that was said in a chain, from its first thread on, as its journals tell it. */
import { chainOf } from "../../core/chain-links.ts";
import { pressureOf } from "../../core/context.ts";
import { plus } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { newThread, reduce, type Thread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import type { AgentMessage } from "./message.ts";
import { Projection } from "./projection.ts";

export interface History {
  readonly messages: readonly AgentMessage[];
  /** The last thread of the chain. */
  readonly thread: Thread;
  readonly row: ThreadRow;
}

export async function readHistory({ store }: Pick<World, "store">, row: ThreadRow): Promise<History> {
  const projection = new Projection();
  const messages: AgentMessage[] = [];
  let last: History = { messages, row, thread: newThread(row.thread_id) };
  for (const link of await chainOf(store, row)) {
    const { events } = await store.load(link.thread_id);
    let thread = newThread(link.thread_id);
    for (const event of events) {
      thread = reduce(thread, event);
      for (const told of projection.tell(event)) if (told.type === "message_end") messages.push(told.message);
    }
    last = { messages, row: link, thread };
  }
  return last;
}

export interface SessionStats {
  /** The chain, by its first thread; null before the first prompt. */
  readonly sessionId: string | null;
  readonly threadId: string | null;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  };
  /** In dollars: its own and that of everyone below it who has ended. */
  readonly cost: number;
  readonly contextUsage?: {
    readonly tokens: number;
    readonly contextWindow: number;
    readonly percent: number;
  };
}

export function statsOf(
  history: History | undefined,
  windowOf: (model: string) => number | undefined,
): SessionStats {
  const { messages = [], thread, row } = history ?? {};
  const count = (role: AgentMessage["role"]) => messages.filter((each) => each.role === role).length;
  const toolCalls = messages.flatMap((each) =>
    each.role === "assistant" ? each.content.filter(({ type }) => type === "toolCall") : [],
  ).length;
  const { input = 0, output = 0, cache_read = 0, cache_write = 0 } = thread?.usage ?? {};
  const pressure = thread && pressureOf(thread, windowOf(thread.target?.model ?? thread.model));
  return {
    sessionId: row?.chain_root_id ?? null,
    threadId: row?.thread_id ?? null,
    userMessages: count("user"),
    assistantMessages: count("assistant"),
    toolCalls,
    toolResults: count("toolResult"),
    totalMessages: messages.length,
    tokens: {
      ...{ input, output, cacheRead: cache_read, cacheWrite: cache_write },
      total: input + output + cache_read + cache_write,
    },
    cost: row ? plus(row.spent, row.below) / 1e9 : 0,
    ...(pressure
      ? {
          contextUsage: {
            tokens: pressure.tokens,
            contextWindow: pressure.window,
            percent: Math.round((pressure.tokens / pressure.window) * 1_000) / 10,
          },
        }
      : {}),
  };
}
