/**
 * Other words for a message that waits (UX d.1). Whether it still waits is for the fold of its thread to say when it takes them:
 * here it is only looked at, so that nothing is asked that cannot be.
 *   W1. What is stored counts: the journal, and what is asked and not taken yet.
 *   W2. The same change delivered again is the same request; the last one that arrives stands.
 */
import { attachedIn, withAttachments } from "../../core/chat-attached.ts";
import { edited, type KnownMessage, requestIdOf } from "../../core/chat-intake.ts";
import { addressOf, type ChatEdit } from "../../core/chat-platform.ts";
import { originOf, requestAgain } from "../../core/chat-request.ts";
import { knownMessage } from "../../core/chat-state.ts";
import { ALREADY_WORKING } from "../../core/chat-texts.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { postRequest } from "../../runtime/index.ts";
import type { Actors } from "./actors.ts";

interface RewordingNeeds {
  readonly world: World;
  readonly actors: Actors;
  /** What stands before the words of this person where several talk. */
  readonly prefix: string;
}

interface Waiting extends KnownMessage {
  readonly prompt: string;
  readonly version: string;
}

/** Stores it; what is said to who changed the message, if anything is. */
export async function reword(edit: ChatEdit, needs: RewordingNeeds): Promise<string | undefined> {
  const { world, prefix } = needs;
  const row = await headAt(world, edit);
  if (!row) return undefined;
  const waiting = await lookFor(edit, row, needs);
  const { words } = attachedIn(waiting?.text ?? "");
  const isNamed = words.startsWith(prefix);
  // As it was said: a preview that comes as an edit changes no word of it, nor what was attached.
  const known = waiting && { ...waiting, text: isNamed ? words.slice(prefix.length) : words };
  const read = edited(edit, () => known);
  if (read.kind === "too_late") return read.says;
  if (read.kind !== "replaced" || !waiting) return undefined;
  const { prompt: replaces, version } = waiting;
  const attached = waiting.text.slice(words.length);
  const said = withAttachments(isNamed ? `${prefix}${read.text}` : read.text, [], []);
  const text = words === "" && attached !== "" ? `${said}\n\n${attached}` : `${said}${attached}`;
  // W2: named after the words that it changes as well, so that who changes his mind twice is heard twice.
  const sign = world.sha256(`${version}\n${text}`).slice(0, 16);
  const posted = await postRequest(world, {
    ...{ kind: "message", request_id: requestAgain(replaces, sign), thread_id: row.thread_id },
    ...{ by: read.by, text, after: "end", replaces },
  });
  return posted.accepted ? undefined : ALREADY_WORKING;
}

/** The words of one that is not stored in its thread yet; undefined: they stay as they are. */
export function rewordedHeld(edit: ChatEdit, text: string, prefix: string): string | undefined {
  const isNamed = text.startsWith(prefix);
  const known = { text: isNamed ? text.slice(prefix.length) : text, isStarted: false };
  const read = edited(edit, () => known);
  if (read.kind !== "replaced") return undefined;
  return isNamed ? `${prefix}${read.text}` : read.text;
}

/** W1. What is not asked any more when it is looked for stands in the journal by then. */
async function lookFor(
  edit: ChatEdit,
  { chain_root_id }: ThreadRow,
  { world, actors }: RewordingNeeds,
): Promise<Waiting | undefined> {
  const open = await world.store.openRequests(chain_root_id);
  const head = await headAt(world, edit);
  const actor = await actors.of(edit.place);
  if (head) await actor.upTo(head);
  const requestId = requestIdOf(edit.place, edit.id);
  const found = knownMessage(actor.state, requestId) ?? asked(open, requestId);
  const newer = open.findLast((each) => each.kind === "message" && each.replaces === found?.prompt);
  if (!found || newer?.kind !== "message") return found;
  return { ...found, text: newer.text, version: newer.request_id };
}

function asked(open: readonly Request[], requestId: string): Waiting | undefined {
  const first = open.find(({ request_id }) => originOf(request_id) === requestId);
  if (first?.kind !== "message" || first.replaces !== undefined) return undefined;
  const { request_id: prompt, text, after } = first;
  return { prompt, version: prompt, text, isStarted: after === undefined };
}

async function headAt({ store }: World, { place }: ChatEdit): Promise<ThreadRow | undefined> {
  const [row] = await store.find({ address: addressOf(place), onlyHeads: true, limit: 1 });
  return row;
}
