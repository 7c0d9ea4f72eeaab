/** The end of a conversation: all that most decisions look at. */
import { append, emptyLog, last } from "./log.ts";
import { type Message, textOf } from "./message.ts";
import type { Thread } from "./thread.ts";

/** What it said last; one that handed back its outputs says those. */
export function finalText({ messages, returned }: Thread): string {
  const answer = last(messages);
  if (answer?.role === "assistant") return textOf(answer.blocks);
  return returned ? JSON.stringify(returned) : "";
}

/**
 * The thread with its last message only. What is tried ahead must not grow the conversation that the real events
 * will grow: the second of two appends to one log copies all of it.
 */
export function light(thread: Thread): Thread {
  const latest = last(thread.messages);
  return { ...thread, messages: latest ? append<Message>(emptyLog, latest) : emptyLog };
}
