/** What is said to a thread, and that it has answered: as the fold takes it in. */
import { say } from "./answer.ts";
import type { Event } from "./event.ts";
import { halted, stopped } from "./stop-fold.ts";
import type { Thread } from "./thread.ts";
import { WAITS_FOR_MESSAGE } from "./waits-for.ts";

export function spoken(
  thread: Thread,
  event: Event<
    "cognition_in" | "message_received" | "message_answered" | "message_stopped" | "stop_requested"
  >,
): Thread {
  switch (event.type) {
    case "cognition_in":
      return { ...spokenTo(thread, event), followUps: without(thread.followUps, event.request_id) };
    case "message_received":
      if (event.after) return { ...thread, followUps: kept(thread.followUps, event) };
      return heeded(say(thread, event.text));
    case "message_answered":
      return { ...thread, answering: undefined, waitsFor: WAITS_FOR_MESSAGE };
    case "stop_requested":
      return halted(thread, event);
    case "message_stopped":
      return stopped(thread, event);
  }
}

/** What was under way is stopped as soon as nobody below works for it. */
export interface Halting {
  readonly by: string;
  readonly reason?: string | undefined;
}

/** What its directive says to one that lasts is no question yet. */
function spokenTo(thread: Thread, { source, text, request_id }: Event<"cognition_in">): Thread {
  const said = heeded(say(thread, text));
  if (!thread.lasting) return said;
  return { ...said, wantsMore: source !== "directive", answering: request_id ?? thread.answering };
}

/** Whoever waited for a message has one. */
function heeded(thread: Thread): Thread {
  return thread.waitsFor?.kind === "message" ? { ...thread, waitsFor: undefined } : thread;
}

/** Words for the time when a thread would end: kept in the fold, so that no crash and no hand-off loses one. */
export interface FollowUp {
  readonly request_id: string;
  readonly by: string;
  readonly text: string;
}

export function kept(
  waiting: readonly FollowUp[],
  { request_id, by, text, replaces }: Event<"message_received">,
): readonly FollowUp[] {
  if (replaces === undefined) return [...waiting, { request_id, by, text }];
  // It keeps its place and its name. What has begun by now, or never came, is not replaced.
  return waiting.map((each) => (each.request_id === replaces ? { ...each, text } : each));
}

function without(waiting: readonly FollowUp[], requestId: string | undefined): readonly FollowUp[] {
  return requestId === undefined ? waiting : waiting.filter(({ request_id }) => request_id !== requestId);
}
