/** A conversation is made shorter because somebody asks for it: what came of that, once it is known. */
import type { Event } from "../../core/event.ts";
import type { ThreadRow } from "../../core/row.ts";
import { ENDS } from "../../core/status.ts";
import type { SessionNeeds } from "./session-needs.ts";

export type CompactionAnswer =
  /** It is stored, and done before the next turn. */
  | { readonly pending: true }
  | { readonly summary: string; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly failed: string };

/** Waits for it where the thread is at work; one that is suspended does it when it goes on. */
export async function compactNow(
  { feed }: SessionNeeds,
  row: ThreadRow,
  post: () => Promise<boolean>,
): Promise<CompactionAnswer> {
  let stop = () => {};
  try {
    const heard = new Promise<CompactionAnswer>((resolve) => {
      const event = (told: Event) => {
        const answer = told.thread_id === row.thread_id ? answerIn(told) : undefined;
        if (answer) resolve(answer);
      };
      stop = feed.listen({ event, over: () => resolve({ pending: true }) }, { thread: row.thread_id });
    });
    if (!(await post())) return { failed: "the thread ended first" };
    return row.status === "suspended" ? { pending: true } : await heard;
  } finally {
    stop();
  }
}

function answerIn(event: Event): CompactionAnswer | undefined {
  if (event.type === "context_compaction_end") {
    const { summary = "", tokens_before: tokensBefore, tokens_after: tokensAfter, failed } = event;
    return failed === undefined ? { summary, tokensBefore, tokensAfter } : { failed };
  }
  if (event.type === "thread_suspended") return { pending: true };
  return ENDS.includes(event.type) ? { failed: "the thread ended first" } : undefined;
}
