/** Words for the time when a thread would end: kept in the fold, so that no crash and no hand-off loses one. */
import type { Event } from "./event.ts";

export interface FollowUp {
  readonly request_id: string;
  readonly by: string;
  readonly text: string;
}

export function kept(
  waiting: readonly FollowUp[],
  { request_id, by, text }: Event<"message_received">,
): readonly FollowUp[] {
  return [...waiting, { request_id, by, text }];
}

export function without(waiting: readonly FollowUp[], requestId: string | undefined): readonly FollowUp[] {
  return requestId === undefined ? waiting : waiting.filter(({ request_id }) => request_id !== requestId);
}
