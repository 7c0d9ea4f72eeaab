// An adapter for the Chat SDK without a network: what comes in is a webhook, what goes out is kept here. It does as real
// ones do: it hands messages on without waiting for them, and throws the errors of the adapters' shared package.

import { NetworkError, ResourceNotFoundError } from "@chat-adapter/shared";
import {
  type Adapter,
  type AdapterPostableMessage,
  type Attachment,
  type ChatInstance,
  type FetchOptions,
  type FetchResult,
  Message,
  markdownToPlainText,
  parseMarkdown,
  type RawMessage,
  stringifyMarkdown,
  type ThreadInfo,
  type WebhookOptions,
} from "chat";

/** What a test sends as the body of a webhook. */
export type OfflineEvent =
  | { readonly type: "message" | "update"; readonly thread: string; readonly message: OfflineMessage }
  | {
      readonly type: "click";
      readonly thread: string;
      readonly messageId: string;
      readonly action: string;
      readonly value?: string;
      readonly by: string;
    };

export interface OfflineMessage {
  readonly id: string;
  readonly text: string;
  readonly by: string;
  readonly before?: string;
  readonly files?: readonly { readonly name: string; readonly size?: number; readonly bytes: number }[];
}

export interface OfflineSent {
  readonly id: string;
  readonly thread: string;
  message: AdapterPostableMessage;
  readonly at: number;
}

export const OFFLINE_BOT = "selvage";

export class OfflineAdapter implements Adapter<string, unknown> {
  readonly name = "offline";
  readonly userName = OFFLINE_BOT;
  readonly botUserId = "U0B0T";
  readonly sent: OfflineSent[] = [];
  readonly reactions: string[] = [];
  readonly whispers: { readonly to: string; readonly message: AdapterPostableMessage }[] = [];
  readonly followed: string[] = [];
  readonly persistThreadHistory: boolean;
  /** What the next calls come to. */
  readonly failures: unknown[] = [];
  /** It answers, and names no message. */
  isMute = false;
  /** What the next starts come to. */
  readonly startsWith: unknown[] = [];
  #chat: ChatInstance | undefined;

  constructor(settings: { readonly forgets?: boolean; readonly refuses?: string } = {}) {
    if (settings.refuses) throw new Error(settings.refuses);
    this.persistThreadHistory = settings.forgets ?? false;
  }

  async initialize(chat: ChatInstance): Promise<void> {
    if (this.startsWith.length > 0) throw this.startsWith.shift();
    this.#chat = chat;
  }

