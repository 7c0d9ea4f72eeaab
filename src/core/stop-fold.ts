/** A message of a lasting thread is stopped, and the thread stays: as the fold takes that in. */
import { AFTER_STEP, say } from "./answer.ts";
import type { Event } from "./event.ts";
import { moved } from "./resting.ts";
import type { Thread } from "./thread.ts";
import { WAITS_FOR_MESSAGE } from "./waits-for.ts";

/** Whatever it waited for, it does not any more: a try, a time, an answer, a hook. */
export function halted(thread: Thread, { by, reason, hits }: Event<"stop_requested">): Thread {
  if (hits !== "work") return thread;
  const free = { waitsFor: undefined, asked: undefined, repeat: undefined, judged: judgedStill(thread) };
  return { ...moved(thread, "running"), ...free, halting: { by, reason } };
}

/** What hooks said before the next turn was about this message: the one after it is judged anew. */
function judgedStill({ judged }: Thread): readonly string[] {
  return judged.filter((key) => key.startsWith(AFTER_STEP));
}

/** The model is told, for it would take up again what nobody wants any more. */
export function stopped(thread: Thread, event: Event<"message_stopped">): Thread {
  const { for: id, unread } = event;
  if (unread) return { ...thread, followUps: thread.followUps.filter(({ request_id }) => request_id !== id) };
  const done = { answering: undefined, halting: undefined, wantsMore: false, waitsFor: WAITS_FOR_MESSAGE };
  return { ...say(thread, noteOf(event)), ...done };
}

function noteOf({ reason }: Event<"message_stopped">): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `(The work on what was said before this was stopped${why}. Go on with it only if somebody asks for it.)`;
}
