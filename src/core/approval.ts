/**
 * Questions to people (L3–L7). Every suspension asks one; it has one decision ever, and what was shown is bound by
 * a digest. A time-out brings it to mind again and is never a "no", unless the settings say so.
 */
import type { NewEvent } from "./event.ts";
import { canonical } from "./id.ts";
import type { Limits } from "./limit.ts";
import type { Request } from "./request.ts";

/** The question as it was asked. */
export type Approval = Omit<NewEvent<"approval_requested">, "type">;

export interface Decision {
  readonly approval_id: string;
  readonly approved: boolean;
  readonly by: string;
  readonly via: string;
  readonly at: string;
  readonly message?: string | undefined;
  readonly limits?: Limits | undefined;
}

/** A line of the inbox: open, decided, or void because its thread went on or ended without it. */
export interface ApprovalRow {
  readonly approval: Approval;
  readonly thread_id: string;
  readonly chain_root_id: string;
  readonly asked_at: string;
  readonly state: "open" | "decided" | "void";
  readonly decision?: Decision | undefined;
}

export interface ApprovalQuery {
  readonly approvalId?: string;
  /** Of ids, as people write them. */
  readonly prefix?: string;
  readonly threadId?: string;
  readonly states?: readonly ApprovalRow["state"][];
}

/** What becomes of the questions of a chain by one event. */
export type ApprovalChange =
  | { readonly type: "open"; readonly approval: Approval; readonly asked_at: string }
  | { readonly type: "decided"; readonly decision: Decision }
  | { readonly type: "void" };

/** The decision that a posted answer is. */
export function decisionOf(request: Request & { kind: "decide" }, now: number): Decision {
  const { approval_id, approved, by, via, message, limits } = request;
  return { approval_id, approved, by, via, at: new Date(now).toISOString(), message, limits };
}

export interface Asker {
  readonly id: string;
  readonly run: number;
}

/** Over everything that was shown, and whom it is about. */
export function approvalDigest(
  { id, run }: Asker,
  shown: Omit<Approval, "approval_id" | "digest" | "timeout_seconds">,
  sha256: (text: string) => string,
): string {
  const { reason, prompt, limit_code, current, current_max, proposed_max, call, on_deny } = shown;
  const limit = [limit_code, current, current_max, proposed_max];
  return sha256(canonical([id, run, reason, prompt, limit, call ?? null, on_deny])).slice(0, 32);
}

/** How often a question has been due for a reminder. */
export function reminders({ approval, asked_at }: ApprovalRow, now: number): number {
  const waited = now - Date.parse(asked_at);
  return Math.max(0, Math.floor(waited / (approval.timeout_seconds * 1_000)));
}
