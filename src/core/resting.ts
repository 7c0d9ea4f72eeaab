/** How a thread comes to rest, and how it goes on: for people, for a retry. */
import { withStep } from "./answer.ts";
import type { Event } from "./event.ts";
import { canMove, type Status } from "./status.ts";
import { awake, startedOver, withoutRetry } from "./step.ts";
import type { Thread } from "./thread.ts";

/** An event that asks for a move the table does not have changes nothing. */
export function moved(thread: Thread, to: Status, more: Partial<Thread> = {}): Thread {
  if (!canMove(thread.status, to)) return thread;
  const free = { waitsFor: undefined, suspendReason: undefined, approval: undefined };
  return { ...thread, ...free, ...more, status: to };
}

/** A suspended thread may come to wait for something else; its reason stays the first one's. */
export function suspended(thread: Thread, event: Event<"thread_suspended">): Thread {
  const { waits_for: waitsFor, reason: suspendReason } = event;
  if (thread.status === "suspended") return { ...thread, waitsFor };
  const doubted = suspendReason === "storage" || suspendReason === "crash_loop" ? true : undefined;
  const resting = withStep(thread, (step) => ({
    ...awake(step, event.ts),
    rest: { since: event.ts },
    doubted,
    // Decided by this, or by whoever lets it go on; not while a hook that is asked has still to say.
    undecided: thread.asked ? step.undecided : undefined,
  }));
  const looks = isLook(event) ? thread.looks + 1 : thread.looks;
  return moved(resting, "suspended", { suspendReason, waitsFor, looks });
}

function isLook({ reason, waits_for: waits }: Event<"thread_suspended">): boolean {
  return reason === "budget" && waits.kind === "person" && waits.follows === "resume";
}

export function retrying(thread: Thread, event: Event<"auto_retry_start">): Thread {
  const { attempt, maxAttempts, delayMs, wakeAt, errorMessage: error, target } = event;
  const retry = { attempt, maxAttempts, delayMs, wakeAt, error };
  const rest = { since: event.ts, until: wakeAt };
  return {
    ...withStep(thread, (step) => ({
      ...awake(step, event.ts),
      retry,
      rest,
      switches: step.switches + (target ? 1 : 0),
      urged: event.by === undefined ? undefined : true,
      undecided: undefined,
    })),
    ...(target ? { target } : {}),
    waitsFor: { kind: "timer", what: "retry", until: wakeAt },
  };
}

/** A person starts over with the retries and with what looked like a loop; everything recorded stays. */
export function resumed(thread: Thread, event: Event<"thread_resumed">): Thread {
  const { run, nonce } = event;
  const step = thread.step && withoutRetry(awake(thread.step, event.ts));
  if (run === thread.run) return moved(thread, "running", { nonce, step });
  return moved(thread, "running", {
    run,
    nonce,
    step: step && startedOver(step),
    overrun: false,
    repeat: undefined,
  });
}