  async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    const event = (await request.json()) as OfflineEvent;
    const threadId = this.encodeThreadId(event.thread);
    if (event.type === "click") {
      const { messageId, action: actionId, value, by } = event;
      const click = { actionId, messageId, threadId, user: author(by), raw: event, adapter: this };
      void this.#chat?.processAction({ ...click, ...(value !== undefined && { value }) }, options);
    } else if (event.type === "message") {
      void this.#chat?.processMessage(this, threadId, made(threadId, event.message), options);
    } else {
      const { before } = event.message;
      const previousMessage =
        before === undefined ? undefined : made(threadId, { ...event.message, text: before });
      const change = { adapter: this, threadId, message: made(threadId, event.message) };
      void this.#chat?.processMessageUpdated(
        { ...change, ...(previousMessage && { previousMessage }) },
        options,
      );
    }
    return new Response("ok");
  }

  /** Over a connection of the adapter's own: nobody waits for an answer. */
  async overheard(thread: string, message: OfflineMessage): Promise<void> {
    const threadId = this.encodeThreadId(thread);
    await this.#chat?.processMessage(this, threadId, made(threadId, message));
  }

  async postMessage(threadId: string, message: AdapterPostableMessage): Promise<RawMessage> {
    this.#fail();
    const id = this.isMute ? "" : `m${this.sent.length + 1}`;
    this.sent.push({ id, thread: threadId, message, at: Date.now() });
    return { id, threadId, raw: {} };
  }

  async editMessage(threadId: string, id: string, message: AdapterPostableMessage): Promise<RawMessage> {
    this.#fail();
    const sent = this.sent.find((one) => one.id === id && one.thread === threadId);
    if (!sent) throw new ResourceNotFoundError("offline", "message", id);
    sent.message = message;
    return { id, threadId, raw: {} };
  }

  async postEphemeral(threadId: string, userId: string, message: AdapterPostableMessage) {
    this.whispers.push({ to: userId, message });
    return { id: "", threadId, usedFallback: false, raw: {} };
  }

  async openDM(userId: string): Promise<string> {
    return `offline:D1:${userId}`;
  }

  async addReaction(_threadId: string, messageId: string, emoji: unknown): Promise<void> {
    this.reactions.push(`+${messageId}${String(emoji)}`);
  }

  async removeReaction(_threadId: string, messageId: string, emoji: unknown): Promise<void> {
    this.reactions.push(`-${messageId}${String(emoji)}`);
  }

  /** Two to a page, so that pages are turned. */
  async fetchMessages(threadId: string, options: FetchOptions = {}): Promise<FetchResult> {
    const all = this.sent.filter(({ thread }) => thread === threadId);
    const end = options.cursor === undefined ? all.length : Number(options.cursor);
    const page = all.slice(Math.max(0, end - 2), end);
    const messages = page.map(({ id, message, at }) =>
      made(threadId, { id, text: shownText(message), by: OFFLINE_BOT }, at),
    );
    return { messages, ...(end > 2 && { nextCursor: `${end - 2}` }) };
  }

  /** The name that it shows is not the one by which it is called. */
  async getUser(userId: string) {
    if (userId !== this.botUserId) return null;
    return { userId, userName: OFFLINE_BOT, fullName: "Selvage, the bot", isBot: true };
  }

  async onThreadSubscribe(threadId: string): Promise<void> {
    this.followed.push(threadId);
  }

  async deleteMessage(): Promise<void> {}
  async startTyping(): Promise<void> {}

  async fetchThread(id: string): Promise<ThreadInfo> {
    return { id, channelId: id, metadata: {} };
  }

  isDM(threadId: string): boolean {
    return threadId.startsWith("offline:dm");
  }

  encodeThreadId(thread: string): string {
    return `offline:${thread}`;
  }

  decodeThreadId(threadId: string): string {
    return threadId.slice("offline:".length);
  }

  channelIdFromThreadId(threadId: string): string {
    return threadId.split(":").slice(0, 2).join(":");
  }

  parseMessage(): Message {
    throw new NetworkError("offline", "there is nothing to parse");
  }

  renderFormatted(content: Message["formatted"]): string {
    return stringifyMarkdown(content);
  }

  #fail(): void {
    if (this.failures.length > 0) throw this.failures.shift();
  }
}

/** What people see of it, without its buttons. */
export function shownText(message: AdapterPostableMessage): string {
  if (typeof message === "string") return message;
  if ("markdown" in message) return message.markdown;
  return "fallbackText" in message ? (message.fallbackText ?? "") : "";
}

function made(threadId: string, message: OfflineMessage, at = Date.UTC(2026, 0, 2)): Message {
  const { id, text, by, files = [] } = message;
  return new Message({
    id,
    threadId,
    text: markdownToPlainText(text),
    formatted: parseMarkdown(text),
    raw: message,
    author: author(by),
    metadata: { dateSent: new Date(at), edited: false },
    attachments: files.map(
      ({ name, size, bytes }): Attachment => ({
        type: "file",
        name,
        mimeType: "text/plain",
        ...(size !== undefined && { size }),
        fetchData: async () => Buffer.alloc(bytes, 120),
      }),
    ),
  });
}

function author(by: string) {
  const isMe = by === OFFLINE_BOT;
  return { userId: by, userName: by, fullName: by, isBot: isMe || by.endsWith("-bot"), isMe };
}
