/** What a session cannot do, and what to do instead. Nothing was written when one of these is told. */
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";

export function noText(): Problem {
  return new Problem("E_USAGE", {
    what: "There is nothing to say.",
    why: "A message is a text that is not empty.",
  });
}

export function gone(threadId: string | undefined): Problem {
  return new Problem("E_THREAD_NOT_FOUND", {
    what: `There is no thread ${threadId ?? ""}.`.replace(" .", "."),
    why: "Its whole id is needed here.",
    next: [{ cmd: "selvage ps -a", why: "all threads there are" }],
  });
}

export function atWork(threadId: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} is at work.`,
    why: 'streamingBehavior says what to do with a prompt then: "steer" is read before its next turn, "followUp" when it would end.',
    next: [{ cmd: "abort", why: "ends what is under way" }],
    threadId,
  });
}

export function notAtWork(threadId: string | undefined, how: "steer" | "followUp"): Problem {
  return new Problem("E_WRONG_STATE", {
    what: "Nothing is under way that this could be said to.",
    why: `${how === "steer" ? "Steering" : "A follow-up"} is for a thread at work; ${threadId === undefined ? "nothing was asked yet" : `${threadId} has ended`}.`,
    next: [{ cmd: "prompt", why: "goes on with it" }],
    ...(threadId === undefined ? {} : { threadId }),
  });
}

export function unanswered({ thread_id: threadId, suspend_reason, waits_for }: ThreadRow): Problem {
  const id = waits_for?.kind === "person" ? waits_for.approval_id : undefined;
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} waits for an answer (${suspend_reason}).`,
    why: "More words would not let it go on.",
    next: [
      ...(id === undefined ? [] : [{ cmd: `selvage approve ${id}`, why: "says yes; selvage deny says no" }]),
      { cmd: "abort", why: "ends it; the next prompt goes on from there" },
    ],
    threadId,
  });
}
