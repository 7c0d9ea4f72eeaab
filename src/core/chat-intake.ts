/**
 * What a platform tells us, and what it is (UX d.1, d.3): nothing for us, a command, steering, or words for the thread.
 *   I1. Only a whole message is a command, and only a button's own value is an approval.
 *   I2. Bots, we ourselves, and people who are not named for it change nothing.
 *   I3. What comes in is bounded: its length, its mentions, its hidden characters (K6, K10).
 */
import { type ChatAccess, type ChatDeed, may, principalOf } from "./chat-access.ts";
import { approvalIn, type ChatCommand, commandIn } from "./chat-command.ts";
import type { ChatClick, ChatEdit, ChatMessage, ChatPerson, ChatPlace } from "./chat-platform.ts";
import { originOf } from "./chat-request.ts";
import { ALREADY_WORKING, notAllowed } from "./chat-texts.ts";
import { grouped, stripControls, wellFormed } from "./text.ts";

export interface IntakeFacts {
  /** A thread of ours is here: somebody mentioned us, or we began it. */
  readonly isOurs: boolean;
  readonly access: ChatAccess;
}

interface Ignored {
  readonly kind: "ignored";
  readonly why: "own" | "bot" | "empty" | "not_for_us" | "not_known" | "unchanged";
}
interface Taken {
  readonly by: string;
}

export type Intake =
  | Ignored
  /** Told to this person alone, where the platform can. */
  | (Taken & { readonly kind: "refused" | "unclear"; readonly says: string })
  | (Taken & { readonly kind: "command"; readonly command: ChatCommand })
  /** `steering`: read before the next turn; `message`: in its turn. */
  | (Taken & { readonly kind: "steering" | "message"; readonly text: string });

/** Some twelve thousand tokens: what is longer belongs into a file. */
export const LONGEST_MESSAGE = 50_000;
const MOST_MENTIONS = 20;

/** The same for every delivery of one message, so that what was stored is known again. */
export function requestIdOf({ platform, chat }: ChatPlace, messageId: string): string {
  return [platform, chat, messageId].map(encodeURIComponent).join(":");
}

/** Undefined: it did not come from a platform. */
export function messageOf(requestId: string): { readonly place: ChatPlace; readonly id: string } | undefined {
  const parts = /^([^:]+):([^:]+):([^:]+)$/.exec(originOf(requestId))?.slice(1).map(decoded);
  const [platform, chat, id] = parts ?? [];
  if (platform === undefined || chat === undefined || id === undefined) return undefined;
  return { place: { platform, chat }, id };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // Its only failure: what we did not write.
    return undefined;
  }
}

/** The platform has taken our own name out of the text: `mentionsUs` says that it was there. */
export function intake(message: ChatMessage, { isOurs, access }: IntakeFacts): Intake {
  const { by: person, place, isDirect, mentionsUs, attachments } = message;
  const nobody = ignoredPerson(person);
  if (nobody) return nobody;
  const by = principalOf(place.platform, person);
  const { text, isLong } = bounded(message.text);
  const said = text.trim();
  const isEmpty = said === "" && attachments.length === 0;
  if (isEmpty && !mentionsUs) return { kind: "ignored", why: "empty" };
  if (!isDirect && !mentionsUs && !isOurs) return { kind: "ignored", why: "not_for_us" };
  const deed = (wanted: ChatDeed): Intake | undefined =>
    may(access, wanted, place.platform, person)
      ? undefined
      : { kind: "refused", by, says: notAllowed(wanted, access[wanted]) };
  // Somebody who only says our name wants to know what we can do.
  const read = isEmpty ? HELP : isLong ? undefined : commandIn(said, mentionsUs);
  if (read && "unclear" in read) return deed("talk") ?? { kind: "unclear", by, says: read.unclear };
  if (read) return deed(deedOf(read.command)) ?? { kind: "command", by, command: read.command };
  const steered = /^!\s*(?=[^\s!])([\s\S]+)$/.exec(said)?.[1];
  if (steered !== undefined) return deed("talk") ?? { kind: "steering", by, text: steered };
  return deed("talk") ?? { kind: "message", by, text: said };
}

