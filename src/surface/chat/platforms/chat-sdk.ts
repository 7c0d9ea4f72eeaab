/**
 * Slack, Discord, Telegram and the others, through the Chat SDK and one adapter for each.
 *   B1. Nothing is dropped while something else is handled: handlers run side by side, the order is ours to make.
 *   B2. A webhook is answered after the listener has stored what came in, and with a failure if it could not.
 *   B3. What came over a connection of the adapter's own is not delivered again: then we ask the listener again.
 *   B4. `recent` is there only where the platform itself remembers: a cache of ours would deny what a crash made it forget.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Adapter, Chat, Message, Thread } from "chat";
import type {
  ChatFile,
  ChatListener,
  ChatManners,
  ChatPlace,
  ChatPlatform,
  ChatText,
} from "../../../core/chat-platform.ts";
import { refuseTooLong } from "../../../core/chat-text.ts";
import type { Clock } from "../../../core/world.ts";
import { type ChatPackage, type Load, loadAdapter, loadChat, notOpened } from "./chat-sdk-packages.ts";
import { ChatSdkState } from "./chat-sdk-state.ts";
import {
  clickOf,
  messageOf,
  type Names,
  personOf,
  placeOf,
  postableOf,
  textOf,
  threadIdOf,
} from "./chat-sdk-words.ts";
import { type Gateway, keepGateway } from "./gateway.ts";
import { mannersOf } from "./manners.ts";

export interface ChatSdkNeeds {
  /** What it is called here, where that is not the adapter's name. */
  readonly name?: string;
  /** The last part of the name of the adapter's package. */
  readonly platform: string;
  /** As the adapter's own pages name them; most find their keys in the environment. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly botName: string;
  readonly clock: Clock;
  /** For the operator. What stands in an error of an adapter may be secret. */
  readonly trouble: (what: string, error?: unknown) => void;
  readonly load?: Load;
}

/** What one webhook brought along. */
interface Delivery {
  readonly tasks: Promise<unknown>[];
  hasFailed: boolean;
}

const STORE_AGAIN_MS = [1_000, 2_000, 4_000];
const PAGE = 100;
const MOST_PAGES = 5;
const SIGNS = { seen: "eyes", queued: "clock" } as const;

type Recent = NonNullable<ChatPlatform["recent"]>;
type Hand = NonNullable<ChatPlatform["hand"]>;
type Whisper = NonNullable<ChatPlatform["whisper"]>;

/** Throws a Problem when a package is missing or the adapter refuses its settings. */
export async function openChatSdk(needs: ChatSdkNeeds): Promise<ChatSdkPlatform> {
  const load = needs.load ?? ((name: string) => import(name));
  const chat = await loadChat(load, needs.platform);
  // Left alone, an adapter writes its log where our output goes.
  const ours = { userName: needs.botName, logger: loggerOf(needs.trouble) };
  const adapter = await loadAdapter(load, needs.platform, { ...ours, ...needs.settings });
  return new ChatSdkPlatform(needs, chat, adapter);
}

export class ChatSdkPlatform implements ChatPlatform {
  readonly name: string;
  readonly manners: ChatManners;
  readonly whisper?: Whisper;
  readonly hand?: Hand;
  readonly recent?: Recent;
  readonly #needs: ChatSdkNeeds;
  readonly #sdk: ChatPackage;
  readonly #adapter: Adapter;
  readonly #chat: Chat;
  readonly #deliveries = new AsyncLocalStorage<Delivery>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #ids: Names;
  #over = new AbortController();
  #gateway: Gateway | undefined;
  #names: readonly string[];
  #listener: ChatListener | undefined;

