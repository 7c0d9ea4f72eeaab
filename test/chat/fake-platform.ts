// A chat platform in memory, as bad as real ones can be: it limits, fails, takes its time, delivers twice, and says 200
// when it means no.

import { ChatRefusal } from "../../src/core/chat-failure.ts";
import type {
  ChatAttachment,
  ChatFile,
  ChatListener,
  ChatManners,
  ChatPerson,
  ChatPlace,
  ChatPlatform,
  ChatText,
} from "../../src/core/chat-platform.ts";
import { refuseTooLong } from "../../src/core/chat-text.ts";
import type { Clock } from "../../src/core/world.ts";
import { clickId } from "../../src/surface/chat/click-id.ts";

export interface Sent {
  readonly verb: "post" | "edit" | "react" | "whisper" | "upload" | "hand";
  readonly chat: string;
  readonly text: string;
  readonly id: string;
  readonly at: number;
}

/** What the next calls of a chat come to; used up one by one. */
type Fate =
  | { readonly fails: unknown; readonly butArrives?: boolean }
  | { readonly takesMs: number }
  | { readonly hangs: true };

const MANNERS: ChatManners = { editEveryMs: 1_500, longestText: 4_000, largestFile: 1_000_000 };
export const MAYA: ChatPerson = { id: "maya", name: "Maya", isBot: false, isSelf: false };

export class FakePlatform implements ChatPlatform {
  readonly name: string;
  readonly manners: ChatManners;
  /** All that arrived, in order. */
  readonly sent: Sent[] = [];
  /** Those that arrived. */
  readonly files: ChatFile[] = [];
  /** Every call, also those that failed. */
  calls = 0;
  /** What the next starts come to. */
  readonly startsWith: Promise<unknown>[] = [];
  /** When edits were asked for, also those that failed. */
  readonly edits: number[] = [];
  /** What every call fails with for now. */
  weather: () => unknown = () => undefined;
  readonly #clock: Clock;
  readonly #fates = new Map<string, Fate[]>();
  readonly #cards = new Map<string, ChatText>();
  #listener: ChatListener | undefined;
  #count = 0;

  constructor(clock: Clock, manners: Partial<ChatManners> = {}, name = "fake") {
    this.name = name;
    this.#clock = clock;
    this.manners = { ...MANNERS, ...manners };
  }

  async start(listener: ChatListener): Promise<void> {
    await this.startsWith.shift();
    this.#listener = listener;
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
  }

  async post(place: ChatPlace, said: ChatText): Promise<{ id: string }> {
    refuseTooLong(this.manners, said);
    return { id: await this.#send("post", place, said.text, undefined, said) };
  }

  async edit(place: ChatPlace, messageId: string, said: ChatText): Promise<void> {
    refuseTooLong(this.manners, said);
    if (!this.#cards.has(messageId)) throw new ChatRefusal("NOT_FOUND", "no such message");
    await this.#send("edit", place, said.text, messageId, said);
  }

  async react(place: ChatPlace, messageId: string, sign: string, on: boolean): Promise<void> {
    await this.#send("react", place, `${on ? "+" : "-"}${sign}`, messageId);
  }

  async whisper(place: ChatPlace, personId: string, said: ChatText): Promise<void> {
    await this.#send("whisper", place, said.text, personId);
  }

  async upload(place: ChatPlace, file: ChatFile, said: ChatText = { text: "" }): Promise<{ id: string }> {
    refuseTooLong(this.manners, said, file);
    const id = await this.#send("upload", place, said.text);
    this.#cards.set(id, said);
    this.files.push(file);
    return { id };
  }

  async hand(place: ChatPlace, personId: string, file: ChatFile, said?: ChatText): Promise<void> {
    refuseTooLong(this.manners, said, file);
    await this.#send("hand", place, said?.text ?? "", personId);
    this.files.push(file);
  }

  async recent(place: ChatPlace, sinceMs: number): Promise<{ id: string; text: string; at: number }[]> {
    const posts = this.sent.filter(
      ({ verb, chat, at }) => (verb === "post" || verb === "upload") && chat === place.chat && at >= sinceMs,
    );
    // As they read now.
    return posts.map(({ id, text, at }) => ({ id, text: this.#cards.get(id)?.text ?? text, at })).reverse();
  }

  // What a test does to it.

  next(chat: string, ...fates: Fate[]): void {
    this.#fates.set(chat, [...(this.#fates.get(chat) ?? []), ...fates]);
  }

  /** All goes well from here on. */
  calms(chat: string): void {
    this.#fates.delete(chat);
  }

  /** As a platform does that takes an error for an answer. */
  says200(chat: string, error: string): void {
    this.next(chat, {
      fails: Object.assign(new Error("ok: false"), { status: 200, data: { ok: false, error } }),
    });
  }

  limits(chat: string, retryAfterMs: number, times = 1): void {
    const fails = Object.assign(new Error("slow down"), { code: "RATE_LIMITED", retryAfterMs });
    this.next(chat, ...Array.from({ length: times }, () => ({ fails })));
  }

  async say(
    chat: string,
    text: string,
    more: { id?: string; by?: ChatPerson; isDirect?: boolean; attachments?: readonly ChatAttachment[] } = {},
  ): Promise<void> {
    this.#count += 1;
    const mentionsUs = /@selvage\b/.test(text);
    await this.#heard.message({
      place: { platform: this.name, chat },
      id: more.id ?? `in-${this.#count}`,
      by: more.by ?? MAYA,
      text: text.replace(/^@selvage\s+/, ""),
      at: this.#clock.now(),
      isDirect: more.isDirect ?? false,
      mentionsUs,
      attachments: more.attachments ?? [],
    });
  }

  /** A message that somebody changed. */
  async change(chat: string, id: string, by: ChatPerson, text: string): Promise<void> {
    await this.#heard.edited({ place: { platform: this.name, chat }, id, by, text });
  }

  async click(chat: string, messageId: string, label: string, by: ChatPerson = MAYA): Promise<void> {
    const button = this.#cards.get(messageId)?.buttons?.find((one) => one.label === label);
    if (!button) throw new Error(`there is no button ${label}`);
    const { action, value } = button;
    const id = clickId({ messageId, action, value, personId: by.id });
    await this.#heard.clicked({ place: { platform: this.name, chat }, id, by, action, value, messageId });
  }

  /** Our messages as they read now. */
  get shown(): string[] {
    return [...this.#cards.values()].map(({ text }) => text);
  }

  get #heard(): ChatListener {
    if (!this.#listener) throw new Error("nobody listens");
    return this.#listener;
  }

  async #send(
    verb: Sent["verb"],
    { chat }: ChatPlace,
    text: string,
    known?: string,
    card?: ChatText,
  ): Promise<string> {
    this.calls += 1;
    if (verb === "edit") this.edits.push(this.#clock.monotonic());
    const bad = this.weather();
    if (bad !== undefined) throw bad;
    const fate = this.#fates.get(chat)?.shift();
    if (fate && "fails" in fate && !fate.butArrives) throw fate.fails;
    if (fate && "hangs" in fate) await new Promise(() => {});
    if (fate && "takesMs" in fate) await this.#clock.sleep(fate.takesMs);
    this.#count += 1;
    const id = known ?? `out-${this.#count}`;
    this.sent.push({ verb, chat, text, id, at: this.#clock.now() });
    // What arrived is there, whatever we are told about it.
    if (card) this.#cards.set(id, card);
    if (fate && "fails" in fate) throw fate.fails;
    return id;
  }
}
