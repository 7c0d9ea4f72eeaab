// The package `@chat-adapter/offline`, as a project would have it in its node_modules: it speaks over HTTP to a platform that
// a test plays, as adapters of real platforms do to theirs.
import {
  AdapterRateLimitError,
  AuthenticationError,
  NetworkError,
  ResourceNotFoundError,
} from "@chat-adapter/shared";
import { Message, markdownToPlainText, parseMarkdown, stringifyMarkdown } from "chat";

export function createOfflineAdapter(settings) {
  return new OfflineAdapter(settings);
}

class OfflineAdapter {
  name = "offline";
  botUserId = "U0B0T";
  #chat;
  #url;
  #token;

  constructor({ url, token, userName = "selvage", forgets = false, logger }) {
    if (!url) throw new Error("url is required");
    this.#url = url;
    this.#token = token;
    this.userName = userName;
    this.logger = logger;
    this.persistThreadHistory = forgets;
  }

  async initialize(chat) {
    this.#chat = chat;
    const { strays } = await this.#ask("start", {});
    if (strays) setTimeout(() => void Promise.reject(new Error(`a stray with ${this.#token}`)), 1);
  }

  async handleWebhook(request, options) {
    const event = await request.json();
    const threadId = this.encodeThreadId(event.thread);
    if (event.type === "click") {
      const { messageId, action: actionId, value, by } = event;
      void this.#chat.processAction(
        { actionId, messageId, value, threadId, user: author(by, this.userName), raw: event, adapter: this },
        options,
      );
    } else void this.#chat.processMessage(this, threadId, this.#made(threadId, event), options);
    return new Response("ok");
  }

  async postMessage(threadId, message) {
    const { id } = await this.#ask("post", { thread: threadId, ...shown(message) });
    return { id, threadId, raw: {} };
  }

  async editMessage(threadId, id, message) {
    await this.#ask("edit", { thread: threadId, id, ...shown(message) });
    return { id, threadId, raw: {} };
  }

  async postEphemeral(threadId, userId, message) {
    await this.#ask("whisper", { thread: threadId, to: userId, ...shown(message) });
    return { id: "", threadId, usedFallback: false, raw: {} };
  }

  async addReaction(threadId, messageId, emoji) {
    await this.#ask("react", { thread: threadId, id: messageId, text: `+${emoji}` });
  }

  async removeReaction(threadId, messageId, emoji) {
    await this.#ask("react", { thread: threadId, id: messageId, text: `-${emoji}` });
  }

  async fetchMessages(threadId) {
    const { messages } = await this.#ask("list", { thread: threadId });
    return {
      messages: messages.map(({ id, text, at }) => this.#made(threadId, { id, text, by: this.userName, at })),
    };
  }

  async getUser() {
    return null;
  }

  async deleteMessage() {}
  async startTyping() {}

  async fetchThread(id) {
    return { id, channelId: id, metadata: {} };
  }

  isDM(threadId) {
    return threadId.startsWith("offline:dm");
  }

  encodeThreadId(thread) {
    return `offline:${thread}`;
  }

  decodeThreadId(threadId) {
    return threadId.slice("offline:".length);
  }

  channelIdFromThreadId(threadId) {
    return threadId.split(":").slice(0, 2).join(":");
  }

  parseMessage() {
    throw new NetworkError("offline", "there is nothing to parse");
  }

  renderFormatted(content) {
    return stringifyMarkdown(content);
  }

  #made(threadId, { id, text, by, at = Date.now() }) {
    return new Message({
      id,
      threadId,
      text: markdownToPlainText(text),
      formatted: parseMarkdown(text),
      raw: {},
      author: author(by, this.userName),
      metadata: { dateSent: new Date(at), edited: false },
      attachments: [],
    });
  }

  async #ask(verb, body) {
    const response = await fetch(`${this.#url}/${verb}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status === 429) throw new AdapterRateLimitError("offline", answer.retryAfter);
    if (response.status === 401) throw new AuthenticationError("offline", `${this.#token} is not known`);
    if (response.status === 404) throw new ResourceNotFoundError("offline", "message", body.id);
    throw new NetworkError("offline", `the platform answered ${response.status}`);
  }
}

/** What people see of it, and the buttons. */
function shown(message) {
  if (typeof message === "string") return { text: message, buttons: [] };
  if ("markdown" in message) return { text: message.markdown, buttons: [] };
  const parts = message.card.children.flatMap((part) => (part.type === "actions" ? part.children : []));
  const buttons = parts.flatMap(({ type, id, label, value }) =>
    type === "button" ? [{ id, label, value }] : [],
  );
  return { text: message.fallbackText ?? "", buttons };
}

function author(by, us) {
  const isMe = by === us;
  return { userId: by, userName: by, fullName: by, isBot: isMe, isMe };
}
