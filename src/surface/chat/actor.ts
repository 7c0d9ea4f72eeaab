/**
 * One chat: it hears what happens in its thread and tells people, where they talk.
 *   A1. What it knows is the fold of the journal, and of its own notes that are stored and not in the journal yet. A new actor of
 *       the same chat begins where this one was.
 *   A2. One thing after the other: what comes next is decided when what was decided is done.
 *   A3. Nothing that goes wrong here goes further: neither to the thread, nor to other chats.
 */
import { type ChatAction, type ChatView, nextDelivery } from "../../core/chat-delivery.ts";
import type { Note } from "../../core/chat-events.ts";
import { requestIdOf } from "../../core/chat-intake.ts";
import { standsAt, unsentText } from "../../core/chat-outcome.ts";
import type { ChatFile, ChatPlace, ChatText } from "../../core/chat-platform.ts";
import { postedAlready } from "../../core/chat-reply.ts";
import { begunAnew, type ChatOutgoing, type ChatState, foldChat, NEW_CHAT } from "../../core/chat-state.ts";
import { transcriptReply } from "../../core/chat-transcript.ts";
import type { Event, LiveEvent } from "../../core/event.ts";
import type { Clock } from "../../core/world.ts";
import { type Delivering, Undelivered } from "./delivering.ts";
import type { Logging } from "./logging.ts";
import { keep } from "./remembered.ts";

export interface ActorNeeds {
  readonly clock: Clock;
  readonly place: ChatPlace;
  readonly delivering: Delivering;
  /** Until then nobody is told anything, and nothing is meant to be. */
  readonly up: Promise<void>;
  readonly view: Pick<
    ChatView,
    "platform" | "manners" | "startedAt" | "lateMs" | "hideCosts" | "showsProgress" | "nameOf" | "details"
  >;
  /** Resolves when it is stored: with the name of its request, or without one where the thread has ended. */
  note(note: Note): Promise<string | undefined>;
  /** What nobody there should read. */
  redact(text: string): string;
  /** For the operator: what went wrong. */
  trouble(message: string): void;
  /** What the agent hands over, as it may be seen; undefined: it is not there any more. */
  outgoing(file: ChatOutgoing): Promise<Uint8Array | undefined>;
  /** What is written down for people beside the store; without it, nothing is. */
  readonly log?: Pick<Logging, "take"> | undefined;
  /** What this actor has not heard of a thread. */
  missed(threadId: string, after: number): Promise<readonly Event[]>;
}

/** A note that is stored, and that the journal does not have yet. */
interface Ahead {
  readonly id: string | undefined;
  readonly noted: Event<"delivery_noted">;
}

const OWED_MS = 60_000;
type Shown = NonNullable<ChatView["shown"]>;

export class ChatActor {
  readonly #needs: ActorNeeds;
  readonly #heard = new Map<string, number>();
  readonly #reactions = new Map<string, "seen" | "queued">();
  #folded: ChatState = NEW_CHAT;
  #ahead: Ahead[] = [];
  /** Last texts that could not be shown, and when they are tried again: with the next thing that arrives, or then. */
  readonly #owed = new Map<string, number>();
  #shown: Shown | undefined;
  #lastEditAt: number;
  #working: Promise<void> | undefined;
  #isDirty = false;
  #sleep = new AbortController();
  #isStopped = false;
  #isUp = false;
  readonly #over: Promise<void>;
  #end: () => void = () => {};

