// A chat in memory: its journal, a platform, and an actor that does what it is told and may die between any two things.
import { type ChatAction, type ChatView, nextDelivery } from "../../src/core/chat-delivery.ts";
import type { ChatEvent, Note } from "../../src/core/chat-events.ts";
import { requestIdOf } from "../../src/core/chat-intake.ts";
import type { ChatPlatform } from "../../src/core/chat-platform.ts";
import { postedAlready } from "../../src/core/chat-reply.ts";
import { type ChatState, foldChat, NEW_CHAT } from "../../src/core/chat-state.ts";

export const T0 = Date.parse("2026-01-01T00:00:00.000Z");
const THREAD = "chat-1-aaaaaa";
const PLACE = { platform: "fake", chat: "C1" };
export const MANNERS: ChatPlatform["manners"] = {
  editEveryMs: 1_500,
  longestText: 4_000,
  largestFile: 1_000_000,
};
export const HOUR = 3_600_000;

type Fields = Readonly<Record<string, unknown>> & { readonly type: ChatEvent["type"] };

export class Dead extends Error {}

interface Posted {
  readonly id: string;
  readonly at: number;
  text: string;
  readonly mentions: readonly string[];
}

/** A journal, a platform and an actor that may die between any two things it does. */
export class Stage {
  now = T0;
  readonly journal: ChatEvent[] = [];
  readonly posts: Posted[] = [];
  readonly edits: { at: number; id: string; text: string }[] = [];
  readonly reactions: string[] = [];
  canList = true;
  /** Steps until it dies. */
  fuse = Number.POSITIVE_INFINITY;
  view: Partial<ChatView> = {};
  #startedAt = T0;
  #lastEditAt = T0;
  #shown: ChatView["shown"];
  #reactions = new Map<string, "seen" | "queued">();

  /** Posts that the platform does not take. */
  refuses = 0;
  lostMarks = 0;
  repeats = 0;
  #folded: ChatState = NEW_CHAT;
  #seen = 0;

  get state(): ChatState {
    for (const event of this.journal.slice(this.#seen)) this.#folded = foldChat(this.#folded, event);
    this.#seen = this.journal.length;
    return this.#folded;
  }

  tell(fields: Fields, thread = THREAD): void {
    const envelope = {
      v: 1,
      seq: this.journal.length + 1,
      ts: new Date(this.now).toISOString(),
      thread_id: thread,
    };
    this.journal.push({ ...envelope, ...fields } as unknown as ChatEvent);
  }

  born(limits = { spend: "0.25" }): void {
    this.tell({ type: "thread_created", limits, directive: "chat" });
    this.tell({ type: "thread_started", run: 1 });
  }

  ask(id: string, more: object = {}): string {
    const request_id = requestIdOf(PLACE, id);
    this.tell({ type: "message_received", request_id, by: "fake:maya", text: `say ${id}`, ...more });
    return request_id;
  }

  look(): ReturnType<typeof nextDelivery> {
    return nextDelivery(this.state, {
      ...{
        now: this.now,
        platform: "fake",
        manners: MANNERS,
        startedAt: this.#startedAt,
        lastEditAt: this.#lastEditAt,
      },
      ...{
        shown: this.#shown,
        reactions: this.#reactions,
        lateMs: 60_000,
        hideCosts: false,
        showsProgress: true,
      },
      nameOf: () => "chat",
      ...this.view,
    });
  }

  /** Asks and does until nothing is to be done now. */
  settle(): void {
    for (let round = 0; round < 50; round += 1) {
      const { actions } = this.look();
      if (actions.length === 0) return;
      for (const action of actions) this.do(action);
    }
    throw new Error("it never comes to rest");
  }

  /** Time goes on, and it looks when it said that it would, no sooner. */
  wait(ms: number): void {
    const end = this.now + ms;
    this.settle();
    while (this.now < end) {
      const next = this.look().lookAgainAt ?? end;
      if (next <= this.now) throw new Error("it would look again at once");
      this.now = Math.min(end, next);
      this.settle();
    }
  }

  restart(afterMs = 0): void {
    this.now += afterMs;
    this.fuse = Number.POSITIVE_INFINITY;
    this.#startedAt = this.now;
    this.#lastEditAt = this.now;
    this.#shown = undefined;
    this.#reactions = new Map();
    this.#folded = NEW_CHAT;
    this.#seen = 0;
  }

  #step(): void {
    this.fuse -= 1;
    if (this.fuse < 0) throw new Dead();
  }

  #note(note: Note): void {
    this.#step();
    this.tell({ type: "delivery_noted", ...note });
  }

  do(action: ChatAction): void {
    switch (action.kind) {
      case "react":
        this.#step();
        this.reactions.push(`${action.on ? "+" : "-"}${action.sign} ${action.messageId}`);
        if (action.on) this.#reactions.set(requestIdOf(PLACE, action.messageId), action.sign);
        return;
      case "note":
        return this.#note(action.note);
      case "post": {
        this.#note({ ...action.target, state: "intended" });
        this.#step();
        if (this.refuses > 0) {
          this.refuses -= 1;
          if (action.target.what === "notice") this.lostMarks += 1;
          return this.#note({ ...action.target, state: "given_up" });
        }
        const id = `m${this.posts.length + 1}`;
        this.posts.push({ id, at: this.now, text: action.said.text, mentions: action.said.mentions ?? [] });
        if (action.target.what === "progress") this.#shown = { messageId: id, text: action.said.text };
        this.#note({ ...action.target, state: "posted", message_id: id });
        return;
      }
      case "edit":
        return this.#edit(action);
      case "look": {
        const found = this.canList
          ? postedAlready(action.text, [...this.posts].reverse(), action)
          : undefined;
        if (found !== undefined) return this.#note({ ...action.target, state: "posted", message_id: found });
        for (const next of this.canList ? action.absent : action.unknown) this.do(next);
      }
    }
  }

  #edit({ messageId, said, target }: ChatAction & { kind: "edit" }): void {
    const isAnswer = target?.what === "answer";
    if (isAnswer) this.#note({ ...target, state: "intended", message_id: messageId });
    this.#step();
    this.edits.push({ at: this.now, id: messageId, text: said.text });
    if (this.#shown?.messageId === messageId && this.#shown.text === said.text) this.repeats += 1;
    const post = this.posts.find(({ id }) => id === messageId);
    if (post) post.text = said.text;
    this.#lastEditAt = this.now;
    this.#shown = { messageId, text: said.text };
    if (target) this.#note({ ...target, state: "posted", ...(isAnswer ? { message_id: messageId } : {}) });
  }

  texts(): string[] {
    return this.posts.map(({ text }) => text);
  }
}

export const stage = (): Stage => {
  const made = new Stage();
  made.born();
  return made;
};
