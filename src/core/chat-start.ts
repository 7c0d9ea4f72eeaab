/** What it means that a chat platform did not start: somebody has to mend its settings, or only time has to pass. */
import { readChatFailure } from "./chat-failure.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export type AfterChatStart = { readonly next: "end" } | { readonly next: "retry"; readonly afterMs: number };

/**
 * A token that the platform refuses is refused again: whoever just started it is told at once. Later nobody sits there any
 * more, and a host is not ended for one platform. What is not known is taken for a bad moment.
 */
export function afterChatStart(error: unknown, tries: number): AfterChatStart {
  const { kind, waitMs } = readChatFailure(error);
  if (tries === 0 && (kind === "forbidden" || kind === "not_found")) return { next: "end" };
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
  return { next: "retry", afterMs: Math.max(own, Math.min(waitMs ?? 0, LONGEST_WAIT_MS)) };
}