const HELP = { command: { name: "help" } } as const;

function ignoredPerson({ isBot, isSelf }: ChatPerson): Ignored | undefined {
  if (isSelf) return { kind: "ignored", why: "own" };
  return isBot ? { kind: "ignored", why: "bot" } : undefined;
}

function deedOf({ name }: ChatCommand): ChatDeed {
  if (name === "help") return "talk";
  return name === "approve" || name === "deny" || name === "ask_amount" ? "approve" : "command";
}

/** I3. */
function bounded(text: string): { readonly text: string; readonly isLong: boolean } {
  const left = text.length - LONGEST_MESSAGE;
  const kept = wellFormed(stripControls(text.slice(0, LONGEST_MESSAGE)));
  const calm = withoutStorm(kept);
  if (left <= 0) return { text: calm, isLong: false };
  const note = `[… ${grouped(left)} of ${grouped(text.length)} characters were left out here; a file has room for them]`;
  return { text: `${calm}\n${note}`, isLong: true };
}

const MENTIONS = /<[@!#][^<>\s]{1,100}>|@[\w.-]{1,64}/g;

function withoutStorm(text: string): string {
  const count = text.match(MENTIONS)?.length ?? 0;
  if (count <= MOST_MENTIONS) return text;
  let seen = 0;
  const first = text.replace(MENTIONS, (mention) => {
    seen += 1;
    return seen <= MOST_MENTIONS ? mention : "";
  });
  const note = `[… ${grouped(count - MOST_MENTIONS)} more mentions were left out here]`;
  return `${first.replace(/[^\S\n]{2,}/g, " ").trim()}\n${note}`;
}

/** What is known of a message that was edited. */
export interface KnownMessage {
  readonly text: string;
  readonly isStarted: boolean;
}

export type EditIntake =
  | Ignored
  | (Taken & { readonly kind: "replaced"; readonly requestId: string; readonly text: string })
  | (Taken & { readonly kind: "too_late"; readonly says: string });

/** `known`: messages that are not answered yet. An edit of any other is none of our business (old threads stay quiet). */
export function edited(edit: ChatEdit, known: (requestId: string) => KnownMessage | undefined): EditIntake {
  const nobody = ignoredPerson(edit.by);
  if (nobody) return nobody;
  const requestId = requestIdOf(edit.place, edit.id);
  const before = known(requestId);
  if (!before) return { kind: "ignored", why: "not_known" };
  const text = bounded(edit.text).text.trim();
  if (text === "") return { kind: "ignored", why: "empty" };
  // Previews, pins and reactions come as edits too.
  if (text === before.text) return { kind: "ignored", why: "unchanged" };
  const by = principalOf(edit.place.platform, edit.by);
  if (before.isStarted) return { kind: "too_late", by, says: ALREADY_WORKING };
  return { kind: "replaced", by, requestId, text };
}

/** A button names its approval in its value, so that old cards still work (d.2). */
export function clicked(click: ChatClick, access: ChatAccess): Intake {
  const { by: person, place } = click;
  const nobody = ignoredPerson(person);
  if (nobody) return nobody;
  const by = principalOf(place.platform, person);
  const command = commandOf(click);
  if (!command) return { kind: "ignored", why: "not_known" };
  const deed = deedOf(command);
  if (!may(access, deed, place.platform, person))
    return { kind: "refused", by, says: notAllowed(deed, access[deed]) };
  return { kind: "command", by, command };
}

function commandOf({ action, value }: ChatClick): ChatCommand | undefined {
  if (action === "stop_retry" || action === "retry") return { name: action };
  const approval = approvalIn(value.slice(0, 64));
  if (approval === undefined) return undefined;
  if (action === "approve" || action === "deny") return { name: action, approval };
  return action === "ask_amount" ? { name: action, approval } : undefined;
}
