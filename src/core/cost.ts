/** What a thread has used so far, in the words of its exports, approvals and hooks. */
import type { Thread } from "./thread.ts";

export interface Cost {
  readonly turns: number;
  readonly tokens: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly spawns: number;
  /** Dollars. Null: nobody knows what its tokens cost. Unknown is shown as unknown. */
  readonly spend: number | null;
  readonly duration_seconds: number;
}

export function costOf(thread: Pick<Thread, "turns" | "usage" | "activeMs" | "spent" | "spawns">): Cost {
  const { input, cache_read, cache_write, output } = thread.usage;
  const input_tokens = input + cache_read + cache_write;
  return {
    turns: thread.turns,
    tokens: input_tokens + output,
    input_tokens,
    output_tokens: output,
    spawns: thread.spawns,
    spend: thread.spent / 1e9,
    duration_seconds: Math.round(thread.activeMs / 100) / 10,
  };
}
