/** Between the words of the Chat SDK and ours: what comes in, and what goes out. */
import type { ActionEvent, AdapterPostableMessage, Attachment, Author, FileUpload, Message } from "chat";
import type {
  ChatAttachment,
  ChatClick,
  ChatFile,
  ChatMessage,
  ChatPerson,
  ChatPlace,
  ChatText,
} from "../../../core/chat-platform.ts";
import { inPieces, withoutCalls, withoutMention } from "../../../core/chat-text.ts";
import { clickId } from "../click-id.ts";
import type { ChatPackage } from "./chat-sdk-packages.ts";

/**
 * The SDK writes the adapter's name before each of its ids; ours have a field for the platform's, which is another where one
 * adapter speaks to two platforms.
 */
export interface Names {
  readonly platform: string;
  readonly adapter: string;
}

export function placeOf({ platform, adapter }: Names, threadId: string): ChatPlace {
  const before = `${adapter}:`;
  return { platform, chat: threadId.startsWith(before) ? threadId.slice(before.length) : threadId };
}

export function threadIdOf({ adapter }: Names, { chat }: ChatPlace): string {
  return `${adapter}:${chat}`;
}

export function personOf(author: Author): ChatPerson {
  const { userId, userName, fullName, isBot, isMe, isSystem } = author;
  const name = fullName || userName || userId;
  return { id: userId, name, isBot: isBot === true || isSystem === true, isSelf: isMe };
}

export function messageOf(
  chat: ChatPackage,
  place: ChatPlace,
  message: Message,
  at: { readonly isDirect: boolean; readonly names: readonly string[] },
): ChatMessage {
  return {
    place,
    id: message.id,
    by: personOf(message.author),
    text: textOf(chat, message, at.names),
    at: message.metadata.dateSent.getTime(),
    isDirect: at.isDirect,
    mentionsUs: message.isMention === true,
    attachments: message.attachments.map(attachmentOf),
  };
}

/**
 * Markdown where something is formatted: the plain text has lost the addresses of links and the edges of code by then.
 * Where nothing is, the plain text: as Markdown its signs would be escaped.
 */
export function textOf(chat: ChatPackage, message: Message, names: readonly string[]): string {
  const isFormatted = hasOther(message.formatted);
  return withoutMention(isFormatted ? chat.stringifyMarkdown(message.formatted) : message.text, names);
}

/** What looks like a tag was written as it stands. */
const PLAIN = ["root", "paragraph", "text", "break", "html"];

function hasOther(node: {
  readonly type: string;
  readonly children?: readonly { readonly type: string }[];
}): boolean {
  return !PLAIN.includes(node.type) || (node.children ?? []).some(hasOther);
}

export function clickOf(names: Names, event: ActionEvent): ChatClick {
  const { actionId: action, value = "", messageId, threadId, user } = event;
  const by = personOf(user);
  const id = clickId({ messageId, action, value, personId: by.id });
  return { place: placeOf(names, threadId), id, by, action, value, messageId };
}

function attachmentOf(attachment: Attachment): ChatAttachment {
  const name = attachment.name ?? attachment.type;
  const bytes = attachment.size;
  return {
    name,
    type: attachment.mimeType ?? "application/octet-stream",
    ...(bytes !== undefined && { bytes }),
    read: (limit) => readAttachment(attachment, name, limit),
  };
}

async function readAttachment(attachment: Attachment, name: string, limit: number): Promise<Uint8Array> {
  refuseLarge(name, attachment.size, limit);
  const found = attachment.data ?? (await attachment.fetchData?.());
  if (!found) throw new Error(`${name} cannot be read from here`);
  const bytes = new Uint8Array(found instanceof Blob ? await found.arrayBuffer() : found);
  // What the platform said of its size need not be so.
  refuseLarge(name, bytes.length, limit);
  return bytes;
}

function refuseLarge(name: string, bytes: number | undefined, limit: number): void {
  if (bytes !== undefined && bytes > limit) {
    throw new Error(`${name} has ${bytes} bytes, and ${limit} are the most that are read`);
  }
}

/** A part of a card that is longer is cut off on the way, and what is asked about would not all be seen. */
const LONGEST_PART = 2_500;

/** With buttons it is a card, without it is text. The SDK knows no question before a click: `confirm` is not shown. */
export function postableOf(
  chat: ChatPackage,
  said: ChatText,
  mention: (personId: string) => string,
  files: readonly ChatFile[] = [],
): AdapterPostableMessage {
  const called = (said.mentions ?? []).map(mention);
  const text = [...called, withoutCalls(said.text)].join(" ");
  const uploads = files.length === 0 ? {} : { files: files.map(uploadOf) };
  if (!said.buttons || said.buttons.length === 0) return { markdown: text, ...uploads };
  const buttons = said.buttons.map(({ label, action, value, style }) =>
    chat.Button({ id: action, label, value, ...(style && { style }) }),
  );
  const parts = inPieces(text, LONGEST_PART).map((part) => chat.CardText(part));
  const card = chat.Card({ children: [...parts, chat.Actions(buttons)] });
  return { card, fallbackText: text, ...uploads };
}

function uploadOf({ name, type, bytes }: ChatFile): FileUpload {
  return { data: Buffer.from(bytes), filename: name, mimeType: type };
}
