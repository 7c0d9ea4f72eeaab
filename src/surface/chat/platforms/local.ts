/**
 * The embedded platform: one person, two streams. Each line that comes in is a message, each post a few lines that go out.
 * Buttons are numbered, and a line with such a number is the click.
 */
import { ChatRefusal } from "../../../core/chat-failure.ts";
import type {
  ChatButton,
  ChatListener,
  ChatManners,
  ChatPerson,
  ChatPlace,
  ChatPlatform,
  ChatText,
} from "../../../core/chat-platform.ts";
import { refuseTooLong } from "../../../core/chat-text.ts";
import type { Clock } from "../../../core/world.ts";
import { type Line, LineReader } from "../../rpc/lines.ts";
import { clickId } from "../click-id.ts";
import { type LocalOutput, LocalScreen } from "./local-screen.ts";

export interface LocalNeeds {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: LocalOutput;
  /** The output is a terminal, and a line on it can be written again. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Who sits there. */
  readonly person: string;
  /** Which conversation it is, where there may be more than one. */
  readonly chat?: string;
}

const LONGEST_LINE = 1024 * 1024;
const MANNERS: ChatManners = { editEveryMs: 200, longestText: 100_000, largestFile: 0 };
const NOT_STORED = "! That was not stored, and nothing was done. Say it again in a moment.";

interface Choice {
  readonly messageId: string;
  readonly button: ChatButton;
}

export class LocalPlatform implements ChatPlatform {
  readonly name = "local";
  readonly manners = MANNERS;
  /** The person has nothing more to say, or we stopped. */
  readonly ended: Promise<void>;
  readonly #needs: LocalNeeds;
  readonly #screen: LocalScreen;
  readonly #place: ChatPlace;
  readonly #person: ChatPerson;
  /** Ids of another run may be stored: ours begin with something that no other one's do. */
  readonly #mark: string;
  readonly #posted = new Set<string>();
  readonly #choices = new Map<number, Choice>();
  readonly #over = new AbortController();
  #sure: number | undefined;
  #count = 0;
  #reading: Promise<void> | undefined;
  #end: () => void = () => {};

  constructor(needs: LocalNeeds) {
    this.#needs = needs;
    this.#screen = new LocalScreen(needs.output, needs.isTerminal);
    this.#place = { platform: this.name, chat: needs.chat ?? "terminal" };
    this.#person = { id: needs.person, name: needs.person, isBot: false, isSelf: false };
    this.#mark = Buffer.from(needs.random(6)).toString("hex");
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Another terminal may be in another room: its answers are not ours to print. */
  speaksIn({ chat }: ChatPlace): boolean {
    return chat === this.#place.chat;
  }

  async start(listener: ChatListener): Promise<void> {
    this.#reading ??= this.#read(listener).finally(this.#end);
  }

  /** What is being stored is stored; what was not read is not. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#reading;
    this.#end();
  }

  async post(place: ChatPlace, said: ChatText): Promise<{ readonly id: string }> {
    this.#check(place, said);
    const id = this.#nextId();
    this.#posted.add(id);
    this.#show(id, said);
    return { id };
  }

  async edit(place: ChatPlace, messageId: string, said: ChatText): Promise<void> {
    this.#check(place, said);
    // A message of an earlier run is printed anew: it is ours, and it stands somewhere above.
    if (this.#isOfThisRun(messageId) && !this.#posted.has(messageId)) {
      throw new ChatRefusal("NOT_FOUND", `there is no message ${messageId}`);
    }
    this.#show(messageId, said);
  }

  async whisper(place: ChatPlace, _personId: string, said: ChatText): Promise<void> {
    this.#check(place, said);
    this.#screen.note(said.text);
  }

  #check(place: ChatPlace, said: ChatText): void {
    const { chat } = place;
    if (!this.speaksIn(place)) throw new ChatRefusal("NOT_FOUND", `there is no chat ${chat} here`);
    refuseTooLong(this.manners, said);
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#mark}-${this.#count}`;
  }

  #isOfThisRun(id: string): boolean {
    return id.startsWith(`${this.#mark}-`);
  }

  async #read(listener: ChatListener): Promise<void> {
    const lines = new LineReader(LONGEST_LINE);
    const input = this.#needs.input[Symbol.asyncIterator]();
    const over = aborted(this.#over.signal);
    while (!this.#over.signal.aborted) {
      // An input that breaks is one that has ended.
      const next = input.next().catch(() => undefined);
      const piece = await Promise.race([next, over]);
      if (!piece || piece.done) break;
      for (const line of lines.read(piece.value)) await this.#take(listener, line);
    }
    if (this.#over.signal.aborted) return void input.return?.()?.catch(() => {});
    const last = lines.end();
    if (last) await this.#take(listener, last);
  }

  async #take(listener: ChatListener, line: Line): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#screen.typed();
    if ("tooLong" in line)
      return this.#screen.note(`! Not read: a line of ${line.tooLong} bytes is too long.`);
    const text = line.text.trim();
    if (text === "") return;
    const number = /^\d{1,6}$/.test(text) ? Number(text) : undefined;
    const choice = number === undefined ? undefined : this.#choices.get(number);
    try {
      if (choice && number !== undefined) await this.#choose(listener, number, choice);
      else await this.#say(listener, text);
    } catch {
      this.#screen.note(NOT_STORED);
    }
  }

  async #say(listener: ChatListener, text: string): Promise<void> {
    this.#sure = undefined;
    await listener.message({
      place: this.#place,
      id: this.#nextId(),
      by: this.#person,
      text,
      at: this.#needs.clock.now(),
      isDirect: true,
      mentionsUs: false,
      attachments: [],
    });
  }

  async #choose(listener: ChatListener, number: number, { messageId, button }: Choice): Promise<void> {
    if (button.confirm !== undefined && this.#sure !== number) {
      this.#sure = number;
      return this.#screen.note(`${button.confirm} Type ${number} again to do it.`);
    }
    this.#sure = undefined;
    const { action, value } = button;
    const id = clickId({ messageId, action, value, personId: this.#person.id });
    await listener.clicked({ place: this.#place, id, by: this.#person, action, value, messageId });
  }

  #show(id: string, { text, buttons = [] }: ChatText): void {
    const numbered = this.#number(id, buttons);
    const lines = numbered.map(({ number, label }) => `  [${number}] ${label}`);
    this.#screen.show(id, [text, ...lines].join("\n"));
  }

  /** A button that stays keeps its number, so that what is being typed means what it meant. */
  #number(messageId: string, buttons: readonly ChatButton[]): { number: number; label: string }[] {
    const old = [...this.#choices].filter(([, choice]) => choice.messageId === messageId);
    for (const [number] of old) this.#choices.delete(number);
    const kept = (button: ChatButton) =>
      old.find(([, was]) => was.button.action === button.action && was.button.value === button.value)?.[0];
    return buttons.map((button) => {
      const number = kept(button) ?? this.#freeNumber(old.map(([taken]) => taken));
      this.#choices.set(number, { messageId, button });
      return { number, label: button.label };
    });
  }

  #freeNumber(taken: readonly number[]): number {
    let number = 1;
    while (this.#choices.has(number) || taken.includes(number)) number += 1;
    return number;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