  constructor(needs: ChatSdkNeeds, sdk: ChatPackage, adapter: Adapter) {
    this.#needs = needs;
    this.#sdk = sdk;
    this.#adapter = adapter;
    this.name = needs.name ?? adapter.name;
    this.#ids = { platform: this.name, adapter: adapter.name };
    this.manners = mannersOf(adapter.name);
    this.#chat = new sdk.Chat({
      userName: needs.botName,
      adapters: { [adapter.name]: adapter },
      state: new ChatSdkState(needs.clock),
      concurrency: "concurrent",
      logger: loggerOf(needs.trouble),
    });
    this.#names = [adapter.userName, needs.botName];
    this.#hear();
    if (adapter.postEphemeral || adapter.openDM) this.whisper = (...to) => this.#whisper(...to);
    if (adapter.openDM) this.hand = (...to) => this.#hand(...to);
    if (!adapter.persistThreadHistory && !adapter.persistMessageHistory) {
      this.recent = (...where) => this.#recent(...where);
    }
  }

  /** May be tried again when it failed, and after a stop. */
  async start(listener: ChatListener): Promise<void> {
    const over = new AbortController();
    this.#over = over;
    this.#listener = listener;
    try {
      await this.#chat.initialize();
    } catch (cause) {
      this.#listener = undefined;
      // It remembers its failure otherwise, and answers every further try with it.
      await this.#chat.shutdown();
      throw notOpened(this.name, cause);
    }
    const names = await this.#ourNames();
    // Stopped meanwhile: nobody would close what is opened now.
    if (over.signal.aborted) return;
    this.#names = names;
    this.#gateway = keepGateway(this.#adapter, this.#needs);
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
    this.#over.abort();
    await this.#gateway?.close();
    await this.#chat.shutdown();
    await Promise.allSettled(this.#underWay);
  }

  /** B2. */
  async webhook(request: Request): Promise<Response> {
    const take = this.#chat.webhooks[this.#adapter.name];
    if (!this.#listener || !take) return comeAgain();
    const delivery: Delivery = { tasks: [], hasFailed: false };
    const options = { waitUntil: (task: Promise<unknown>) => void delivery.tasks.push(task) };
    const response = await this.#deliveries.run(delivery, () =>
      take(request, { ...options, propagateHandlerErrors: true }),
    );
    while (delivery.tasks.length > 0) {
      const ends = await Promise.allSettled(delivery.tasks.splice(0));
      if (ends.some(({ status }) => status === "rejected")) delivery.hasFailed = true;
    }
    return delivery.hasFailed ? comeAgain() : response;
  }

  async post(place: ChatPlace, said: ChatText): Promise<{ readonly id: string }> {
    refuseTooLong(this.manners, said);
    return this.#post(place, said, []);
  }

  async edit(place: ChatPlace, messageId: string, said: ChatText): Promise<void> {
    refuseTooLong(this.manners, said);
    const thread = this.#thread(place);
    await this.#adapter.editMessage(thread.id, messageId, this.#postable(thread, said));
  }

  async react(place: ChatPlace, messageId: string, sign: keyof typeof SIGNS, on: boolean): Promise<void> {
    const emoji = this.#sdk.getEmoji(SIGNS[sign]);
    if (on) await this.#adapter.addReaction(threadIdOf(this.#ids, place), messageId, emoji);
    else await this.#adapter.removeReaction(threadIdOf(this.#ids, place), messageId, emoji);
  }

  async upload(place: ChatPlace, file: ChatFile, said?: ChatText): Promise<{ readonly id: string }> {
    refuseTooLong(this.manners, said, file);
    return this.#post(place, said ?? { text: "" }, [file]);
  }

  async #post(
    place: ChatPlace,
    said: ChatText,
    files: readonly ChatFile[],
  ): Promise<{ readonly id: string }> {
    const thread = this.#thread(place);
    const { id } = await thread.post(this.#postable(thread, said, files));
    if (!id) throw new Error("the platform named no message");
    return { id };
  }

  async #whisper(place: ChatPlace, personId: string, said: ChatText): Promise<void> {
    refuseTooLong(this.manners, said);
    const thread = this.#thread(place);
    const sent = await thread.postEphemeral(personId, this.#postable(thread, said), { fallbackToDM: true });
    if (!sent) throw new this.#sdk.NotImplementedError("nobody can be told alone here", "ephemeral");
  }

  /** What only one person sees in a channel takes no files: they go where only that person is. */
  async #hand(_place: ChatPlace, personId: string, file: ChatFile, said?: ChatText): Promise<void> {
    refuseTooLong(this.manners, said, file);
    const direct = await this.#adapter.openDM?.(personId);
    if (direct === undefined)
      throw new this.#sdk.NotImplementedError("nobody can be told alone here", "openDM");
    const thread = this.#chat.thread(direct);
    await thread.post(this.#postable(thread, said ?? { text: "" }, [file]));
  }

  async #recent(place: ChatPlace, sinceMs: number): ReturnType<Recent> {
    const found: { id: string; text: string; at: number }[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const asked = { limit: PAGE, direction: "backward", ...(cursor && { cursor }) } as const;
      const { messages, nextCursor } = await this.#adapter.fetchMessages(threadIdOf(this.#ids, place), asked);
      const dated = messages.map((message) => ({ message, at: message.metadata.dateSent.getTime() }));
      const ours = dated.filter(({ message, at }) => message.author.isMe && at >= sinceMs);
      found.push(...ours.map(({ message: { id, text }, at }) => ({ id, text, at })));
      if (!nextCursor || dated.some(({ at }) => at < sinceMs)) break;
      cursor = nextCursor;
    }
    return found.sort((one, other) => other.at - one.at);
  }

  #thread(place: ChatPlace): Thread {
    return this.#chat.thread(threadIdOf(this.#ids, place));
  }

  #postable(thread: Thread, said: ChatText, files: readonly ChatFile[] = []) {
    return postableOf(this.#sdk, said, (personId) => thread.mentionUser(personId), files);
  }

  #hear(): void {
    const heard = async (thread: Thread, message: Message) => {
      const at = { isDirect: thread.isDM, names: this.#names };
      const place = placeOf(this.#ids, thread.id);
      await this.#store((listener) => listener.message(messageOf(this.#sdk, place, message, at)));
      if (message.isMention) this.#follow(thread);
    };
    this.#chat.onDirectMessage(heard);
    this.#chat.onSubscribedMessage(heard);
    this.#chat.onMessageUpdated((thread, message, previous) => {
      // A preview or a pin changes a message too, and says nothing new.
      if (previous && previous.text === message.text) return;
      return this.#store((listener) => {
        const text = textOf(this.#sdk, message, this.#names);
        const place = placeOf(this.#ids, thread.id);
        return listener.edited({ place, id: message.id, by: personOf(message.author), text });
      });
    });
    this.#chat.onAction((event) => this.#store((listener) => listener.clicked(clickOf(this.#ids, event))));
  }

  /** Some platforms tell us of what follows only if we ask them to. */
  #follow(thread: Thread): void {
    if (!this.#adapter.onThreadSubscribe) return;
    thread.subscribe().catch((error) => {
      this.#needs.trouble("what follows in a chat is not heard unless we are mentioned", error);
    });
  }

  /** As people see us: the platform writes a mention with the name that it shows. */
  async #ourNames(): Promise<string[]> {
    const { userName, botUserId } = this.#adapter;
    const names = [userName, this.#needs.botName];
    if (botUserId === undefined) return names;
    const us = await this.#adapter.getUser?.(botUserId).catch((error: unknown) => {
      this.#needs.trouble("how our name is shown is not known", error);
      return null;
    });
    return [...names, botUserId, ...(us ? [us.fullName, us.userName] : [])];
  }

  #store(store: (listener: ChatListener) => Promise<void>): Promise<void> {
    const stored = this.#stored(store).finally(() => this.#underWay.delete(stored));
    this.#underWay.add(stored);
    return stored;
  }

  async #stored(store: (listener: ChatListener) => Promise<void>): Promise<void> {
    const delivery = this.#deliveries.getStore();
    for (let tries = 0; ; tries += 1) {
      try {
        if (!this.#listener) throw new Error("nobody listens any more");
        return await store(this.#listener);
      } catch (error) {
        const wait = delivery ? undefined : STORE_AGAIN_MS[tries];
        if (wait === undefined || this.#over.signal.aborted) {
          if (delivery) delivery.hasFailed = true;
          throw error;
        }
        await this.#needs.clock.sleep(wait, this.#over.signal);
      }
    }
  }
}

/** Platforms come again after a failure, for a while. */
function comeAgain(): Response {
  return new Response(null, { status: 503, headers: { "retry-after": "5" } });
}

function loggerOf(trouble: ChatSdkNeeds["trouble"]) {
  const logger = {
    child: () => logger,
    debug: () => {},
    info: () => {},
    warn: (what: string, ...details: unknown[]) => trouble(what, details[0]),
    error: (what: string, ...details: unknown[]) => trouble(what, details[0]),
  };
  return logger;
}
