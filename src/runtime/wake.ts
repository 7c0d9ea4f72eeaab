/** A suspended thread whose time has come. */
import { closing } from "../core/closing.ts";
import { BY_TIMEOUT } from "../core/commit.ts";
import type { NewEvent } from "../core/event.ts";
import type { Thread } from "../core/thread.ts";
import { refusedCall } from "./answers.ts";

/** Its time has come: it goes on, or nobody answered and that counts as a no. */
export function wakeUp(thread: Thread): NewEvent[] {
  const { waitsFor, run, nonce, approval } = thread;
  if (waitsFor?.kind !== "person" || waitsFor.follows !== "deny" || !approval) {
    return [{ type: "thread_resumed", by: "timer", run, nonce }];
  }
  const { approval_id, timeout_seconds } = approval;
  const message = `Nobody answered within ${timeout_seconds} seconds.`;
  const decided: NewEvent = {
    type: "approval_decided",
    approval_id,
    approved: false,
    by: "nobody",
    via: BY_TIMEOUT,
    message,
  };
  const refused = refusedCall(thread, `This call was refused: ${message}`);
  if (refused) return [decided, refused, { type: "thread_resumed", by: "timer", run, nonce }];
  return [
    decided,
    ...closing(thread),
    { type: "thread_cancelled", reason: "denied: nobody answered", by: "approvals.on_timeout", report: [] },
  ];
}
