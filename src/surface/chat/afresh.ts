/**
 * A talk whose journal is damaged: it is set aside as it is, and people go on with another. What they said to it before anybody
 * noticed is told to that one, once, and they are told what happened.
 */
import { type ChatPlace, type ChatText, placeOf } from "../../core/chat-platform.ts";
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
  const unheard = (await needs.store.openRequests(row.chain_root_id)).flatMap(wordsIn);
  if (unheard.length === 0) return;
  const [head] = await needs.store.find({ address: row.address, onlyHeads: true, limit: 1 });
  // Another one listens there by now: it was said.
  if (head?.thread_id === row.thread_id)
    await needs.say(place, errorText({ class: "history", threadId: row.thread_id, startsFresh: true }));
  for (const said of unheard) await needs.tell(place, said);
}

function wordsIn(request: Request): { text: string; by: string; messageId: string }[] {
  const text =
    request.kind === "message" ? request.text : request.kind === "resume" ? request.message : undefined;
  return text === undefined ? [] : [{ text, by: request.by, messageId: `${request.request_id}~afresh` }];
}