  constructor(needs: ActorNeeds) {
    this.#needs = needs;
    this.#lastEditAt = needs.clock.now();
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** With what is stored of it. */
  begin(events: readonly Event[], notes: readonly { readonly id: string; readonly note: Note }[]): void {
    for (const event of events) this.#take(event);
    this.#ahead = notes
      .filter(({ id }) => !this.#isFolded(id))
      .map(({ id, note }) => ({ id, noted: this.#noted(id, note) }));
    this.#wake();
  }

  /** An event may come twice; one that came late shows that others are missing. */
  async hear(event: Event): Promise<void> {
    const known = this.#heard.get(event.thread_id) ?? 0;
    if (event.seq <= known) return;
    if (event.seq > known + 1) {
      for (const each of await this.#needs.missed(event.thread_id, known)) this.#take(each);
    } else this.#take(event);
    this.#wake();
  }

  /** All that is stored of a thread up to this line, whether or not anybody has told of it yet. */
  async upTo(row: { readonly thread_id: string; readonly seq: number }): Promise<void> {
    if (this.hasHeard(row)) return;
    const known = this.#heard.get(row.thread_id) ?? 0;
    for (const event of await this.#needs.missed(row.thread_id, known)) this.#take(event);
    this.#wake();
  }

  /** What is shown and never stored. */
  see(event: LiveEvent): void {
    if (event.type !== "tool_call_progress") return;
    this.#folded = foldChat(this.#folded, event);
    this.#wake();
  }

  /** As it is now, with what is not in the journal yet. */
  get state(): ChatState {
    return this.#ahead.reduce((state, { noted }) => foldChat(state, noted), this.#folded);
  }

  /** Nothing is open: whoever needs it later makes another. */
  get isIdle(): boolean {
    const { works, questions, files, current } = this.state;
    const isOpen = works.length + questions.length + files.length > 0 || current !== undefined;
    return !isOpen && this.#ahead.every(({ id }) => id === undefined);
  }

  /** Whether it knows everything of a thread up to this line. */
  hasHeard(row: { readonly thread_id: string; readonly seq: number } | undefined): boolean {
    return row === undefined || (this.#heard.get(row.thread_id) ?? 0) >= row.seq;
  }

  /** Everything is said that comes by itself: what is left waits for a person. */
  get rests(): boolean {
    const { works, files, run } = this.state;
    return !this.#working && (works.length + files.length === 0 || run.status === "suspended");
  }

  /** Says something at once, beside what the thread has to say. */
  async say(said: ChatText, to?: string): Promise<void> {
    const { delivering, place } = this.#needs;
    const text = this.#clean(said);
    await this.#listens();
    await this.#attempt("an answer to a command", async () => {
      if (to !== undefined && (await delivering.whisper(place, to, text))) return;
      await delivering.post(place, text);
    });
  }

  /** A transcript, to who asked for it: alone where that can be, and as text where no file can be sent. */
  async hand(asked: { readonly transcript: string; readonly of: string }, to: string): Promise<void> {
    const { delivering, place, view } = this.#needs;
    const { file, text, instead } = transcriptReply(asked.of, asked.transcript, view.manners);
    const said = this.#clean({ text });
    await this.#listens();
    try {
      if (file && (await delivering.hand(place, to, file, said))) return;
      if (file && (await delivering.upload(place, file, said))) return;
    } catch (error) {
      this.#trouble("a transcript", error);
    }
    await this.say({ text: instead }, to);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    this.#sleep.abort("stopped");
    await this.#working;
  }

  #take(event: Event): void {
    const known = this.#heard.get(event.thread_id) ?? 0;
    if (event.seq <= known) return;
    this.#heard.set(event.thread_id, event.seq);
    const { threads } = this.#folded;
    const isOther = event.type === "thread_created" && event.address !== undefined;
    if (isOther && !threads.includes(event.continuation_of ?? "")) this.#beginAnew();
    this.#needs.log?.take(this.#folded, event);
    this.#folded = foldChat(this.#folded, event);
    if (event.type !== "delivery_noted") return;
    this.#ahead = this.#ahead.filter(({ id }) => id !== event.request_id);
    keep(this.#lastNotes, event.request_id, true);
  }

  /** What was noted of a thread that takes no more notes is known here alone: it is kept with what is left of it. */
  #beginAnew(): void {
    this.#folded = begunAnew(this.state);
    this.#ahead = this.#ahead.filter(({ id }) => id !== undefined);
  }

  /** Names of the notes that were folded: what is read of open requests may be older than what was heard. */
  readonly #lastNotes = new Map<string, true>();

  #isFolded(id: string): boolean {
    return this.#lastNotes.has(id);
  }

  #wake(): void {
    this.#isDirty = true;
    this.#sleep.abort("news");
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isDirty && !this.#isStopped) this.#wake();
    });
  }

  /** A2. */
  async #work(): Promise<void> {
    await this.#listens();
    while (!this.#isStopped) {
      this.#isDirty = false;
      const { actions, lookAgainAt } = nextDelivery(this.state, this.#view());
      const due = actions.filter((action) => this.#owedUntil(action) === undefined);
      for (const action of due)
        if (!this.#isStopped) await this.#attempt(action.kind, () => this.#do(action));
      if (due.length > 0 || this.#isDirty) continue;
      const times = [lookAgainAt, ...actions.map((action) => this.#owedUntil(action))];
      const next = Math.min(...times.filter((time) => time !== undefined));
      if (!Number.isFinite(next)) return;
      this.#sleep = new AbortController();
      await this.#needs.clock.sleep(Math.max(1, next - this.#needs.clock.now()), this.#sleep.signal);
    }
  }

  /** Nothing goes out to a platform that does not listen yet. */
  async #listens(): Promise<void> {
    if (!this.#isUp) await Promise.race([this.#needs.up, this.#over]);
    this.#isUp = true;
  }

  /** When a last text that could not be shown is tried again; undefined: now. */
  #owedUntil(action: ChatAction): number | undefined {
    const until = action.kind === "edit" && action.target ? this.#owed.get(action.target.for) : undefined;
    return until !== undefined && until > this.#needs.clock.now() ? until : undefined;
  }

  #view(): ChatView {
    const { clock, view } = this.#needs;
    const shown = this.#shown ? { shown: this.#shown } : {};
    return { ...view, now: clock.now(), lastEditAt: this.#lastEditAt, reactions: this.#reactions, ...shown };
  }

  /** A3. */
  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#trouble(what, error);
    }
  }

  #trouble(what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#needs.trouble(`${this.#needs.place.platform}: ${what} failed: ${why}`);
  }

  async #do(action: ChatAction): Promise<void> {
    switch (action.kind) {
      case "react":
        return this.#react(action);
      case "post":
        return this.#post(action);
      case "edit":
        return this.#edit(action);
      case "look":
        return this.#look(action);
      case "send":
        return this.#send(action);
      case "note":
        return this.#note(action.note);
    }
  }

  /** A sign is a courtesy: it is shown once, or not at all. */
  async #react({ messageId, sign, on }: ChatAction & { kind: "react" }): Promise<void> {
    const { delivering, place } = this.#needs;
    if (on) keep(this.#reactions, requestIdOf(place, messageId), sign);
    await delivering.react(place, messageId, sign, on);
  }

  async #post({ target, said, files }: ChatAction & { kind: "post" }): Promise<void> {
    await this.#note({ ...target, state: "intended" });
    try {
      const text = this.#clean(said);
      const { sent, left } = await this.#sendWith(text, files);
      if (target.what === "progress") this.#shown = { messageId: sent.id, text: said.text };
      this.#owed.clear();
      await this.#note({ ...target, state: "posted", message_id: sent.id });
      await this.#sendRest(left);
    } catch (error) {
      // Stopped before it was sent: it stays intended, and whoever comes next looks for it.
      if (!(error instanceof Undelivered) || error.kind === "stopped") throw error;
      await this.#note({ ...target, state: "given_up" });
      throw error;
    }
  }

