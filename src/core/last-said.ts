/** The end of a conversation: all that most decisions look at. */
import type { Moment } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { append, emptyLog, last } from "./log.ts";
import { type Message, textOf } from "./message.ts";
import type { FollowUp } from "./spoken.ts";
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

/** What was said for its end comes next, one at a time: the thread goes on with it instead of ending. */
export function takenUp({ request_id, by, text }: FollowUp): NewEvent<"cognition_in"> {
  return { type: "cognition_in", source: by, text, request_id };
}

/** Identity, memory and skills are read for every message of a thread that lasts; what says the same is not written again. */
export function renewed(
  thread: Thread,
  messageId: string,
  { systemOf }: Pick<Moment, "systemOf">,
): readonly NewEvent<"system_changed">[] {
  const system = thread.lasting ? systemOf?.(thread, messageId) : undefined;
  return system === undefined || system === thread.system
    ? []
    : [{ type: "system_changed", for: messageId, system }];
}
