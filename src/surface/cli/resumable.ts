/** Whether a thread can be resumed, and if not, which command fits its state (UX a.6). */
import { findBreach, type Limits } from "../../core/limit.ts";
import { type NextStep, Problem } from "../../core/problem.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { requireFitting } from "./cap-check.ts";
import { damagedThread } from "./damaged-thread.ts";
import { answerSteps, openQuestion, requireNoQuestion } from "./question-first.ts";
import type { Sighting } from "./survey.ts";
import type { Seen } from "./thread-object.ts";
import { futureTime } from "./when.ts";

/** Throws before anything is written. */
export async function requireResumable(world: World, seen: Seen, limits: Limits): Promise<void> {
  requireState(seen, limits);
  await requireFitting(world, seen.sighting.row, limits);
}

function requireState({ sighting, thread }: Seen, limits: Limits): void {
  const { row, damage } = sighting;
  if (damage && !isTerminal(row.status)) throw damagedThread(row.thread_id, damage);
  if (row.status !== "suspended") throw notSuspended(sighting);
  if (sighting.requests.length > 0) throw askedAlready(sighting);
  if (row.suspend_reason === "approval") requireNoQuestion(row);
  if (row.suspend_reason !== "limit") return;
  const breach = findBreach({ ...thread, limits: { ...thread.limits, ...limits } });
  if (!breach) return;
  const { key, current, max } = breach;
  const approvalId = openQuestion(row);
  const higher = { cmd: `selvage resume ${row.thread_id} --set ${key}=…`, why: "goes on with another limit" };
  throw new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} reached its ${key} limit and would stop again at once.`,
    why: `It used ${current} of ${max} ${key}. A higher limit lets it go on. Nothing was written.`,
    next: [...(approvalId === null ? [] : answerSteps(approvalId).slice(1)), higher],
    threadId: row.thread_id,
  });
}

function notSuspended(sighting: Sighting): Problem {
  const { row, view } = sighting;
  const { thread_id: threadId, status } = row;
  return new Problem("E_NOT_SUSPENDED", {
    what: `Cannot resume ${threadId}: it is ${view === status ? status : `${view} (${status})`}, not suspended.`,
    why: `It is so since ${row.updated_at}. Nothing was written.`,
    next: fitting(sighting),
    threadId,
  });
}

/** Somebody answered and nobody took it: what was asked first comes first. */
function askedAlready({ row, host }: Sighting): Problem {
  const { thread_id: threadId } = row;
  return new Problem("E_WRONG_STATE", {
    what: `Something was asked of ${threadId} already, and it has not taken it yet.`,
    why: host
      ? "A live process hosts it."
      : "It is stored, and waits for somebody to host the thread. Nothing was written.",
    next: host
      ? [{ cmd: `selvage logs -f ${threadId}`, why: "watch it" }]
      : [{ cmd: `selvage recover ${threadId}`, why: "hosts it, and the thread takes what was asked" }],
    threadId,
  });
}

function fitting({ row, view, isAbandoned }: Sighting): NextStep[] {
  const { thread_id } = row;
  if (isAbandoned) return [{ cmd: `selvage recover ${thread_id}`, why: "nobody runs it: takes it up" }];
  return [
    ...(view === "retrying" ? [{ cmd: `selvage retry ${thread_id} --now`, why: "ends the wait" }] : []),
    { cmd: `selvage logs -f ${thread_id}`, why: "watch it" },
    { cmd: `selvage cancel ${thread_id}`, why: "stop it" },
  ];
}

/** `reset` is the time at which the provider said that it would answer again. */
export function resumeTime(text: string, { sighting, thread }: Seen, now: number): string {
  if (text !== "reset") return futureTime(text, now);
  const { thread_id: threadId } = sighting.row;
  const resetAt = thread.step?.resetAt;
  const later = { cmd: `selvage resume ${threadId} --at +1h`, why: "at a time of your own" };
  if (resetAt === undefined) {
    throw new Problem("E_WRONG_STATE", {
      what: `Nobody knows when ${threadId} could go on: the provider did not say.`,
      why: "Its last failure came without a time. Nothing was written.",
      next: [later, { cmd: `selvage resume ${threadId}`, why: "asks again now" }],
      threadId,
    });
  }
  if (Date.parse(resetAt) > now) return resetAt;
  throw new Problem("E_WRONG_STATE", {
    what: `The reset of the provider has passed: it was at ${resetAt}.`,
    why: "There is nothing to wait for. Nothing was written.",
    next: [{ cmd: `selvage resume ${threadId}`, why: "asks again now" }],
    threadId,
  });
}
