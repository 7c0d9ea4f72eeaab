/** Asking a person: every suspension is a question, and the question is written with it (L3, L4). */
import { type Approval, type Asker, approvalDigest } from "./approval.ts";
import type { NewEvent } from "./event.ts";
import type { SuspendReason } from "./suspension.ts";

export interface Question {
  readonly reason: SuspendReason;
  /** What happened, for the registry and the logs. */
  readonly message: string;
  /** What a person is asked; the message when nothing else is said. */
  readonly prompt?: string | undefined;
  /** What is waited for, in a few words. */
  readonly what: string;
  readonly limit?: Pick<Approval, "limit_code" | "current" | "current_max" | "proposed_max"> | undefined;
  readonly call?: Approval["call"];
  /** It goes on by itself at this time. */
  readonly resumesAt?: string | undefined;
}

export interface AskingNeeds {
  readonly now: number;
  readonly newApprovalId: () => string;
  readonly sha256: (text: string) => string;
  readonly timeoutSeconds: number;
  readonly onTimeout: "remind" | "deny";
}

const WHO = "anyone who may run selvage here";

/** Suspends a thread and asks: the status, its reason, what it waits for and the question are one commit. */
export function suspend(
  thread: Asker,
  question: Question,
  needs: AskingNeeds,
): [NewEvent<"thread_suspended">, NewEvent<"approval_requested">] {
  const {
    reason,
    message,
    prompt = `${message}\n\nApprove to let it go on? Deny ends it as cancelled; what it did so far is kept.`,
    what,
    limit,
    call,
    resumesAt,
  } = question;
  const approval_id = needs.newApprovalId();
  const shown = {
    reason,
    prompt,
    ...limit,
    ...(call ? { call } : {}),
    on_deny: call ? ("refuse_call" as const) : ("cancel" as const),
  };
  const timesOut = needs.onTimeout === "deny" && resumesAt === undefined;
  const deniedAt = timesOut ? new Date(needs.now + needs.timeoutSeconds * 1_000).toISOString() : undefined;
  const until = resumesAt ?? deniedAt;
  const waits = {
    kind: "person" as const,
    what,
    who: WHO,
    how: `selvage approve ${approval_id}`,
    approval_id,
  };
  return [
    {
      type: "thread_suspended",
      reason,
      message,
      waits_for: until === undefined ? waits : { ...waits, until, follows: timesOut ? "deny" : "resume" },
    },
    {
      type: "approval_requested",
      approval_id,
      ...shown,
      timeout_seconds: needs.timeoutSeconds,
      digest: approvalDigest(thread, shown, needs.sha256),
    },
  ];
}
