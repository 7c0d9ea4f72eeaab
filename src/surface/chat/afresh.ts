/**
 * A talk whose journal is damaged: it is set aside as it is, and people go on with another. What they said to it before anybody
 * noticed is told to that one, once, and they are told what happened.
 */
import { type ChatPlace, type ChatText, placeOf } from "../../core/chat-platform.ts";
import { requestAgain } from "../../core/chat-request.ts";
import { errorText } from "../../core/chat-texts.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { Store } from "../../core/store.ts";

export interface AfreshNeeds {
  readonly store: Pick<Store, "find" | "openRequests">;
  speaksIn(place: ChatPlace): boolean;
  /** Resolves when it is stored; told twice, it is the same. */
  tell(place: ChatPlace, said: { text: string; by: string; messageId: string }): Promise<void>;
  say(place: ChatPlace, said: ChatText): Promise<void>;
}

export async function beginAfresh(row: ThreadRow, needs: AfreshNeeds): Promise<void> {
  const place = row.address === null ? undefined : placeOf(row.address);
  if (row.address === null || row.corrupt === null || !place || !needs.speaksIn(place)) return;
  const open = await needs.store.openRequests(row.chain_root_id);
  const unheard = open.flatMap((request) => wordsIn(request, open));
  if (unheard.length === 0) return;
  const [head] = await needs.store.find({ address: row.address, onlyHeads: true, limit: 1 });
  // Another one listens there by now: it was said.
  if (head?.thread_id === row.thread_id)
    await needs.say(place, errorText({ class: "history", threadId: row.thread_id, startsFresh: true }));
  for (const said of unheard) await needs.tell(place, said);
}

/** As it was said last; other words for one that the thread has read already are of no use to another. */
function wordsIn(
  request: Request,
  open: readonly Request[],
): { text: string; by: string; messageId: string }[] {
  const { request_id, by } = request;
  if (request.kind === "message" && request.replaces !== undefined) return [];
  const newer = open.findLast((each) => each.kind === "message" && each.replaces === request_id);
  const said = newer ?? request;
  const text = said.kind === "message" ? said.text : said.kind === "resume" ? said.message : undefined;
  return text === undefined ? [] : [{ text, by, messageId: requestAgain(request_id, "afresh") }];
}