  /** What cannot be sent is named, with where it stands: one of the two happens, once. */
  async #send({ target, file, isTold }: ChatAction & { kind: "send" }): Promise<void> {
    const { delivering, place } = this.#needs;
    await this.#note({ ...target, state: "intended" });
    const data = isTold ? undefined : await this.#needs.outgoing(file);
    const { name, type } = file;
    try {
      const sent = data && (await delivering.upload(place, { name, type, bytes: data }, { text: name }));
      if (sent) return await this.#note({ ...target, state: "posted", message_id: sent.id });
    } catch (error) {
      if (error instanceof Undelivered && error.kind === "stopped") throw error;
      this.#trouble(`sending ${name}`, error);
    }
    await this.#note({ ...target, state: "given_up" });
    await delivering.post(place, this.#clean({ text: standsAt(file) }));
  }

  /** With the first file, where that can be; the words are more than the file, and go out without it otherwise. */
  async #sendWith(text: ChatText, files: readonly ChatFile[]) {
    const { delivering, place } = this.#needs;
    const [first, ...left] = files;
    if (!first) return { sent: await delivering.post(place, text), left };
    try {
      const sent = await delivering.upload(place, first, text);
      if (sent) return { sent, left };
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#trouble(`sending ${first.name}`, error);
    }
    return { sent: await delivering.post(place, text), left: files };
  }

  /** What does not go out is named, and where it stands. */
  async #sendRest(files: readonly ChatFile[]): Promise<void> {
    const { delivering, place } = this.#needs;
    const failed: string[] = [];
    for (const file of files) {
      try {
        if (!(await delivering.upload(place, file))) failed.push(file.name);
      } catch (error) {
        this.#trouble(`sending ${file.name}`, error);
        failed.push(file.name);
      }
    }
    if (failed.length === 0 || this.#isStopped) return;
    const thread = this.#folded.threads.at(-1) ?? "";
    await delivering.post(place, this.#clean({ text: unsentText(failed, thread) }));
  }

  async #edit({ messageId, said, target, ifGone }: ChatAction & { kind: "edit" }): Promise<void> {
    const { delivering, place, clock } = this.#needs;
    if (target?.what === "answer") await this.#note({ ...target, state: "intended", message_id: messageId });
    this.#lastEditAt = clock.now();
    // Taken for shown also when it fails: the same text is not sent again and again.
    this.#shown = { messageId, text: said.text };
    try {
      await delivering.edit(place, messageId, this.#clean(said), target !== undefined);
      this.#owed.clear();
      if (target) await this.#note({ ...target, state: "posted", message_id: messageId });
    } catch (error) {
      if (!(error instanceof Undelivered) || error.kind === "stopped") throw error;
      if (error.kind === "not_found") await this.#note(ifGone);
      // No message stays on "working": its last text is owed until the platform takes it.
      else if (target?.what === "notice") this.#owed.set(target.for, clock.now() + OWED_MS);
      else if (target) await this.#note({ ...target, state: "given_up" });
      throw error;
    }
  }

  async #look(action: ChatAction & { kind: "look" }): Promise<void> {
    const { delivering, place } = this.#needs;
    const { target, text, since, known, absent, unknown } = action;
    const recent = await delivering.recent(place, since).catch(() => false as const);
    if (recent === false) return this.#all(unknown);
    const found = postedAlready(this.#needs.redact(text), recent, { since, known });
    if (found !== undefined) return this.#note({ ...target, state: "posted", message_id: found });
    return this.#all(absent);
  }

  async #all(actions: readonly ChatAction[]): Promise<void> {
    for (const action of actions) await this.#do(action);
  }

  async #note(note: Note): Promise<void> {
    const id = await this.#needs.note(note);
    if (id === undefined || !this.#isFolded(id)) this.#ahead.push({ id, noted: this.#noted(id ?? "", note) });
  }

  #noted(request_id: string, note: Note): Event<"delivery_noted"> {
    const thread_id = this.#folded.threads.at(-1) ?? "";
    const ts = new Date(this.#needs.clock.now()).toISOString();
    return { v: 1, seq: 0, ts, thread_id, type: "delivery_noted", request_id, by: "chat", ...note };
  }

  #clean(said: ChatText): ChatText {
    return { ...said, text: this.#needs.redact(said.text) };
  }
}

/** The platform said no to it: it did not arrive. Where nobody knows, it is not sent in other words. */
function isRefused(error: unknown): boolean {
  return error instanceof Undelivered && error.kind !== "stopped" && error.kind !== "no_answer";
}
