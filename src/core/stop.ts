/**
 * Stopping one message of a lasting thread (UX d.3): what is under way ends as a cancel ends it, and the thread stays.
 *   S1. It hits what was meant: the message that is named, or, where none is, what is under way or about to begin.
 *   S2. Every call has its result, every request its bill, every wait its end; what cannot be known is not guessed.
 *   S3. Those below that work for it are stopped with it, and it is stopped when the last of them is.
 */
import { closing } from "./closing.ts";
import { notShorter } from "./compaction.ts";
import { tokensOf } from "./context.ts";
import type { NewEvent } from "./event.ts";
import type { Request } from "./request.ts";
import { billFor } from "./spending.ts";
import type { Step, Thread } from "./thread.ts";

type Asked = Request & { readonly kind: "stop" };
type Hit = NewEvent<"stop_requested">["hits"];

/** S1. */
export function stopHits(thread: Thread, { for: meant }: Pick<Asked, "for">): Hit {
  const { lasting, halting, answering, followUps } = thread;
  if (!lasting || halting) return "nothing";
  const isOther = meant !== undefined && answering !== undefined && meant !== answering;
  if (isUnderWay(thread)) return isOther ? "nothing" : "work";
  return meant === undefined && followUps.length > 0 ? "queued" : "nothing";
}

function isUnderWay({ status, waitsFor, step, wantsMore, answering, wait, compaction }: Thread): boolean {
  if (status === "suspended") return true;
  if (status !== "running" || waitsFor?.kind === "message") return false;
  return wantsMore || answering !== undefined || [step, wait, compaction].some((each) => each !== undefined);
}

export function answerToStop(thread: Thread, request: Asked): NewEvent[] {
  const { request_id, by, reason, for: meant } = request;
  const hits = stopHits(thread, request);
  const why = reason === undefined ? {} : { reason };
  const to = meant === undefined ? {} : { for: meant };
  const asked: NewEvent = { type: "stop_requested", request_id, by, hits, ...to, ...why };
  if (hits === "work") return [asked, ...closingWork(thread)];
  const [first] = hits === "queued" ? thread.followUps : [];
  return first
    ? [asked, { type: "message_stopped", for: first.request_id, by, unread: true, ...why }]
    : [asked];
}

/** S2. A step that has no answer leaves no trace in the conversation; what it was is closed all the same. */
function closingWork(thread: Thread): NewEvent[] {
  const { step, wait, compaction } = thread;
  const isAnswered = step !== undefined && (step.answer !== undefined || step.blocks.length > 0);
  const over: NewEvent[] =
    wait && !isAnswered ? [{ type: "wait_finished", call_id: wait.callId, why: "interrupted" }] : [];
  return [
    ...closing(thread),
    ...over,
    ...(step && !isAnswered ? withoutAnswer(thread, step) : []),
    ...(compaction ? [notShorter(tokensOf(thread), "it was stopped")] : []),
  ];
}

/** Whoever sent the request has said what it came to: what is held by now is for one that was never sent. */
function withoutAnswer({ target, model }: Thread, step: Step): NewEvent[] {
  const { turn, attempt } = step;
  const said = { turn, attempt, category: "cancelled" as const, rule: "stopped" };
  const error = "the request was stopped before it was sent";
  const unsent: NewEvent = {
    ...{ type: "error_classified", ...said, error, model: target?.model ?? model },
    ...billFor(step, undefined, undefined),
  };
  return [...(step.hold ? [unsent] : []), { type: "step_finish", turn, duration_ms: 0 }];
}

/** What a lasting thread writes down when nobody below works any more for what was stopped. */
export function messageStopped({ answering, halting }: Thread): NewEvent {
  const { by = "", reason } = halting ?? {};
  const to = answering === undefined ? {} : { for: answering };
  return { type: "message_stopped", ...to, by, ...(reason === undefined ? {} : { reason }) };
}
