/** `resume` of a thread that has ended: what is said now begins a new run of its chain, in a thread of its own (X4). */
import type { MoneyRefusal } from "../../core/books.ts";
import type { Limits } from "../../core/limit.ts";
import { showDollars } from "../../core/money.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import { hasEnded } from "../../core/status.ts";
import { continueThread } from "../../runtime/index.ts";
import type { Answer } from "./answer.ts";
import { carryOn } from "./carry-on.ts";
import { warnOfFallbacks } from "./fallback-models.ts";
import { followElsewhere } from "./follow-elsewhere.ts";
import type { OpenProject } from "./house.ts";
import { person } from "./person.ts";
import { threadAnswer } from "./result.ts";
import { requireModelHere } from "./served-model.ts";
import type { Session } from "./session.ts";
import { detachedAnswer, hostInBackground } from "./starting.ts";
import { surveyOne } from "./survey.ts";
import type { Seen } from "./thread-object.ts";

interface Said {
  readonly message?: string;
  readonly at?: string;
  readonly timeout?: number;
  readonly detach?: boolean;
}

/** Undefined: it has not ended. */
export async function resumeEnded(
  session: Session,
  project: OpenProject,
  seen: Seen,
  options: Said & { readonly limits: Limits },
): Promise<Answer | undefined> {
  const { world } = project;
  const { row } = seen.sighting;
  if (!hasEnded(row.status)) return undefined;
  const message = requireMessage(row, options);
  await world.ready?.();
  await requireModelHere(project, row.model);
  warnOfFallbacks(session, project);
  if (options.detach) await hostInBackground(session, project);
  const made = await continueThread(world, seen.thread, {
    ...{ message, limits: options.limits, by: person() },
    system: systemNow(project, seen),
  });
  if ("refused" in made) throw changed(row.thread_id);
  if ("unpaid" in made) throw unpaid(row.thread_id, made.unpaid);
  if (!session.flags.quiet)
    session.terminal.say(`${row.thread_id} had ended (${row.status}); it goes on in ${made.threadId}.`);
  const [next] = await world.store.find({ threadId: made.threadId, limit: 1 });
  if (!next) throw new Error(`${made.threadId} is gone from the store`);
  if (options.detach) return detachedAnswer(world, made.threadId);
  const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
  const { host } = await surveyOne(world, next);
  const end = host
    ? await followElsewhere(session, world, [next], timeoutMs)
    : await carryOn(session, world, [next], { timeoutMs });
  return threadAnswer(project, made.threadId, end);
}

function requireMessage({ thread_id, status }: ThreadRow, { message, at }: Said): string {
  if (message !== undefined && message.trim() !== "" && at === undefined) return message;
  throw new Problem("E_USAGE", {
    what:
      at === undefined
        ? `${thread_id} is ${status}: it goes on only if you have something to say to it.`
        : `${thread_id} is ${status}: it goes on now, not at a time.`,
    why: "A new thread of its chain begins with all that was said, and with your message. Nothing was written.",
    next: [{ cmd: `selvage resume ${thread_id} -m "…"`, why: "goes on in a new thread of the same chain" }],
    threadId: thread_id,
  });
}

/** Rules are read from where they stand; where the directive is gone, they stay as they were. */
function systemNow(project: OpenProject, { thread }: Seen): string {
  try {
    return project.systemPrompt(project.directive(thread.directive));
  } catch (error) {
    if (error instanceof Problem) return thread.system;
    throw error;
  }
}

export function unpaid(threadId: string, { at, asked = 0, free = 0 }: MoneyRefusal): Problem {
  return new Problem("E_BUDGET_REFUSED", {
    what: `budget_exceeded: ${threadId} cannot go on, for nobody pays for it.`,
    why: `What is left of its cap, $${showDollars(asked)}, is held on ${at} again, and $${showDollars(Math.max(0, free))} is free there. Nothing was written.`,
    next: [
      { cmd: `selvage budget ${at}`, why: "what it has, and how to give it more" },
      { cmd: `selvage resume ${threadId} -m "…" --set spend=…`, why: "with a smaller cap" },
    ],
    threadId,
  });
}

export function changed(threadId: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} cannot go on: somebody else went on with it a moment ago.`,
    why: "A thread has one that goes on from it, and no second. Nothing was written.",
    next: [{ cmd: `selvage chain ${threadId}`, why: "where it goes on" }],
    threadId,
  });
}
